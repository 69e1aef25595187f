//! The head of a request: parsed within limits, and checked before anything else is done for it.

use crate::key::Key;
use httparse::{EMPTY_HEADER, Status};
use std::io::{self, ErrorKind, Read};

/// Longest head, in bytes.
const MOST_HEAD_BYTES: usize = 16 << 10;
/// Most header lines in a head.
const MOST_HEADERS: usize = 64;
/// The protocol of the live pictures, by which a browser knows that it was understood.
pub(crate) const PROTOCOL: &str = "setsight";
/// Digits of the name that a phone gives itself.
const PHONE_DIGITS: usize = 16;

/// A head, and what was read beyond it.
pub(crate) struct Request {
    method: String,
    target: String,
    host: String,
    origin: Option<String>,
    key: Option<String>,
    phone: Option<String>,
    /// What is announced of the body.
    length: Option<u64>,
    /// Whether the body comes in pieces of any number.
    is_chunked: bool,
    /// Whether the body is only sent once that is asked for.
    waits_for_consent: bool,
    upgrade: Option<SocketUpgrade>,
    /// The first bytes of the body.
    pub rest: Vec<u8>,
}

/// What opens a WebSocket. Browsers let a page set no header there, so that its key comes among the
/// protocols: "setsight, KEY, PHONE".
struct SocketUpgrade {
    key: String,
    protocols: Vec<String>,
}

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A part of the page, which anybody may see.
    Page(&'static str, &'static str),
    /// Whether the key holds, and whether there is a place for a phone.
    Hello(Option<Phone>),
    /// The key, for whoever has typed the code.
    Key,
    /// A photo to be read, of so many bytes.
    Photo(Body),
    /// A photo to be turned into a JPEG for a browser that cannot show it.
    Picture(Body),
    /// One live picture, where no WebSocket opens.
    Frame(Body),
    /// A WebSocket for live pictures, by its key.
    Live(Phone, String),
}

/// A photo that is announced.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Body {
    /// Who sends it.
    pub phone: Phone,
    /// Its length in bytes, if it is told.
    pub length: Option<u64>,
    /// Whether it is only sent once that is asked for (RFC 9110, 10.1.1).
    pub waits_for_consent: bool,
}

/// The name that a phone's page gives itself, at random.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phone(String);

impl Phone {
    fn new(name: &str) -> Option<Self> {
        let is_one = name.len() == PHONE_DIGITS && name.bytes().all(|b| b.is_ascii_hexdigit());
        is_one.then(|| Self(name.to_owned()))
    }
}

/// A part of the page: its path, what it is, and its text.
macro_rules! part {
    ($name:literal, $kind:literal) => {
        (concat!("/", $name), $kind, include_str!(concat!("../page/", $name)))
    };
}

/// The page, by its paths. What else lies in its folder belongs to the page that reads by itself.
const PAGE: [(&str, &str, &str); 11] = [
    ("/", "text/html; charset=utf-8", include_str!("../page/index.html")),
    part!("page.css", "text/css; charset=utf-8"),
    part!("icon.svg", "image/svg+xml"),
    part!("words.js", "text/javascript; charset=utf-8"),
    part!("cards.js", "text/javascript; charset=utf-8"),
    part!("keep.js", "text/javascript; charset=utf-8"),
    part!("computer.js", "text/javascript; charset=utf-8"),
    part!("live.js", "text/javascript; charset=utf-8"),
    part!("play.js", "text/javascript; charset=utf-8"),
    part!("deck.js", "text/javascript; charset=utf-8"),
    part!("page.js", "text/javascript; charset=utf-8"),
];

impl Request {
    /// Reads a head. `None` for one that is none.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let mut chunk = [0; 2048];
        loop {
            let read = from.read(&mut chunk)?;
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            // Its end may be split between two reads.
            let from = bytes.len().saturating_sub(3);
            bytes.extend_from_slice(&chunk[..read]);
            let end = end_of_head(&bytes[from..]).map(|end| from + end);
            if end.unwrap_or(bytes.len()) > MOST_HEAD_BYTES {
                return Ok(None);
            }
            if let Some(end) = end {
                let rest = bytes.split_off(end);
                return Ok(Self::parse(&bytes, rest));
            }
        }
    }

    fn parse(head: &[u8], rest: Vec<u8>) -> Option<Self> {
        let mut headers = [EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        if !matches!(parsed.parse(head), Ok(Status::Complete(_))) {
            return None;
        }
        let all = |name: &str| -> Option<Vec<&str>> {
            let named = parsed.headers.iter().filter(|one| one.name.eq_ignore_ascii_case(name));
            named.map(|one| std::str::from_utf8(one.value).ok()).collect()
        };
        // Two of them are one too many: whoever stands between could mean the other.
        let only = |name: &str| -> Option<Option<String>> {
            match all(name)?[..] {
                [] => Some(None),
                [one] => Some(Some(one.trim().to_owned())),
                _ => None,
            }
        };
        let length = match only("content-length")? {
            Some(text) if text.bytes().all(|b| b.is_ascii_digit()) => Some(text.parse().ok()?),
            Some(_) => return None,
            None => None,
        };
        let is_upgrade = only("upgrade")?.is_some_and(|to| to.eq_ignore_ascii_case("websocket"));
        let version = only("sec-websocket-version")?;
        let upgrade = match only("sec-websocket-key")? {
            Some(key) if is_upgrade && version.as_deref() == Some("13") => {
                let lists = all("sec-websocket-protocol")?.join(",");
                let protocols = lists.split(',').map(|one| one.trim().to_owned()).collect();
                Some(SocketUpgrade { key, protocols })
            }
            _ => None,
        };
        Some(Self {
            method: parsed.method?.to_owned(),
            target: parsed.path?.to_owned(),
            host: only("host")??.to_lowercase(),
            origin: only("origin")?,
            key: only("x-setsight-key")?,
            phone: only("x-setsight-phone")?,
            length,
            is_chunked: !all("transfer-encoding")?.is_empty(),
            waits_for_consent: only("expect")?
                .is_some_and(|what| what.eq_ignore_ascii_case("100-continue")),
            upgrade,
            rest,
        })
    }

    /// Where it was sent to, as the browser has it.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// What it asks for. `None` for what there is not and for who may not ask: without a host that
    /// is ours (else another site could give its own name this machine's address, DNS rebinding),
    /// from another site's page, or without the key.
    pub(crate) fn route(&self, hosts: &[String], is_secure: bool, key: &Key) -> Option<Route> {
        if !hosts.contains(&self.host) {
            return None;
        }
        if self.method == "GET"
            && self.upgrade.is_none()
            // Readers of codes and messengers add what they count by: `/?x`.
            && let Some(path) = self.target.split('?').next()
            && let Some(&(_, kind, text)) = PAGE.iter().find(|(own, ..)| *own == path)
        {
            return Some(Route::Page(kind, text));
        }
        let scheme = if is_secure { "https" } else { "http" };
        let home = format!("{scheme}://{}", self.host);
        if self.origin.as_ref().is_some_and(|origin| *origin != home) {
            return None;
        }
        if let Some(upgrade) = &self.upgrade {
            let [protocol, said, phone] = &upgrade.protocols[..] else { return None };
            let is_live = self.method == "GET" && self.target == "/live" && protocol == PROTOCOL;
            let phone = Phone::new(phone)?;
            return (key.is(said) && is_live).then(|| Route::Live(phone, upgrade.key.clone()));
        }
        let said = self.key.as_deref()?;
        if !key.is(said) {
            let is_asked = (&*self.method, &*self.target) == ("GET", "/key");
            return (is_asked && key.is_code(said)).then_some(Route::Key);
        }
        match (&*self.method, &*self.target) {
            ("GET", "/hello") => Some(Route::Hello(self.phone())),
            ("POST", "/photo") => Some(Route::Photo(self.body()?)),
            ("POST", "/picture") => Some(Route::Picture(self.body()?)),
            ("POST", "/live") => Some(Route::Frame(self.body()?)),
            _ => None,
        }
    }

    fn body(&self) -> Option<Body> {
        let length = self.length.filter(|_| !self.is_chunked);
        Some(Body { phone: self.phone()?, length, waits_for_consent: self.waits_for_consent })
    }

    fn phone(&self) -> Option<Phone> {
        self.phone.as_deref().and_then(Phone::new)
    }
}

/// Where a head ends: behind an empty line, whose end may lack its carriage return (RFC 9112, 2.2).
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    (1..bytes.len()).find_map(|at| match &bytes[..=at] {
        [.., b'\n', b'\n'] | [.., b'\n', b'\r', b'\n'] => Some(at + 1),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "192.168.1.20:8780";
    const PHONE: &str = "0123456789abcdef";

    fn route(key: &Key, head: &str) -> Option<Route> {
        let head = head.replace("KEY", key.text()).replace('\n', "\r\n") + "\r\n\r\n";
        let request = Request::read(&mut head.as_bytes()).unwrap()?;
        request.route(&[HOST.to_owned()], false, key)
    }

    #[test]
    fn the_page_is_for_everybody_at_this_host() {
        let key = Key::random().unwrap();
        for path in ["/", "/page.css", "/page.js", "/words.js", "/?x", "/?utm_source=qr"] {
            let page = route(&key, &format!("GET {path} HTTP/1.1\nHost: {HOST}"));
            assert!(matches!(page, Some(Route::Page(..))), "{path}");
        }
        let others = [
            "GET / HTTP/1.1\nHost: evil.example:8780".to_owned(),
            "GET / HTTP/1.1".to_owned(),
            format!("GET / HTTP/1.1\nHost: {HOST}\nHost: evil.example"),
            format!("POST / HTTP/1.1\nHost: {HOST}"),
            format!("HEAD / HTTP/1.1\nHost: {HOST}"),
            format!("GET /%3fx HTTP/1.1\nHost: {HOST}"),
            format!("GET /../page.css HTTP/1.1\nHost: {HOST}"),
            format!("GET /%2e%2e/etc/passwd HTTP/1.1\nHost: {HOST}"),
            format!("GET http://{HOST}/ HTTP/1.1\nHost: {HOST}"),
            format!("GET /page/index.html HTTP/1.1\nHost: {HOST}"),
        ];
        for head in others {
            assert_eq!(route(&key, &head), None, "{head}");
        }
    }

    #[test]
    fn nothing_else_is_for_those_without_the_key_or_from_elsewhere() {
        let key = Key::random().unwrap();
        let hello = format!("GET /hello HTTP/1.1\nHost: {HOST}\nX-Setsight-Key: KEY");
        assert_eq!(route(&key, &hello), Some(Route::Hello(None)));
        assert_eq!(
            route(&key, &format!("{hello}\nOrigin: http://{HOST}")),
            Some(Route::Hello(None))
        );
        for wrong in [
            hello.replace("KEY", &"0".repeat(32)),
            hello.replace("KEY", ""),
            hello.replace("GET", "POST"),
            format!("{hello}\nOrigin: https://{HOST}"),
            format!("{hello}\nOrigin: http://evil.example"),
            format!("{hello}\nOrigin: null"),
            format!("{hello}\nX-Setsight-Key: KEY"),
        ] {
            assert_eq!(route(&key, &wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_code_gets_the_key_and_nothing_else() {
        let key = Key::random().unwrap();
        let ask = format!("GET /key HTTP/1.1\nHost: {HOST}\nX-Setsight-Key: {}", key.code());
        for wrong in [
            ask.replace("/key", "/hello"),
            ask.replace("GET /key", "POST /photo"),
            ask.replace(HOST, "evil.example"),
            format!("{ask}\nOrigin: http://evil.example"),
        ] {
            assert_eq!(route(&key, &wrong), None, "{wrong}");
        }
        assert_eq!(route(&key, &ask), Some(Route::Key), "none of the others was a guess");
        assert_eq!(route(&key, &ask), None, "too soon");
    }

    #[test]
    fn photos_say_who_sends_them_and_how_long_they_are() {
        let key = Key::random().unwrap();
        let head = format!(
            "POST /photo HTTP/1.1\nHost: {HOST}\nX-Setsight-Key: KEY\nX-Setsight-Phone: {PHONE}"
        );
        let body = |length, waits_for_consent| Body {
            phone: Phone::new(PHONE).unwrap(),
            length,
            waits_for_consent,
        };
        let photo = |length| Some(Route::Photo(body(length, false)));
        assert_eq!(route(&key, &format!("{head}\nContent-Length: 77")), photo(Some(77)));
        assert_eq!(route(&key, &head), photo(None));
        let waiting = format!("{head}\nContent-Length: 77\nExpect: 100-continue");
        assert_eq!(route(&key, &waiting), Some(Route::Photo(body(Some(77), true))));
        let frame = head.replace("/photo", "/live");
        assert_eq!(route(&key, &frame), Some(Route::Frame(body(None, false))));
        let chunked = format!("{head}\nContent-Length: 77\nTransfer-Encoding: chunked");
        assert_eq!(route(&key, &chunked), photo(None));
        for wrong in [
            format!("{head}\nContent-Length: +77"),
            format!("{head}\nContent-Length: 77\nContent-Length: 78"),
            format!("{head}\nContent-Length: 99999999999999999999999"),
            head.replace(PHONE, "../../../../etc/"),
        ] {
            assert_eq!(route(&key, &wrong), None, "{wrong}");
        }
    }

    #[test]
    fn live_pictures_have_their_key_among_the_protocols() {
        let key = Key::random().unwrap();
        let head = format!(
            "GET /live HTTP/1.1\nHost: {HOST}\nOrigin: http://{HOST}\nUpgrade: websocket\n\
             Connection: Upgrade\nSec-WebSocket-Version: 13\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\
             Sec-WebSocket-Protocol: setsight, KEY, {PHONE}"
        );
        assert!(matches!(route(&key, &head), Some(Route::Live(..))));
        for wrong in [
            head.replace("KEY", "x"),
            head.replace("/live", "/photo"),
            head.replace("/live", "/"),
            head.replace(": 13", ": 8"),
            head.replace("setsight, ", ""),
            head.replace(&format!("http://{HOST}"), "http://evil.example"),
        ] {
            assert_eq!(route(&key, &wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_head_may_lack_carriage_returns_and_no_byte_is_too_many() {
        let key = Key::random().unwrap();
        let head = format!("GET / HTTP/1.1\nHost: {HOST}\n\nrest");
        // Nothing more comes, and nobody waits for it.
        let request = Request::read(&mut head.as_bytes()).unwrap().unwrap();
        assert_eq!(request.rest, b"rest");
        assert!(matches!(request.route(&[HOST.to_owned()], false, &key), Some(Route::Page(..))));
        for (bytes, is_read) in [(MOST_HEAD_BYTES, true), (MOST_HEAD_BYTES + 1, false)] {
            let start = format!("GET / HTTP/1.1\r\nHost: {HOST}\r\na: ");
            let filler = "b".repeat(bytes - start.len() - 4);
            let head = format!("{start}{filler}\r\n\r\n");
            assert_eq!(Request::read(&mut head.as_bytes()).unwrap().is_some(), is_read, "{bytes}");
        }
    }

    #[test]
    fn an_endless_head_ends() {
        let endless = io::repeat(b'a');
        assert!(Request::read(&mut { endless }).unwrap().is_none());
        let lines = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(MOST_HEADERS + 1));
        assert!(Request::read(&mut lines.as_bytes()).unwrap().is_none());
    }
}

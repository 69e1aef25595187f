//! The head of a request: parsed within limits, and checked before anything else is done for it, as is the key that
//! lets a phone in; and answers, with the headers that each of them has.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use httparse::{EMPTY_HEADER, Header, Status};
use rand::{TryRng, rngs::SysRng};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use serde_json::Value;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{borrow::Cow, fmt};
use subtle::ConstantTimeEq;

const MOST_HEAD_BYTES: usize = 16 << 10;
/// Most header lines in a head.
const MOST_HEADERS: usize = 64;
/// The protocol of the live pictures, by which a browser knows that it was understood.
const PROTOCOL: &str = "setsight";
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
/// protocols: "setsight, KEY, PHONE". Other programs send the headers of every request.
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
    /// The key, for a phone whose user typed the code.
    Key,
    /// A photo to be read, of so many bytes.
    Photo(Body),
    /// A photo to be turned into a JPEG for a browser that cannot show it.
    Picture(Body),
    /// One live picture, where no WebSocket opens.
    Frame(Body),
    /// A WebSocket for live pictures: the key of its handshake, and whether it names [`PROTOCOL`].
    Live { phone: Phone, key: String, names_protocol: bool },
}

/// A photo that is announced.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Body {
    /// Who sends it.
    pub phone: Phone,
    /// Its length in bytes, if the head names it.
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
const PAGE: [(&str, &str, &str); 12] = [
    ("/", "text/html; charset=utf-8", include_str!("../page/index.html")),
    part!("page.css", "text/css; charset=utf-8"),
    part!("icon.svg", "image/svg+xml"),
    part!("words.js", "text/javascript; charset=utf-8"),
    part!("cards.js", "text/javascript; charset=utf-8"),
    part!("keep.js", "text/javascript; charset=utf-8"),
    part!("computer.js", "text/javascript; charset=utf-8"),
    part!("live.js", "text/javascript; charset=utf-8"),
    part!("correct.js", "text/javascript; charset=utf-8"),
    part!("play.js", "text/javascript; charset=utf-8"),
    part!("deck.js", "text/javascript; charset=utf-8"),
    part!("page.js", "text/javascript; charset=utf-8"),
];

fn header_values<'a>(headers: &'a [Header<'_>], name: &str) -> Option<Vec<&'a str>> {
    let named = headers.iter().filter(|one| one.name.eq_ignore_ascii_case(name));
    named.map(|one| std::str::from_utf8(one.value).ok()).collect()
}

/// `None` for two of them, which are one too many: a proxy on the way could mean the other.
fn single_header(headers: &[Header<'_>], name: &str) -> Option<Option<String>> {
    match header_values(headers, name)?[..] {
        [] => Some(None),
        [one] => Some(Some(one.trim().to_owned())),
        _ => None,
    }
}

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
        let all = |name| header_values(parsed.headers, name);
        let only = |name| single_header(parsed.headers, name);
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
                let protocols = lists.split(',').map(str::trim).filter(|one| !one.is_empty());
                let protocols = protocols.map(str::to_owned).collect();
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

    /// Whether it asks for the head of what GET is answered with (RFC 9110, 9.3.2).
    pub(crate) fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// What it asks for. `None` for what there is not and for who may not ask: without a host that
    /// is ours (else another site could give its own name this machine's address, DNS rebinding),
    /// from another site's page, or without the key.
    pub(crate) fn route(&self, hosts: &[String], is_secure: bool, key: &Key) -> Option<Route> {
        if !hosts.contains(&self.host) {
            return None;
        }
        let method = if self.is_head() { "GET" } else { &*self.method };
        if method == "GET"
            && self.upgrade.is_none()
            // Readers of codes and messengers add what they count by: `/?x`.
            && let Some(path) = self.target.split('?').next()
            && let Some(&(_, kind, text)) = PAGE.iter().find(|(page_path, ..)| *page_path == path)
        {
            return Some(Route::Page(kind, text));
        }
        let scheme = if is_secure { "https" } else { "http" };
        let home = format!("{scheme}://{}", self.host);
        if self.origin.as_ref().is_some_and(|origin| *origin != home) {
            return None;
        }
        if let Some(upgrade) = &self.upgrade {
            let (given, phone) = match &upgrade.protocols[..] {
                [_, given, phone] => (&**given, Phone::new(phone)?),
                [] | [_] => (self.key.as_deref()?, self.phone()?),
                _ => return None,
            };
            let protocol = upgrade.protocols.first();
            let is_live = self.method == "GET"
                && self.target == "/live"
                && protocol.is_none_or(|protocol| protocol == PROTOCOL);
            return (key.is(given) && is_live).then(|| Route::Live {
                phone,
                key: upgrade.key.clone(),
                names_protocol: protocol.is_some(),
            });
        }
        let given = self.key.as_deref()?;
        if !key.is(given) {
            let is_asked = (method, &*self.target) == ("GET", "/key");
            return (is_asked && key.is_code(given)).then_some(Route::Key);
        }
        match (method, &*self.target) {
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

pub(crate) struct Answer {
    status: &'static str,
    kind: &'static str,
    body: Cow<'static, [u8]>,
    /// The page may connect to these; of other answers nothing may do anything.
    page_of: Option<String>,
}

impl Answer {
    /// The answer to requests that are refused, and for pages that do not exist.
    pub(crate) fn nothing() -> Self {
        let body = Cow::Borrowed(&b"not found\n"[..]);
        Self { status: "404 Not Found", kind: "text/plain; charset=utf-8", body, page_of: None }
    }

    /// A part of the page; `host` is where it was asked for.
    pub(crate) fn page(kind: &'static str, text: &'static str, host: &str) -> Self {
        let body = Cow::Borrowed(text.as_bytes());
        Self { status: "200 OK", kind, body, page_of: Some(host.to_owned()) }
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self::new("200 OK", "application/json", value.to_string().into_bytes())
    }

    pub(crate) fn jpeg(bytes: Vec<u8>) -> Self {
        Self::new("200 OK", "image/jpeg", bytes)
    }

    /// What is wrong with a request that has the key, by a word that the page knows.
    pub(crate) fn wrong(status: &'static str, word: &str) -> Self {
        let body = serde_json::json!({ "error": word }).to_string();
        Self::new(status, "application/json", body.into_bytes())
    }

    /// The answer to a picture whose phone has sent another one.
    pub(crate) fn replaced() -> Self {
        Self::wrong("409 Conflict", "replaced")
    }

    fn new(status: &'static str, kind: &'static str, body: Vec<u8>) -> Self {
        Self { status, kind, body: Cow::Owned(body), page_of: None }
    }

    /// Writes it, or its head alone; the connection ends behind it.
    pub(crate) fn write(&self, out: &mut impl Write, is_head: bool) -> io::Result<()> {
        let policy = match &self.page_of {
            // Safari did not count WebSockets as 'self'.
            Some(host) => format!(
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
                 connect-src 'self' ws://{host} wss://{host}; base-uri 'none'; form-action 'none'; \
                 frame-ancestors 'none'"
            ),
            None => "default-src 'none'; frame-ancestors 'none'".to_owned(),
        };
        let head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nContent-Security-Policy: {policy}\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
             Permissions-Policy: camera=(self), microphone=(), geolocation=()\r\n\r\n",
            self.status,
            self.kind,
            self.body.len(),
        );
        let body = if is_head { &[] } else { &*self.body };
        out.write_all(&[head.as_bytes(), body].concat())?;
        out.flush()
    }
}

/// Asks for a body that waits for it (RFC 9110, 15.2.1).
pub(crate) fn ask_for_body(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    out.flush()
}

/// Accepts a WebSocket (RFC 6455, 4.2.2). Clients refuse a protocol that they have not named.
pub(crate) fn accept_socket(
    out: &mut impl Write,
    key: &str,
    names_protocol: bool,
) -> io::Result<()> {
    const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{GUID}").as_bytes());
    let accept = BASE64.encode(digest);
    let protocol = match names_protocol {
        true => format!("Sec-WebSocket-Protocol: {PROTOCOL}\r\n"),
        false => String::new(),
    };
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n{protocol}\r\n"
    );
    out.write_all(head.as_bytes())?;
    out.flush()
}

/// Length in bytes: 128 bits cannot be guessed.
const BYTES: usize = 16;
/// Characters of the code: 40 bits.
const CODE_CHARS: usize = 8;
/// Digits and letters that nobody takes for each other (Crockford's base 32).
const CODE_ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// One guess at the code is looked at in this time, from all phones together: all of them take 3,400 years.
const GUESS_PAUSE: Duration = Duration::from_millis(100);

/// A random key of 128 bits, new at each start. It stands in the fragment of the page's address,
/// which browsers send to nobody, and the page sends it in a header. With it comes a code, short enough
/// to be typed, for which the page gets the key.
pub(crate) struct Key {
    key: String,
    code: String,
    guessed: Mutex<Option<Instant>>,
}

impl Key {
    /// A new key from the system's randomness.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; BYTES + CODE_CHARS];
        SysRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
        let (key, code) = bytes.split_at(BYTES);
        let key = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let code = code.iter().map(|byte| char::from(CODE_ALPHABET[usize::from(byte % 32)]));
        Ok(Self { key, code: code.collect(), guessed: Mutex::default() })
    }

    /// The key as it stands in the address: 32 hexadecimal digits.
    pub(crate) fn text(&self) -> &str {
        &self.key
    }

    /// The code, as it is typed.
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// Whether this is the key; takes as long for one that is nearly right as for any other.
    pub(crate) fn is(&self, given: &str) -> bool {
        self.key.as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// Whether this is the code. One that comes too soon after another guess is not, even if it is right:
    /// else an attacker could guess without pauses.
    pub(crate) fn is_code(&self, given: &str) -> bool {
        if given.len() != CODE_CHARS {
            return false;
        }
        let mut guessed = self.guessed.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if guessed.is_some_and(|before| now.duration_since(before) < GUESS_PAUSE) {
            return false;
        }
        *guessed = Some(now);
        self.code.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
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
        let head = route(&key, &format!("HEAD / HTTP/1.1\nHost: {HOST}"));
        assert!(matches!(head, Some(Route::Page(..))));
        let refused = [
            "GET / HTTP/1.1\nHost: evil.example:8780".to_owned(),
            "GET / HTTP/1.1".to_owned(),
            format!("GET / HTTP/1.1\nHost: {HOST}\nHost: evil.example"),
            format!("POST / HTTP/1.1\nHost: {HOST}"),
            format!("GET /%3fx HTTP/1.1\nHost: {HOST}"),
            format!("GET /../page.css HTTP/1.1\nHost: {HOST}"),
            format!("GET /%2e%2e/etc/passwd HTTP/1.1\nHost: {HOST}"),
            format!("GET http://{HOST}/ HTTP/1.1\nHost: {HOST}"),
            format!("GET /page/index.html HTTP/1.1\nHost: {HOST}"),
        ];
        for head in refused {
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
    fn live_pictures_have_their_key_among_the_protocols_or_in_headers() {
        let key = Key::random().unwrap();
        let head = format!(
            "GET /live HTTP/1.1\nHost: {HOST}\nOrigin: http://{HOST}\nUpgrade: websocket\n\
             Connection: Upgrade\nSec-WebSocket-Version: 13\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\
             Sec-WebSocket-Protocol: setsight, KEY, {PHONE}"
        );
        let protocols = format!("Sec-WebSocket-Protocol: setsight, KEY, {PHONE}");
        let headers = format!("X-Setsight-Key: KEY\nX-Setsight-Phone: {PHONE}");
        let by_headers = head.replace(&protocols, &headers);
        for (head, named) in [
            (&head, true),
            (&by_headers, false),
            (&format!("{by_headers}\nSec-WebSocket-Protocol: setsight"), true),
        ] {
            let route = route(&key, head);
            let names = match &route {
                Some(Route::Live { names_protocol, .. }) => Some(*names_protocol),
                _ => None,
            };
            assert_eq!(names, Some(named), "{head}");
        }
        for wrong in [
            by_headers.replace("KEY", "x"),
            by_headers.replace(PHONE, "x"),
            by_headers.replace("GET", "HEAD"),
            by_headers.replace(&headers, ""),
            format!("{by_headers}\nSec-WebSocket-Protocol: chat"),
            format!("{by_headers}\nSec-WebSocket-Protocol: setsight, chat"),
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

    #[test]
    fn only_the_key_is_the_key() {
        let (key, other) = (Key::random().unwrap(), Key::random().unwrap());
        assert!(key.is(key.text()) && key.text().len() == 2 * BYTES);
        assert!(!key.is(other.text()) && !key.is("") && !key.is(&key.text()[1..]));
        assert!(!key.is(&key.text().to_uppercase()) || key.text().chars().all(char::is_numeric));
        assert_eq!(format!("{key:?}"), "Key(..)", "it is not to get into a log");
    }

    #[test]
    fn the_code_is_looked_at_once_in_a_while() {
        let key = Key::random().unwrap();
        assert!(key.code().len() == CODE_CHARS && key.code() != Key::random().unwrap().code());
        assert!(!key.is_code("") && !key.is_code(key.text()), "no guess at a code");
        assert!(key.is_code(key.code()));
        assert!(!key.is_code(key.code()), "too soon");
        std::thread::sleep(GUESS_PAUSE);
        assert!(!key.is_code("00000000"));
        assert!(!key.is_code(key.code()), "too soon after somebody's guess");
        std::thread::sleep(GUESS_PAUSE);
        assert!(key.is_code(key.code()));
        assert!(!key.is(key.code()), "it opens nothing by itself");
    }
}

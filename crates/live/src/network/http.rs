//! Asks a camera for its pictures over HTTP: one request, with one time limit until the head of its
//! answer is there, however slowly its bytes come. What follows comes as long as the camera sends.
//!
//! Name and password are sent to the scheme, host and port for which they were given, and nowhere
//! else; a redirection is followed on the same host only.

use super::Address;
use super::certificate::{Accepted, Pinned};
use crate::camera::CameraError;
use http_auth::{PasswordClient, PasswordParams};
use rustls::{ClientConnection, StreamOwned};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

/// The answer to a request.
pub(super) struct Answer {
    pub status: u16,
    /// The media type, in small letters; empty if there is none.
    pub kind: String,
    /// What follows the head. A read that takes longer than the patience fails.
    pub body: Box<dyn Read + Send>,
}

/// Longest head of an answer, in bytes.
const MOST_HEAD_BYTES: usize = 64 << 10;
/// Most header lines in a head.
const MOST_HEADERS: usize = 128;
/// Most redirections that are followed.
const MOST_REDIRECTIONS: u32 = 5;
/// How often a login is tried: what a server asks for may have expired by the time it is answered.
const MOST_LOGINS: u32 = 2;

/// Asks for what is at this address.
///
/// # Errors
/// See [`CameraError`]: nothing answers within `patience`, the certificate was not accepted, the
/// answer sends on to another host.
pub(super) fn get(
    address: &Address,
    patience: Duration,
    accepted: &Accepted,
) -> Result<Answer, CameraError> {
    let until = Instant::now() + patience;
    let mut url = address.url.clone();
    let mut login: Option<String> = None;
    let (mut redirections, mut logins) = (0, 0);
    loop {
        let at_home = url.origin() == address.url.origin();
        let credentials = address.credentials().filter(|_| at_home);
        let basic = || {
            let mut basic = PasswordClient::try_from("Basic realm=\"\"").ok()?;
            respond(&mut basic, credentials.as_ref()?, &url)
        };
        let authorization = login.take().or_else(basic);
        let one = Request { address, url: &url, patience, until, accepted };
        let head = one.send(authorization.as_deref())?;
        match head.status {
            301 | 302 | 303 | 307 | 308 if redirections < MOST_REDIRECTIONS => {
                redirections += 1;
                url = next_place(address, &url, head.header("location"))?;
            }
            401 if logins < MOST_LOGINS && head.asks_for_digest() => {
                logins += 1;
                let Some(credentials) = credentials else {
                    return Err(CameraError::Digest { address: address.to_string() });
                };
                let mut digest = head.login().ok_or_else(|| address.denied(401))?;
                login = respond(&mut digest, &credentials, &url);
            }
            status @ (401 | 403) => return Err(address.denied(status)),
            _ => return Ok(head.answer()),
        }
    }
}

/// Looks at the certificate of an `https` address and asks for nothing. It must be the one with this
/// fingerprint, or else the accepted one.
///
/// # Errors
/// As [`get`].
pub(super) fn greet(
    address: &Address,
    patience: Duration,
    accepted: &Accepted,
    fingerprint: Option<&str>,
) -> Result<(), CameraError> {
    let until = Instant::now() + patience;
    let url = &address.url;
    let known = fingerprint.map(str::to_owned).or_else(|| accepted.fingerprint_at(url));
    Request { address, url, patience, until, accepted }.connect(known).map(drop)
}

fn respond(
    client: &mut PasswordClient,
    (username, password): &(String, Option<String>),
    url: &Url,
) -> Option<String> {
    let (uri, password) = (&*path_of(url), password.as_deref().unwrap_or_default());
    client.respond(&PasswordParams { username, password, uri, method: "GET", body: None }).ok()
}

fn path_of(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

/// Where a redirection leads: to the same host only.
fn next_place(address: &Address, from: &Url, to: Option<&str>) -> Result<Url, CameraError> {
    let no_pictures =
        |reason: String| Err(CameraError::NoPictures { address: address.to_string(), reason });
    let next = to.and_then(|to| from.join(to).ok());
    let Some(mut next) = next else {
        return no_pictures("it sends on to nowhere".to_owned());
    };
    // Whoever answers does not choose the name and the password.
    let _ = next.set_username("");
    let _ = next.set_password(None);
    let is_web = ["http", "https"].contains(&next.scheme());
    if !is_web || next.host() != from.host() {
        let other = Address { url: next };
        return no_pictures(format!("it sends on to {other}, which is not asked"));
    }
    Ok(next)
}

/// One request.
struct Request<'a> {
    address: &'a Address,
    url: &'a Url,
    patience: Duration,
    until: Instant,
    accepted: &'a Accepted,
}

impl Request<'_> {
    fn unreachable(&self, error: &io::Error) -> CameraError {
        let reason = if super::is_late(error) {
            format!("no answer within {} s", self.patience.as_secs_f64())
        } else {
            self.address.without_secrets(&error.to_string())
        };
        CameraError::Unreachable { address: self.address.to_string(), reason }
    }

    /// Sends the request and reads the answer's head.
    fn send(&self, authorization: Option<&str>) -> Result<Head, CameraError> {
        let mut link = self.connect(self.accepted.fingerprint_at(self.url))?;
        let host = match (self.url.host_str(), self.url.port()) {
            (host, Some(port)) => format!("{}:{port}", host.unwrap_or_default()),
            (host, None) => host.unwrap_or_default().to_owned(),
        };
        let mut words = format!(
            "GET {} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: setsight\r\nAccept: */*\r\n\
             Connection: close\r\n",
            path_of(self.url)
        );
        if let Some(authorization) = authorization {
            words += &format!("Authorization: {authorization}\r\n");
        }
        words += "\r\n";
        link.write_all(words.as_bytes())
            .and_then(|()| link.flush())
            .and_then(|()| Head::read(link))
            .map_err(|error| self.unreachable(&error))
    }

    /// Connects; a certificate must have the known fingerprint.
    fn connect(&self, known: Option<String>) -> Result<Link, CameraError> {
        let connected = self.tcp().map_err(|error| self.unreachable(&error))?;
        let timed = Timed { tcp: connected, patience: self.patience, until: Some(self.until) };
        if self.url.scheme() != "https" {
            return Ok(Link::Plain(timed));
        }
        let pinned = Arc::new(Pinned::new(known));
        let mut tls = pinned
            .connection(self.url)
            .map(|connection| StreamOwned::new(connection, timed))
            .map_err(|error| self.unreachable(&error))?;
        while tls.conn.is_handshaking() {
            if let Err(error) = tls.conn.complete_io(&mut tls.sock) {
                let address = || self.address.to_string();
                return Err(match pinned.refused() {
                    Some(fingerprint) => {
                        let known = pinned.known.clone();
                        CameraError::Certificate { address: address(), fingerprint, known }
                    }
                    None => self.unreachable(&error),
                });
            }
        }
        Ok(Link::Tls(Box::new(tls)))
    }

    fn tcp(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::other("there is no such host");
        for place in self.url.socket_addrs(|| None)? {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            match TcpStream::connect_timeout(&place, left) {
                Ok(tcp) => {
                    tcp.set_write_timeout(Some(self.patience))?;
                    return Ok(tcp);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// A connection whose reads end in time: all of them together by `until`, or each within the
/// patience.
struct Timed {
    tcp: TcpStream,
    patience: Duration,
    until: Option<Instant>,
}

impl Read for Timed {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let left = left.unwrap_or(self.patience);
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.tcp.set_read_timeout(Some(left))?;
        self.tcp.read(to)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tcp.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}

enum Link {
    Plain(Timed),
    Tls(Box<StreamOwned<ClientConnection, Timed>>),
}

impl Link {
    /// From now on each read has the patience for itself.
    fn goes_on(&mut self) {
        match self {
            Self::Plain(timed) => timed.until = None,
            Self::Tls(tls) => tls.sock.until = None,
        }
    }
}

impl Read for Link {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(timed) => timed.read(to),
            Self::Tls(tls) => match tls.read(to) {
                // Cameras hang up without TLS's farewell.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
                other => other,
            },
        }
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(timed) => timed.write(bytes),
            Self::Tls(tls) => tls.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(timed) => timed.flush(),
            Self::Tls(tls) => tls.flush(),
        }
    }
}

/// The head of an answer, and the connection on which its body comes.
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
    /// The bytes of the body that came with the head.
    rest: Vec<u8>,
    link: Link,
}

impl Head {
    fn read(mut link: Link) -> io::Result<Self> {
        let mut bytes = Vec::new();
        loop {
            let mut some = [0; 2048];
            let n = link.read(&mut some)?;
            bytes.extend_from_slice(&some[..n]);
            // As browsers do: what does not begin with a status line is the body (HTTP 0.9), as
            // small boards with a camera send it.
            let begins = bytes.len().min(5);
            if begins > 0 && bytes[..begins] != b"HTTP/"[..begins] {
                return Ok(Self::without_status(bytes, link));
            }
            let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
            let mut head = httparse::Response::new(&mut headers);
            let mut lenient = httparse::ParserConfig::default();
            lenient
                .allow_spaces_after_header_name_in_responses(true)
                .ignore_invalid_headers_in_responses(true);
            let parsed = lenient.parse_response(&mut head, &bytes);
            match parsed.map_err(|error| io::Error::other(format!("no HTTP: {error}")))? {
                httparse::Status::Complete(length) => {
                    let status = head.code.unwrap_or(0);
                    let headers = head.headers.iter().map(|header| {
                        let value = String::from_utf8_lossy(header.value).trim().to_owned();
                        (header.name.to_lowercase(), value)
                    });
                    let headers = headers.collect();
                    let rest = bytes.split_off(length);
                    return Ok(Self { status, headers, rest, link });
                }
                _ if n == 0 => return Err(io::Error::other("it hung up")),
                _ if bytes.len() > MOST_HEAD_BYTES => {
                    return Err(io::Error::other("the head of its answer does not end"));
                }
                httparse::Status::Partial => {}
            }
        }
    }

    fn without_status(rest: Vec<u8>, link: Link) -> Self {
        Self { status: 200, headers: Vec::new(), rest, link }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| &**value)
    }

    fn challenges(&self) -> impl Iterator<Item = &str> {
        let asked = self.headers.iter().filter(|(name, _)| name == "www-authenticate");
        asked.map(|(_, value)| &**value)
    }

    /// Whether the server requires digest authentication (RFC 7616) and does not accept basic.
    fn asks_for_digest(&self) -> bool {
        matches!(self.login(), Some(PasswordClient::Digest(_)))
    }

    /// The way to log in that the server asks for.
    fn login(&self) -> Option<PasswordClient> {
        let all = self.challenges().fold(PasswordClient::builder(), |all, one| all.challenges(one));
        all.build().ok()
    }

    fn answer(mut self) -> Answer {
        self.link.goes_on();
        let chunked = self
            .header("transfer-encoding")
            .is_some_and(|way| way.to_lowercase().split(',').any(|part| part.trim() == "chunked"));
        let kind = self.header("content-type").unwrap_or_default().to_lowercase();
        let length = self.header("content-length").and_then(|length| length.parse().ok());
        let body = io::Cursor::new(self.rest).chain(self.link);
        let body: Box<dyn Read + Send> = match length {
            _ if chunked => Box::new(Chunked { input: BufReader::new(body), left: 0 }),
            // Some state one for an endless stream, too.
            Some(length) if !kind.starts_with("multipart/") => Box::new(body.take(length)),
            _ => Box::new(body),
        };
        Answer { status: self.status, kind, body }
    }
}

/// A body in chunks (RFC 9112, 7.1).
struct Chunked<R> {
    input: BufReader<R>,
    /// Bytes left in the present chunk.
    left: u64,
}

impl<R: Read> Chunked<R> {
    /// A line without its end.
    fn line(&mut self) -> io::Result<String> {
        /// A longer line is none.
        const MOST_BYTES: u64 = 1024;
        let mut line = Vec::new();
        self.input.by_ref().take(MOST_BYTES).read_until(b'\n', &mut line)?;
        Ok(String::from_utf8_lossy(&line).trim().to_owned())
    }
}

impl<R: Read> Read for Chunked<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let mut line = self.line()?;
            if line.is_empty() {
                line = self.line()?; // The end of the chunk before.
            }
            let length = line.split(';').next().unwrap_or_default().trim();
            if length.is_empty() {
                return Ok(0);
            }
            let bad = |_| io::Error::other("its chunks have no length");
            self.left = u64::from_str_radix(length, 16).map_err(bad)?;
            if self.left == 0 {
                return Ok(0);
            }
        }
        let most = to.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let n = self.input.read(&mut to[..most])?;
        self.left -= n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_put_together() {
        let read = |bytes: &'static [u8]| {
            let mut text = String::new();
            let mut chunked = Chunked { input: BufReader::with_capacity(3, bytes), left: 0 };
            chunked.read_to_string(&mut text).map(|_| text)
        };
        assert_eq!(read(b"4\r\nabcd\r\n3;x=y\r\nefg\r\n0\r\n\r\n").unwrap(), "abcdefg");
        assert_eq!(read(b"4\r\nab").unwrap(), "ab", "it hung up");
        assert!(read(b"zz\r\nab").is_err());
    }

    #[test]
    fn a_redirection_stays_on_its_host() {
        let address: Address = "http://ann:s3cret@10.0.0.7:8080/a/b".parse().unwrap();
        let next = |to: &str| next_place(&address, &address.url, Some(to));
        assert_eq!(next("/video").unwrap().as_str(), "http://10.0.0.7:8080/video");
        let other_port = next("http://bob:x@10.0.0.7:81/stream").unwrap();
        assert_eq!(other_port.as_str(), "http://10.0.0.7:81/stream");
        for to in ["http://10.0.0.8:8080/", "//evil/", "file:///etc/passwd", "rtsp://10.0.0.7/"] {
            let error = next(to).unwrap_err().to_string();
            assert!(error.contains("sends on to") && !error.contains("s3cret"), "{error}");
        }
    }
}

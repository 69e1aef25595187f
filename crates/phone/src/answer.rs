//! Answers, and the headers that each of them has.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use serde_json::Value;
use std::borrow::Cow;
use std::io::{self, Write};

/// An answer to a request.
pub(crate) struct Answer {
    status: &'static str,
    kind: &'static str,
    body: Cow<'static, [u8]>,
    /// The page may connect to these; of other answers nothing may do anything.
    page_of: Option<String>,
}

impl Answer {
    /// What whoever may not come in is told, and of what there is not.
    pub(crate) fn nothing() -> Self {
        let body = Cow::Borrowed(&b"not found\n"[..]);
        Self { status: "404 Not Found", kind: "text/plain; charset=utf-8", body, page_of: None }
    }

    /// A part of the page; `host` is where it was asked for.
    pub(crate) fn page(kind: &'static str, text: &'static str, host: &str) -> Self {
        let body = Cow::Borrowed(text.as_bytes());
        Self { status: "200 OK", kind, body, page_of: Some(host.to_owned()) }
    }

    /// A result.
    pub(crate) fn json(value: &Value) -> Self {
        Self::of("200 OK", "application/json", value.to_string().into_bytes())
    }

    /// A picture.
    pub(crate) fn jpeg(bytes: Vec<u8>) -> Self {
        Self::of("200 OK", "image/jpeg", bytes)
    }

    /// What is wrong with a request that has the key, by a word that the page knows.
    pub(crate) fn wrong(status: &'static str, word: &str) -> Self {
        let body = serde_json::json!({ "error": word }).to_string();
        Self::of(status, "application/json", body.into_bytes())
    }

    /// What a picture is told whose phone has sent another one.
    pub(crate) fn replaced() -> Self {
        Self::wrong("409 Conflict", "replaced")
    }

    fn of(status: &'static str, kind: &'static str, body: Vec<u8>) -> Self {
        Self { status, kind, body: Cow::Owned(body), page_of: None }
    }

    /// Writes it; the connection ends behind it.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
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
        out.write_all(&[head.as_bytes(), &self.body].concat())?;
        out.flush()
    }
}

/// Asks for a body that waits for it (RFC 9110, 15.2.1).
pub(crate) fn ask_for_body(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    out.flush()
}

/// Accepts a WebSocket (RFC 6455, 4.2.2).
pub(crate) fn accept_socket(out: &mut impl Write, key: &str, protocol: &str) -> io::Result<()> {
    const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{GUID}").as_bytes());
    let accept = BASE64.encode(digest);
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: {protocol}\r\n\r\n"
    );
    out.write_all(head.as_bytes())?;
    out.flush()
}

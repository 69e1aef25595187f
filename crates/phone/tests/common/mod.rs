//! A server with a fake reader, and what clients say to it.

#![allow(dead_code, reason = "each test file uses a part")]

use setsight_live::{FramePace, Session};
use setsight_phone::{Listen, Options, Reads, Server, ServerEvent};
use setsight_photo::{Frame, geometry::Quad, source::Photo};
use setsight_track::{Detector, Params};
use setsight_vision::{
    CardOutline, PhotoReading, PipelineError, PipelineOutput, ReadCard, Reading, TableFacts,
    TableReading, Trace,
};
use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, TcpStream},
    sync::{Arc, Mutex},
    time::Duration,
};

pub const PHONE: &str = "0123456789abcdef";

/// A photo of this width takes long to read.
pub const SLOW_PX: u32 = 333;

/// Reads one card on every photo, and nothing on live pictures.
struct Fake;

impl Detector for Fake {
    fn find(&self, _: &Frame) -> Result<Vec<CardOutline>, PipelineError> {
        Ok(Vec::new())
    }
    fn read(
        &self,
        _: &Frame,
        _: &[CardOutline],
        before: TableFacts,
        _: &mut Trace<'_>,
    ) -> Result<(Vec<Reading>, TableFacts), PipelineError> {
        Ok((Vec::new(), before))
    }
}

impl Reads for Fake {
    fn read(&self, photo: Photo, _: &mut Trace<'_>) -> Result<PhotoReading, String> {
        if photo.frame.width() == SLOW_PX {
            std::thread::sleep(Duration::from_millis(700));
        }
        let card = "2spd".parse().unwrap();
        let card = ReadCard::new(Quad::rectangle(9.0, 6.0), card, 0.99, false);
        let table = TableReading::new(vec![card], photo.frame.dimensions());
        Ok(PhotoReading::new(photo, PipelineOutput { table, ..PipelineOutput::default() }))
    }
    fn session(&self) -> io::Result<Session> {
        Session::new(Arc::new(Fake), Params::default(), FramePace::Newest)
    }
}

/// A running server, and its events.
pub struct World {
    pub server: Server,
    pub host: String,
    pub key: String,
    pub events: Arc<Mutex<Vec<String>>>,
    pub home: tempfile::TempDir,
}

impl World {
    pub fn new() -> Self {
        Self::listening(Ipv4Addr::LOCALHOST)
    }

    pub fn listening(at: Ipv4Addr) -> Self {
        let home = tempfile::tempdir().unwrap();
        let options = Options {
            listen: Listen::At(at.into(), None),
            certificate: Some(home.path().join("certificate.json")),
        };
        let events: Arc<Mutex<Vec<String>>> = Arc::default();
        let teller = Arc::clone(&events);
        let on_event = Box::new(move |event: ServerEvent<'_>| {
            let line = match event {
                ServerEvent::Came { phone } => format!("{phone} came"),
                ServerEvent::Photo { phone, bytes, .. } => format!("{phone} photo {}", bytes.len()),
                ServerEvent::NotRead { phone, .. } => format!("{phone} not read"),
                ServerEvent::Live { phone, .. } => format!("{phone} live"),
                ServerEvent::View { phone, view } => format!("{phone} view {}", view.number),
                ServerEvent::Left { phone, .. } => format!("{phone} left"),
            };
            teller.lock().unwrap().push(line);
        });
        let server = Server::start(&options, Box::new(Fake), on_event).unwrap();
        let address = server.addresses().swap_remove(0);
        let (host, key) = address.strip_prefix("http://").unwrap().split_once("/#").unwrap();
        let (host, key) = (host.to_owned(), key.to_owned());
        Self { server, host, key, events, home }
    }

    /// A connection on which nothing takes longer than a few seconds.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// The head of a request with the key.
    pub fn head(&self, first_line: &str) -> String {
        format!(
            "{first_line} HTTP/1.1\r\nHost: {}\r\nX-Setsight-Key: {}\r\nX-Setsight-Phone: {PHONE}\r\n",
            self.host, self.key
        )
    }

    /// The head of a request for a WebSocket.
    pub fn live_head(&self, phone: &str) -> String {
        format!(
            "GET /live HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Sec-WebSocket-Protocol: setsight, {1}, {phone}\r\n\r\n",
            self.host, self.key
        )
    }

    /// The connection of a phone that plays, and the head of the answer.
    pub fn live(&self, phone: &str) -> (TcpStream, String) {
        self.opened(&self.live_head(phone))
    }

    /// A connection that stays open behind the answer to this request, and the answer's head.
    pub fn opened(&self, request: &str) -> (TcpStream, String) {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            assert_eq!(stream.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&head));
            head.push(byte[0]);
        }
        (stream, String::from_utf8(head).unwrap())
    }

    /// Sends these bytes and gives all that comes back.
    pub fn exchange(&self, bytes: &[u8]) -> String {
        answer_of(self.connect(), bytes)
    }

    pub fn post(&self, path: &str, photo: &[u8]) -> String {
        self.post_as(PHONE, path, photo)
    }

    /// Posts a photo of another phone.
    pub fn post_as(&self, phone: &str, path: &str, photo: &[u8]) -> String {
        let head = self.head(&format!("POST {path}")).replace(PHONE, phone);
        let head = format!("{head}Content-Length: {}\r\n\r\n", photo.len());
        self.exchange(&[head.as_bytes(), photo].concat())
    }
}

/// Sends these bytes and gives all that comes back.
pub fn answer_of(mut stream: TcpStream, bytes: &[u8]) -> String {
    // A server that refuses closes before it has read everything.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

pub fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

/// A JPEG with some structure.
pub fn jpeg(level: u8) -> Vec<u8> {
    wide_jpeg(320, level)
}

/// The same of another width in pixels.
pub fn wide_jpeg(width: u32, level: u8) -> Vec<u8> {
    use image::{Rgb, RgbImage, codecs::jpeg::JpegEncoder};
    let image =
        RgbImage::from_fn(width, 240, |x, y| Rgb([level, (3 * x) as u8 | 64, (5 * y) as u8 | 64]));
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 90).encode_image(&image).unwrap();
    bytes
}

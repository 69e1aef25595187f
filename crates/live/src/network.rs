//! A phone or another network camera, by its address. Pictures over HTTP are asked for here
//! ([`http`]), over HTTPS if the address holds no secret. Other protocols (RTSP, ..), films, logins
//! over HTTPS and logins by digest are left to `ffmpeg`.

mod http;

use super::{
    camera::{Camera, CameraChoice, CameraError, CameraInfo, Cameras, Shot},
    capture::{Latest, Taken},
    ffmpeg::{FfmpegError, Input, NewestFrame},
    jpeg::{self, Jpegs, Piece},
};
use http::Answer;
use std::io::{self, Read};
use std::time::{Duration, Instant};
use std::{fmt, sync::Arc};
use url::Url;

/// A network address. Neither `Display` nor `Debug` shows its name and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
}

/// Network protocols only, no local files.
const SCHEMES: [&str; 8] = ["http", "https", "rtsp", "rtsps", "rtmp", "rtmps", "srt", "udp"];

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXAMPLE: &str = "expected one such as http://192.168.1.20:8080/video or \
                               rtsp://192.168.1.20:8554/live";
        // As browsers have it. What begins with a slash is a path.
        let is_complete = text.contains("://") || text.starts_with('/');
        let address = if is_complete { text.to_owned() } else { format!("http://{text}") };
        // The input may contain a password, so do not repeat it.
        let url =
            Url::parse(&address).map_err(|error| format!("no address ({error}); {EXAMPLE}"))?;
        if !SCHEMES.contains(&url.scheme()) {
            return Err(format!("this kind of address is not known here; {EXAMPLE}"));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(format!("the address names no host; {EXAMPLE}"));
        }
        Ok(Self { url })
    }
}

impl fmt::Display for Address {
    /// Leaves out name, password and query, which some apps use for passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.url.host_str().unwrap_or_default();
        write!(f, "{}://{host}", self.url.scheme())?;
        if let Some(port) = self.url.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(self.url.path())
    }
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl Address {
    /// Name and password, percent-decoded.
    fn credentials(&self) -> Option<(String, Option<String>)> {
        let name = self.url.username();
        let password = self.url.password().map(decoded);
        (!name.is_empty() || password.is_some()).then(|| (decoded(name), password))
    }

    /// Its name, password and query, which some apps use for passwords.
    fn secrets(&self) -> impl Iterator<Item = &str> {
        let secrets = [Some(self.url.username()), self.url.password(), self.url.query()];
        secrets.into_iter().flatten().filter(|secret| !secret.is_empty())
    }

    fn without_login(&self) -> Url {
        let mut url = self.url.clone();
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url
    }

    /// Whether [`http`] asks for it. Certificates are not checked there, so that anybody could be in
    /// between: a secret is sent over HTTPS by `ffmpeg`, which checks them.
    fn is_asked_here(&self) -> bool {
        match self.url.scheme() {
            "http" => true,
            "https" => self.secrets().next().is_none(),
            _ => false,
        }
    }

    fn denied(&self, status: u16) -> CameraError {
        CameraError::Denied { address: self.to_string(), status }
    }

    /// Removes the address's secrets from another program's message, which may contain the address.
    fn without_secrets(&self, words: &str) -> String {
        let mut words = words.replace(self.url.as_str(), &self.to_string());
        for secret in self.secrets() {
            words = words.replace(secret, "***");
        }
        words
    }
}

#[derive(Clone, Debug)]
pub struct NetworkCamera {
    pub address: Address,
    /// Time without a byte or without a complete picture after which the camera counts as silent.
    /// Phones may send one picture every other second.
    pub patience: Duration,
}

/// Default of [`NetworkCamera::patience`].
const PATIENCE: Duration = Duration::from_secs(5);

impl NetworkCamera {
    /// With the default patience.
    pub fn at(address: Address) -> Self {
        Self { address, patience: PATIENCE }
    }
}

impl Cameras for NetworkCamera {
    fn list(&self) -> Vec<CameraInfo> {
        vec![CameraInfo { number: 0, name: self.address.to_string() }]
    }

    fn open(&self, _: &CameraChoice) -> Result<Box<dyn Camera>, CameraError> {
        let by_ffmpeg = || {
            let input = Input::Address(self.address.url.as_str(), self.patience);
            Ok(Box::new(StreamCamera::open(self, input)?) as Box<dyn Camera>)
        };
        if !self.address.is_asked_here() {
            return by_ffmpeg();
        }
        let answer = self.ask()?;
        if answer.status == 401 {
            return by_ffmpeg();
        }
        if answer.kind.starts_with("video/") {
            return Ok(Box::new(StreamCamera::open(self, Input::Bytes(answer.body))?));
        }
        Ok(Box::new(HttpCamera::start(self, answer)))
    }
}

impl NetworkCamera {
    /// What the camera answers, if that may be pictures, or asks for a login that `ffmpeg` can give.
    fn ask(&self) -> Result<Answer, CameraError> {
        let answer = http::get(&self.address, self.patience)?;
        let no_pictures = |reason: String| {
            Err(CameraError::NoPictures { address: self.address.to_string(), reason })
        };
        match answer.status {
            200 => {}
            401 if answer.asks_for_digest && self.address.credentials().is_some() => {
                return Ok(answer);
            }
            status @ (401 | 403) => return Err(self.address.denied(status)),
            404 => return no_pictures("there is nothing of this name (HTTP 404)".to_owned()),
            status => return no_pictures(format!("it answers HTTP {status}")),
        }
        let kinds = ["multipart/", "image/jpeg", "image/jpg", "application/octet-stream", "video/"];
        if !(answer.kind.is_empty() || kinds.iter().any(|kind| answer.kind.starts_with(kind))) {
            return no_pictures(format!("it sends {}", answer.kind));
        }
        Ok(answer)
    }
}

/// The newest message: a picture not yet decoded, or why no more will come.
type Newest = Latest<Result<Vec<u8>, CameraError>>;

/// JPEGs over HTTP: Motion JPEG (`multipart/x-mixed-replace`, as browsers show it), or one for each
/// request.
struct HttpCamera {
    newest: Arc<Newest>,
    camera: NetworkCamera,
    opened: Instant,
}

impl HttpCamera {
    fn start(camera: &NetworkCamera, answer: Answer) -> Self {
        let newest = Arc::<Newest>::default();
        let (out, asked) = (Arc::clone(&newest), camera.clone());
        // Read all the time, so that old pictures do not pile up; only the newest is decoded.
        std::thread::spawn(move || {
            let Err(end) = receive(answer, &asked, &out) else { return };
            // A picture that is still waiting must be taken before the error replaces it.
            while !out.is_empty() && out.pause(Duration::from_millis(5)) {}
            out.put(Err(end));
        });
        Self { newest, camera: camera.clone(), opened: Instant::now() }
    }
}

/// Shortest time between two requests of a camera that answers each with one picture.
const BETWEEN_REQUESTS: Duration = Duration::from_millis(100);

/// Receives pictures until the stream fails or `out` is closed. A camera that answers a request with
/// one JPEG is asked again.
fn receive(first: Answer, camera: &NetworkCamera, out: &Newest) -> Result<(), CameraError> {
    let mut answer = first;
    loop {
        let asked = Instant::now();
        let is_one = answer.kind.starts_with("image/");
        let pictures = receive_stream(answer, camera, out)?;
        if out.is_closed() {
            return Ok(());
        }
        if !is_one || pictures == 0 {
            return Err(ended(&camera.address));
        }
        if !out.pause(BETWEEN_REQUESTS.saturating_sub(asked.elapsed())) {
            return Ok(());
        }
        answer = camera.ask()?;
    }
}

/// Receives the pictures of one answer; gives their number.
fn receive_stream(
    answer: Answer,
    camera: &NetworkCamera,
    out: &Newest,
) -> Result<usize, CameraError> {
    let NetworkCamera { address, patience } = camera;
    let mut jpegs = Jpegs::new(Wanted { body: answer.body, out });
    let mut last_complete = Instant::now();
    let mut pictures = 0;
    loop {
        match jpegs.next_piece() {
            Ok(Some(Piece::Whole(jpeg))) => {
                last_complete = Instant::now();
                pictures += 1;
                if !out.put(Ok(jpeg)) {
                    return Ok(pictures);
                }
            }
            Ok(Some(Piece::Half)) if last_complete.elapsed() > *patience => {
                return Err(CameraError::Broken { camera: address.to_string() });
            }
            Ok(Some(Piece::Half)) if out.is_closed() => return Ok(pictures),
            Ok(Some(Piece::Half)) => {}
            Ok(Some(Piece::Png)) => {
                let reason = "it sends PNG, and JPEG is read".to_owned();
                return Err(CameraError::NoPictures { address: address.to_string(), reason });
            }
            Ok(None) => return Ok(pictures),
            // Cameras hang up without TLS's farewell, and before the length that they announced.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(pictures),
            Err(error) if is_late(&error) => {
                return Err(camera.silent());
            }
            Err(error) => {
                let (address, reason) = (address.to_string(), error.to_string());
                return Err(CameraError::Unreachable { address, reason });
            }
        }
    }
}

/// A body that ends when nobody wants its pictures any longer, however slowly its bytes come.
struct Wanted<'a> {
    body: Box<dyn Read + Send>,
    out: &'a Newest,
}

impl Read for Wanted<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.out.is_closed() { Ok(0) } else { self.body.read(to) }
    }
}

fn ended(address: &Address) -> CameraError {
    let reason = "it has ended the stream".to_owned();
    CameraError::Unreachable { address: address.to_string(), reason }
}

fn is_late(error: &io::Error) -> bool {
    let error = error.get_ref().and_then(|error| error.downcast_ref::<ureq::Error>());
    matches!(error, Some(ureq::Error::Timeout(_)))
}

/// How much longer than its patience the receiving thread is waited for: it knows what is wrong.
const GRACE: Duration = Duration::from_millis(500);

impl Camera for HttpCamera {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        let NetworkCamera { address, patience } = &self.camera;
        let begun = Instant::now();
        loop {
            match self.newest.take((*patience + GRACE).saturating_sub(begun.elapsed())) {
                Taken::Item(Ok(jpeg)) => {
                    let reason = match jpeg::decode(&jpeg) {
                        Ok(image) => {
                            let shot = Shot::now(image, self.opened);
                            return Ok(Some(Shot { jpeg: Some(jpeg.into()), ..shot }));
                        }
                        Err(reason) => format!("a picture {reason}"),
                    };
                    if begun.elapsed() > *patience {
                        let address = address.to_string();
                        return Err(CameraError::NoPictures { address, reason });
                    }
                }
                Taken::Item(Err(error)) => return Err(error),
                Taken::Nothing | Taken::Closed => return Err(self.camera.silent()),
            }
        }
    }
}

impl Drop for HttpCamera {
    fn drop(&mut self) {
        self.newest.close(); // Its thread ends with the next picture or time-out.
    }
}

/// A stream that `ffmpeg` reads.
struct StreamCamera {
    ffmpeg: NewestFrame,
    camera: NetworkCamera,
    opened: Instant,
    /// Read when it was opened: errors only show at the first frame.
    first: Option<Shot>,
}

impl StreamCamera {
    fn open(camera: &NetworkCamera, input: Input) -> Result<Self, CameraError> {
        let ffmpeg = NewestFrame::start(input).map_err(|error| camera.stream_error(error))?;
        let (camera, opened) = (camera.clone(), Instant::now());
        let mut stream = Self { ffmpeg, camera, opened, first: None };
        stream.first = stream.read()?;
        Ok(stream)
    }
}

impl Camera for StreamCamera {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        match self.ffmpeg.next_frame(self.camera.patience + GRACE) {
            Some(Ok(Some(image))) => Ok(Some(Shot::now(image, self.opened))),
            Some(Ok(None)) => Err(ended(&self.camera.address)),
            Some(Err(error)) => Err(self.camera.stream_error(error)),
            None => Err(self.camera.silent()),
        }
    }
}

impl NetworkCamera {
    fn silent(&self) -> CameraError {
        let seconds = self.patience.as_secs();
        CameraError::Silent { camera: self.address.to_string(), seconds }
    }

    fn stream_error(&self, error: FfmpegError) -> CameraError {
        let address = self.address.to_string();
        let reason = match error {
            FfmpegError::Missing => return CameraError::NoFfmpeg { camera: address },
            FfmpegError::Unstarted(error) => error.to_string(),
            FfmpegError::Message(words) => self.address.without_secrets(&words),
        };
        // Match a separate word: ports and paths may contain these digits.
        let status = [401, 403]
            .into_iter()
            .find(|status| reason.split_whitespace().any(|word| word == status.to_string()));
        match status {
            Some(status) => CameraError::Denied { address, status },
            None => CameraError::Unreachable { address, reason },
        }
    }
}

#[cfg(test)]
mod tests;

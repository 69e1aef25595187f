//! A phone or another network camera, by its address. Motion JPEG over HTTP is read here,
//! everything else (RTSP, HTTPS, ..) by `ffmpeg`.

use super::camera::{Camera, CameraChoice, CameraError, CameraInfo, Cameras, Shot};
use super::ffmpeg::{Ffmpeg, FfmpegError, Input};
use super::jpeg::{self, Jpegs, Piece};
use super::latest::{Latest, Taken};
use attohttpc::{ErrorKind, ProxySettings};
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

/// A network address. Neither `Display` nor `Debug` shows its name and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
}

/// The schemes that are passed to ffmpeg: network protocols only, no local files.
const SCHEMES: [&str; 8] = ["http", "https", "rtsp", "rtsps", "rtmp", "rtmps", "srt", "udp"];

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXAMPLE: &str = "expected one such as http://192.168.1.20:8080/video or \
                               rtsp://192.168.1.20:8554/live";
        // As browsers have it. What begins with a slash is a path.
        let is_whole = text.contains("://") || text.starts_with('/');
        let whole = if is_whole { text.to_owned() } else { format!("http://{text}") };
        // The input may contain a password, so do not repeat it.
        let url = Url::parse(&whole).map_err(|error| format!("no address ({error}); {EXAMPLE}"))?;
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

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl Address {
    /// Name and password, percent-decoded.
    fn credentials(&self) -> Option<(String, Option<String>)> {
        let decoded = |text: &str| {
            percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
        };
        let name = self.url.username();
        let password = self.url.password().map(decoded);
        (!name.is_empty() || password.is_some()).then(|| (decoded(name), password))
    }

    /// Removes the address's secrets from another program's message, which may contain the address.
    fn without_secrets(&self, words: &str) -> String {
        let mut words = words.replace(self.url.as_str(), &self.to_string());
        let secrets = [Some(self.url.username()), self.url.password(), self.url.query()];
        for secret in secrets.into_iter().flatten().filter(|secret| !secret.is_empty()) {
            words = words.replace(secret, "***");
        }
        words
    }
}

/// A network camera.
#[derive(Clone, Debug)]
pub struct NetworkCamera {
    /// Its address.
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
        match self.address.url.scheme() {
            "http" => match HttpCamera::open(&self.address, self.patience) {
                Ok(camera) => Ok(Box::new(camera)),
                // ffmpeg supports digest authentication.
                Err(CameraError::Digest { .. }) if self.address.credentials().is_some() => {
                    Ok(Box::new(StreamCamera::open(&self.address)?))
                }
                Err(error) => Err(error),
            },
            _ => Ok(Box::new(StreamCamera::open(&self.address)?)),
        }
    }
}

/// The newest message: a picture not yet decoded, or why no more will come.
type Newest = Latest<Result<Vec<u8>, CameraError>>;

/// Motion JPEG over HTTP (`multipart/x-mixed-replace`, as browsers show it).
struct HttpCamera {
    newest: Arc<Newest>,
    address: Address,
    patience: Duration,
    opened: Instant,
}

impl HttpCamera {
    fn open(address: &Address, patience: Duration) -> Result<Self, CameraError> {
        let name = || address.to_string();
        let mut plain = address.url.clone();
        // This fails only for an address without a host, which was refused earlier.
        let _ = plain.set_username("");
        let _ = plain.set_password(None);
        let mut request = attohttpc::get(plain.as_str())
            .connect_timeout(patience)
            .read_timeout(patience)
            // A phone is in the local network: bypass any proxy.
            .proxy_settings(ProxySettings::builder().build());
        if let Some((name, password)) = address.credentials() {
            request = request.basic_auth(name, password);
        }
        let answer = request.send().map_err(|error| {
            let reason = match error.kind() {
                ErrorKind::Io(error) if is_late(error) => {
                    format!("no answer within {} s", patience.as_secs_f64())
                }
                ErrorKind::Io(error) => address.without_secrets(&error.to_string()),
                _ => address.without_secrets(&error.to_string()),
            };
            CameraError::Unreachable { address: name(), reason }
        })?;
        let status = answer.status();
        let no_pictures = |reason: String| CameraError::NoPictures { address: name(), reason };
        match status.as_u16() {
            200 => {}
            401 if asks_for_digest(&answer) => return Err(CameraError::Digest { address: name() }),
            status @ (401 | 403) => return Err(CameraError::Denied { address: name(), status }),
            404 => return Err(no_pictures("there is nothing of this name (HTTP 404)".to_owned())),
            _ => return Err(no_pictures(format!("it answers HTTP {status}"))),
        }
        let kind = answer.headers().get("content-type");
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_lowercase();
        let is_stream = ["multipart/", "image/jpeg", "application/octet-stream"]
            .iter()
            .any(|k| kind.starts_with(k));
        if !(is_stream || kind.is_empty()) {
            return Err(no_pictures(format!("it sends {kind}")));
        }
        let (_, _, body) = answer.split();
        let newest = Arc::<Newest>::default();
        let (out, camera) = (Arc::clone(&newest), name());
        // Read all the time, so that old pictures do not pile up; only the newest is decoded.
        std::thread::spawn(move || receive(body, &out, &camera, patience));
        Ok(Self { newest, address: address.clone(), patience, opened: Instant::now() })
    }
}

/// Whether the server requires digest authentication (RFC 7616) and does not accept basic.
fn asks_for_digest(answer: &attohttpc::Response) -> bool {
    let asked = answer.headers().get_all("www-authenticate").iter();
    let ways: Vec<String> =
        asked.filter_map(|way| way.to_str().ok()).map(str::to_lowercase).collect();
    let any = |name: &str| ways.iter().any(|way| way.trim_start().starts_with(name));
    any("digest") && !any("basic")
}

/// Reads until the stream fails or `out` is closed.
fn receive(body: impl Read, out: &Newest, camera: &str, patience: Duration) {
    let camera = || camera.to_owned();
    let mut jpegs = Jpegs::new(body);
    let mut whole = Instant::now();
    let end = loop {
        match jpegs.next_piece() {
            Ok(Some(Piece::Whole(jpeg))) => {
                whole = Instant::now();
                if !out.put(Ok(jpeg)) {
                    return;
                }
            }
            Ok(Some(Piece::Half)) if whole.elapsed() > patience => {
                break CameraError::Broken { camera: camera() };
            }
            Ok(Some(Piece::Half)) => {
                if out.is_closed() {
                    return;
                }
            }
            Ok(None) => {
                let reason = "it has ended the stream".to_owned();
                break CameraError::Unreachable { address: camera(), reason };
            }
            Err(error) if is_late(&error) => {
                break CameraError::Silent { camera: camera(), seconds: patience.as_secs() };
            }
            Err(error) => {
                let reason = error.to_string();
                break CameraError::Unreachable { address: camera(), reason };
            }
        }
    };
    // A picture that is still waiting must be taken before the error replaces it.
    while !out.is_empty() && out.pause(Duration::from_millis(5)) {}
    out.put(Err(end));
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

impl Camera for HttpCamera {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        let begun = Instant::now();
        loop {
            match self.newest.take(self.patience) {
                Taken::Item(Ok(jpeg)) => {
                    let taken = Instant::now();
                    if let Ok(image) = jpeg::decode(&jpeg) {
                        let time_ms = taken.duration_since(self.opened).as_secs_f64() * 1e3;
                        return Ok(Some(Shot {
                            frame: Arc::new(image),
                            time_ms,
                            taken,
                            jpeg: Some(jpeg.into()),
                            times: Vec::new(),
                        }));
                    }
                    if begun.elapsed() > self.patience {
                        return Err(CameraError::Broken { camera: self.address.to_string() });
                    }
                }
                Taken::Item(Err(error)) => return Err(error),
                // The reading thread reports the stream's own time-outs, slightly later.
                Taken::Nothing if begun.elapsed() < 2 * self.patience => {}
                Taken::Nothing | Taken::Closed => {
                    let (camera, seconds) = (self.address.to_string(), self.patience.as_secs());
                    return Err(CameraError::Silent { camera, seconds });
                }
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
    ffmpeg: Ffmpeg,
    address: Address,
    opened: Instant,
}

impl StreamCamera {
    fn open(address: &Address) -> Result<Self, CameraError> {
        let ffmpeg = Ffmpeg::start(Input::Address(address.url.as_str()));
        let ffmpeg = ffmpeg.map_err(|error| stream_error(error, address))?;
        let mut camera = Self { ffmpeg, address: address.clone(), opened: Instant::now() };
        // Errors only show at the first frame.
        camera.read()?;
        Ok(camera)
    }
}

fn stream_error(error: FfmpegError, address: &Address) -> CameraError {
    let reason = match error {
        FfmpegError::Missing => return CameraError::NoFfmpeg { camera: address.to_string() },
        FfmpegError::Unstarted(error) => error.to_string(),
        FfmpegError::Said(words) => address.without_secrets(&words),
    };
    // Match a separate word: ports and paths may contain these digits.
    let says = |status: &u16| reason.split_whitespace().any(|word| word == status.to_string());
    let address = address.to_string();
    match [401, 403].into_iter().find(says) {
        Some(status) => CameraError::Denied { address, status },
        None => CameraError::Unreachable { address, reason },
    }
}

impl Camera for StreamCamera {
    fn read(&mut self) -> Result<Option<Shot>, CameraError> {
        let next = self.ffmpeg.next_frame().map_err(|error| stream_error(error, &self.address))?;
        let ended = || CameraError::Unreachable {
            address: self.address.to_string(),
            reason: "it has ended the stream".to_owned(),
        };
        let (image, _) = next.ok_or_else(ended)?;
        Ok(Some(Shot::now(image, self.opened)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_secrets() {
        let address: Address =
            "http://ann:s3cret%21@10.0.0.7:8080/video?pwd=hidden".parse().unwrap();
        assert_eq!(address.to_string(), "http://10.0.0.7:8080/video");
        assert_eq!(format!("{address:?}"), "Address(http://10.0.0.7:8080/video)");
        let (name, password) = address.credentials().unwrap();
        assert_eq!((&*name, password.as_deref()), ("ann", Some("s3cret!")));
        let words = "rtsp failed: http://ann:s3cret%21@10.0.0.7:8080/video?pwd=hidden: s3cret%21";
        let told = address.without_secrets(words);
        assert!(!told.contains("s3cret") && !told.contains("hidden"), "{told}");
        assert_eq!("http://10.0.0.7/".parse::<Address>().unwrap().credentials(), None);
    }

    #[test]
    fn an_address_without_a_scheme_is_http() {
        for (text, told) in [
            ("192.168.1.20:8080/video", "http://192.168.1.20:8080/video"),
            ("phone:8080/video", "http://phone:8080/video"),
            ("ann:s3cret@phone", "http://phone/"),
            ("rtsp://phone:8554/live", "rtsp://phone:8554/live"),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), told);
        }
    }

    #[test]
    fn a_port_that_looks_like_a_refusal_is_none() {
        let address: Address = "rtsp://10.0.0.7:40187/live403".parse().unwrap();
        let told = |words: &str| stream_error(FfmpegError::Said(words.to_owned()), &address);
        let refused = told("Connection to tcp://10.0.0.7:40187?timeout=5 failed: /live403");
        assert!(matches!(refused, CameraError::Unreachable { .. }), "{refused:?}");
        let denied = told("method DESCRIBE failed: 401 Unauthorized");
        assert!(matches!(denied, CameraError::Denied { status: 401, .. }), "{denied:?}");
    }

    #[test]
    fn what_is_no_address_is_refused_without_saying_it_again() {
        for (text, words) in [
            ("", "no address"),
            ("/video", "no address"),
            ("file:///etc/passwd", "kind of address is not known"),
            ("http://", "no address"),
        ] {
            let error = text.parse::<Address>().unwrap_err();
            assert!(error.contains(words) && error.contains("http://192"), "{text}: {error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}

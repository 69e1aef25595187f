//! Asks a camera for its pictures over HTTP. The head of its answer has a time limit, however slowly
//! its bytes come. What follows comes as long as the camera sends.
//!
//! Name and password are sent to the scheme, host and port for which they were given, and nowhere
//! else; a redirection is followed on the same host only.
//!
//! Hardly any camera's certificate is signed by an authority, so each is accepted once by its
//! fingerprint, as by SSH, and from then on none but that one.

use super::Address;
use crate::camera::CameraError;
use base64::prelude::{BASE64_STANDARD, Engine};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use setsight_files::{small_file::read_text, whole_file::write_whole};
use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};
#[cfg(test)]
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};
use ureq::http::{Response, header};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, TcpConnector,
    Transport, TransportAdapter,
};
use ureq::{Agent, Body, Error};
use url::Url;

pub(super) struct Answer {
    pub status: u16,
    /// The media type, in small letters; empty if there is none.
    pub kind: String,
    /// Whether it asks for a login by digest (RFC 7616), and takes none by basic.
    pub asks_for_digest: bool,
    /// What follows the head. A read that takes longer than the patience fails.
    pub body: Box<dyn Read + Send>,
}

const MOST_REDIRECTIONS: u32 = 5;

/// Asks for what is at this address.
pub(super) fn get(
    address: &Address,
    patience: Duration,
    accepted: &Accepted,
) -> Result<Answer, CameraError> {
    let mut url = address.url.clone();
    let mut redirections = 0;
    loop {
        let at_home = url.origin() == address.url.origin();
        let answer = ask(address, &url, patience, accepted.fingerprint_at(&url))?;
        let header = |name| answer.headers().get(name).and_then(|value| value.to_str().ok());
        match answer.status().as_u16() {
            301 | 302 | 303 | 307 | 308 if redirections < MOST_REDIRECTIONS => {
                redirections += 1;
                url = next_place(address, &url, header(header::LOCATION))?;
            }
            status => {
                let ways = answer.headers().get_all(header::WWW_AUTHENTICATE).iter();
                let ways: Vec<_> = ways.map(|way| way.as_bytes().to_ascii_lowercase()).collect();
                let is_asked = at_home && !ways.is_empty();
                let asks_for_digest = is_asked && ways.iter().all(|way| way.starts_with(b"digest"));
                let kind = header(header::CONTENT_TYPE).unwrap_or_default().to_lowercase();
                let body = Box::new(answer.into_body().into_reader());
                return Ok(Answer { status, kind, asks_for_digest, body });
            }
        }
    }
}

/// Looks at the certificate of an `https` address. It must be the one with this fingerprint, or else
/// the accepted one.
pub(super) fn greet(
    address: &Address,
    patience: Duration,
    accepted: &Accepted,
    fingerprint: Option<&str>,
) -> Result<(), CameraError> {
    let url = &address.url;
    let known = fingerprint.map(str::to_owned).or_else(|| accepted.fingerprint_at(url));
    ask(address, url, patience, known).map(drop)
}

/// Sends a request and reads the head of the answer. A certificate must have the known fingerprint.
fn ask(
    address: &Address,
    url: &Url,
    patience: Duration,
    known: Option<String>,
) -> Result<Response<Body>, CameraError> {
    let pinned = Arc::new(Pinned::new(known));
    let config = Agent::config_builder()
        .proxy(None)
        .user_agent("setsight")
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_resolve(Some(patience))
        .timeout_connect(Some(patience))
        .timeout_recv_response(Some(patience))
        .timeout_per_read(Some(patience))
        .timeout_per_write(Some(patience))
        .build();
    let connector = ().chain(TcpConnector::default()).chain(Tls(Arc::clone(&pinned)));
    let mut bare = url.clone();
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    let agent = Agent::with_parts(config, connector, DefaultResolver::default());
    let mut request = agent.get(bare.as_str()).header(header::CONNECTION, "close");
    let login = address.credentials().filter(|_| url.origin() == address.url.origin());
    if let Some((name, password)) = login {
        let pair = format!("{name}:{}", password.unwrap_or_default());
        let login = format!("Basic {}", BASE64_STANDARD.encode(pair));
        request = request.header(header::AUTHORIZATION, login);
    }
    request.call().map_err(|error| {
        let place = address.to_string();
        if let Some(fingerprint) = pinned.refused() {
            let known = pinned.known.clone();
            return CameraError::Certificate { address: place, fingerprint, known };
        }
        let reason = match error {
            Error::Timeout(_) => format!("no answer within {} s", patience.as_secs_f64()),
            Error::Io(error) => address.without_secrets(&error.to_string()),
            error => address.without_secrets(&error.to_string()),
        };
        CameraError::Unreachable { address: place, reason }
    })
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

/// Speaks TLS to whoever has the pinned certificate.
#[derive(Debug)]
struct Tls(Arc<Pinned>);

impl<In: Transport> Connector<In> for Tls {
    type Out = Either<In, TlsTransport>;

    fn connect(
        &self,
        details: &ConnectionDetails,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(tcp) = chained else { return Ok(None) };
        if !details.needs_tls() {
            return Ok(Some(Either::A(tcp)));
        }
        let mut conn = self.0.connection(details.uri.host().unwrap_or_default())?;
        let mut sock = TransportAdapter::new(tcp.boxed(), Arc::clone(&details.current_time));
        sock.set_timeout(details.timeout);
        conn.complete_io(&mut sock)?;
        let config = details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Some(Either::B(TlsTransport { buffers, stream: StreamOwned { conn, sock } })))
    }
}

struct TlsTransport {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl fmt::Debug for TlsTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsTransport")
    }
}

impl Transport for TlsTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.sock.set_timeout(timeout);
        Ok(self.stream.write_all(&self.buffers.output()[..amount])?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.sock.set_timeout(timeout);
        let amount = match self.stream.read(self.buffers.input_append_buf()) {
            // Cameras hang up without TLS's farewell.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
            other => other?,
        };
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

/// The certificates that the user has accepted, by host and port, in a file of JSON.
#[derive(Clone, Debug)]
pub(super) struct Accepted {
    file: Option<PathBuf>,
}

/// A longer file is none of this program's, in bytes.
const MOST_BYTES: u64 = 1 << 20;

impl Accepted {
    /// Those of this user.
    pub(super) fn of_user() -> Self {
        let file = dirs::config_dir().map(|folder| folder.join("setsight").join("cameras.json"));
        Self { file }
    }

    /// Those in a file that need not exist.
    #[cfg(test)]
    pub(super) fn at(file: &Path) -> Self {
        Self { file: Some(file.to_owned()) }
    }

    fn all(&self) -> io::Result<BTreeMap<String, String>> {
        let Some(file) = &self.file else { return Ok(BTreeMap::new()) };
        match read_text(file, MOST_BYTES) {
            Ok(text) => serde_json::from_str(&text).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error),
        }
    }

    /// What was accepted for this host and port. A file that cannot be read accepts nothing.
    pub(super) fn fingerprint_at(&self, url: &Url) -> Option<String> {
        self.all().unwrap_or_default().remove(&place_of(url))
    }

    /// Accepts a certificate from now on.
    pub(super) fn accept(&self, url: &Url, fingerprint: &str) -> io::Result<()> {
        let file = self.file.as_ref().ok_or_else(|| io::Error::other("no folder for settings"))?;
        let mut all = self.all()?;
        all.insert(place_of(url), fingerprint.to_owned());
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        write_whole(file, &serde_json::to_vec_pretty(&all)?)
    }
}

/// Host and port.
fn place_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    format!("{host}:{}", url.port_or_known_default().unwrap_or_default())
}

/// The SHA-256 of a certificate, as `openssl x509 -fingerprint -sha256` and browsers show it.
fn fingerprint_of(certificate: &[u8]) -> String {
    let bytes = Sha256::digest(certificate);
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

/// A fingerprint as it is kept; `None` if the text is none.
pub fn fingerprint_in(text: &str) -> Option<String> {
    let text = text.trim().to_uppercase();
    let digits: Vec<char> =
        text.trim_start_matches("SHA256").chars().filter(|c| !": =".contains(*c)).collect();
    let is_whole = digits.len() == 64 && digits.iter().all(char::is_ascii_hexdigit);
    is_whole.then(|| digits.chunks(2).map(String::from_iter).collect::<Vec<_>>().join(":"))
}

/// Lets pass the one certificate that was accepted.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) known: Option<String>,
    refused: Mutex<Option<String>>,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    pub(super) fn new(known: Option<String>) -> Self {
        Self { known, refused: Mutex::default(), provider: Arc::new(ring::default_provider()) }
    }

    /// A connection to this host that has not begun.
    pub(super) fn connection(self: &Arc<Self>, host: &str) -> io::Result<ClientConnection> {
        let host = host.trim_matches(['[', ']']).to_owned();
        let host = ServerName::try_from(host).map_err(io::Error::other)?;
        let config = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(self) as Arc<dyn ServerCertVerifier>)
            .with_no_client_auth();
        ClientConnection::new(Arc::new(config), host).map_err(io::Error::other)
    }

    /// The certificate that was not let pass.
    pub(super) fn refused(&self) -> Option<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let found = fingerprint_of(certificate);
        if self.known.as_ref() == Some(&found) {
            return Ok(ServerCertVerified::assertion());
        }
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        Err(rustls::Error::General("this certificate was not accepted".to_owned()))
    }

    // That the camera has the certificate's key is checked as for any other.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_fingerprint_is_one_however_it_is_written() {
        let shown = fingerprint_of(b"a certificate");
        assert_eq!(shown.len(), 95);
        for text in
            [shown.clone(), shown.to_lowercase(), shown.replace(':', ""), format!("SHA256:{shown}")]
        {
            assert_eq!(fingerprint_in(&text).as_ref(), Some(&shown), "{text}");
        }
        assert_eq!(fingerprint_in("AB:CD"), None);
        assert_eq!(fingerprint_in(&"xy".repeat(32)), None);
    }

    #[test]
    fn what_was_accepted_is_remembered_by_host_and_port() {
        let home = tempfile::tempdir().unwrap();
        let accepted = Accepted::at(&home.path().join("setsight/cameras.json"));
        let url = |text: &str| Url::parse(text).unwrap();
        accepted.accept(&url("https://10.0.0.7/video"), "AB").unwrap();
        accepted.accept(&url("https://10.0.0.7:8443/video"), "CD").unwrap();
        let known = |text: &str| accepted.fingerprint_at(&url(text));
        assert_eq!(known("https://10.0.0.7:443/other").as_deref(), Some("AB"));
        assert_eq!(known("https://10.0.0.7:8443/").as_deref(), Some("CD"));
        assert_eq!(known("https://10.0.0.8/video"), None);
    }
}

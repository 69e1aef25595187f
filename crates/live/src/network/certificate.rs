//! Certificates of cameras. Hardly any is signed by an authority, so each is accepted once by its
//! fingerprint, as by SSH, and from then on none but that one.

use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use setsight_files::{small_file::read_small, whole_file::write_whole};
use sha2::{Digest, Sha256};
#[cfg(test)]
use std::path::Path;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::{collections::BTreeMap, io};
use url::Url;

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
        match read_small(file, MOST_BYTES) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::other),
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
    ) -> Result<ServerCertVerified, Error> {
        let found = fingerprint_of(certificate);
        if self.known.as_ref() == Some(&found) {
            return Ok(ServerCertVerified::assertion());
        }
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        Err(Error::General("this certificate was not accepted".to_owned()))
    }

    // That the camera has the certificate's key is checked as for any other.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
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

//! Connections whose reads and writes have time limits, in the clear or over TLS. The certificate of
//! HTTPS is made once by this program itself and kept, so that a phone accepts it once.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde::{Deserialize, Serialize};
use setsight_files::small_file::{MAX_SETTINGS_BYTES, read_text};
use setsight_files::whole_file::WholeFile;
use sha2::{Digest, Sha256};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A connection on which each read and write ends within [`PAUSE`], and all of them by a time.
pub(crate) struct Socket {
    tcp: TcpStream,
    until: Instant,
}

/// Longest time for one read or write.
const PAUSE: Duration = Duration::from_secs(10);

/// First byte of a TLS connection: a record of the handshake (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;

impl Socket {
    fn limit(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok(Some(left.min(PAUSE)))
    }
}

impl Read for Socket {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.tcp.set_read_timeout(self.limit()?)?;
        self.tcp.read(to)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tcp.set_write_timeout(self.limit()?)?;
        self.tcp.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}

/// A connection that a phone has opened.
pub(crate) enum Stream {
    /// HTTP.
    Plain(Socket),
    /// HTTPS.
    Secure(Box<StreamOwned<ServerConnection, Socket>>),
}

impl Stream {
    /// Takes a connection, which speaks TLS if its first byte says so. All that follows must be done
    /// within `limit`, see [`Self::allow`].
    pub(crate) fn open(
        tcp: TcpStream,
        tls: &Arc<ServerConfig>,
        limit: Duration,
    ) -> io::Result<Self> {
        tcp.set_nodelay(true)?;
        let socket = Socket { tcp, until: Instant::now() + limit };
        socket.tcp.set_read_timeout(socket.limit()?)?;
        let mut first = [0];
        if socket.tcp.peek(&mut first)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if first[0] != HANDSHAKE {
            return Ok(Self::Plain(socket));
        }
        let connection = ServerConnection::new(Arc::clone(tls)).map_err(io::Error::other)?;
        Ok(Self::Secure(Box::new(StreamOwned::new(connection, socket))))
    }

    pub(crate) fn is_secure(&self) -> bool {
        matches!(self, Self::Secure(_))
    }

    /// All that follows must be done within this time from now.
    pub(crate) fn allow(&mut self, limit: Duration) {
        self.socket().until = Instant::now() + limit;
    }

    /// A second handle on the connection, to end it from another thread.
    pub(crate) fn handle(&mut self) -> io::Result<TcpStream> {
        self.socket().tcp.try_clone()
    }

    /// Says that nothing more is sent, and reads what still comes for a moment: closing with
    /// unread bytes would take the answer back before it is read.
    pub(crate) fn finish(mut self) {
        /// Bytes and time for what is on its way.
        const MOST: usize = 256 << 10;
        const LIMIT: Duration = Duration::from_millis(300);
        if let Self::Secure(tls) = &mut self {
            tls.conn.send_close_notify();
            let _ = tls.flush();
        }
        self.allow(LIMIT);
        let socket = self.socket();
        let _ = socket.tcp.shutdown(std::net::Shutdown::Write);
        let (mut rest, mut bytes) = ([0; 8 << 10], 0);
        while bytes < MOST {
            match socket.read(&mut rest) {
                Ok(1..) => bytes += rest.len(),
                Ok(0) | Err(_) => return,
            }
        }
    }

    fn socket(&mut self) -> &mut Socket {
        match self {
            Self::Plain(socket) => socket,
            Self::Secure(tls) => &mut tls.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(to),
            Self::Secure(tls) => tls.read(to),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Secure(tls) => tls.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Secure(tls) => tls.flush(),
        }
    }
}

/// How long it is valid: Apple's systems accept none for longer.
const VALID: Duration = Duration::from_secs(825 * 24 * 3600);
/// It begins so long before it is made: clocks of phones and computers differ.
const SLACK: Duration = Duration::from_secs(24 * 3600);
/// One that ends sooner than this is made anew.
const REST: Duration = Duration::from_secs(30 * 24 * 3600);

/// What HTTPS needs.
pub(crate) struct Certificate {
    pub config: Arc<ServerConfig>,
    /// Its SHA-256, as browsers show it.
    pub fingerprint: String,
    /// Why it is not kept, so that a phone will have to accept another one next time.
    pub not_kept: Option<io::Error>,
}

/// The file, which its owner alone can read.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The end of its validity, in seconds since 1970.
    until_s: u64,
    /// X.509 in DER, as base64.
    certificate: String,
    /// Its private key, PKCS #8 in DER, as base64.
    key: String,
}

/// Where it is kept for this user.
pub(crate) fn usual_file() -> Option<PathBuf> {
    dirs::data_dir().map(|folder| folder.join("setsight").join("phone-certificate.json"))
}

/// The kept certificate, or a new one for these addresses.
pub(crate) fn certificate(file: Option<&Path>, addresses: &[IpAddr]) -> io::Result<Certificate> {
    if let Some(file) = file
        // A file that cannot be read counts for none.
        && let Ok(text) = read_text(file, MAX_SETTINGS_BYTES)
        && let Ok(kept) = serde_json::from_str::<Kept>(&text)
        && let Some((config, fingerprint)) = kept.valid_config()
    {
        return Ok(Certificate { config, fingerprint, not_kept: None });
    }
    let new = Kept::new(addresses)?;
    let (config, fingerprint) = new.config()?;
    let kept = match file {
        Some(file) => new.write(file),
        None => Err(io::Error::new(io::ErrorKind::NotFound, "there is no folder for data")),
    };
    Ok(Certificate { config, fingerprint, not_kept: kept.err() })
}

impl Kept {
    fn new(addresses: &[IpAddr]) -> io::Result<Self> {
        let names = addresses.iter().map(IpAddr::to_string).chain(["localhost".to_owned()]);
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let mut params =
            CertificateParams::new(names.collect::<Vec<_>>()).map_err(io::Error::other)?;
        params.distinguished_name.push(DnType::CommonName, "setsight on this network");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let now = SystemTime::now();
        params.not_before = (now - SLACK).into();
        params.not_after = (now + VALID).into();
        let certificate = params.self_signed(&key).map_err(io::Error::other)?;
        let until = (now + VALID).duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        let until_s = until.as_secs();
        let (certificate, key) =
            (BASE64.encode(certificate.der()), BASE64.encode(key.serialize_der()));
        Ok(Self { until_s, certificate, key })
    }

    /// Its configuration if it is valid today: of one that was made by a clock that ran ahead, the day is
    /// still to come.
    fn valid_config(&self) -> Option<(Arc<ServerConfig>, String)> {
        let until = UNIX_EPOCH.checked_add(Duration::from_secs(self.until_s))?;
        let rest = until.duration_since(SystemTime::now()).ok()?;
        (rest > REST && rest < VALID + SLACK).then_some(())?;
        self.config().ok()
    }

    fn config(&self) -> io::Result<(Arc<ServerConfig>, String)> {
        let decoded = |text: &str| BASE64.decode(text).map_err(io::Error::other);
        let certificate = CertificateDer::from(decoded(&self.certificate)?);
        let key = PrivatePkcs8KeyDer::from(decoded(&self.key)?).into();
        let digest = Sha256::digest(&certificate);
        let fingerprint: Vec<String> = digest.iter().map(|byte| format!("{byte:02X}")).collect();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .map_err(io::Error::other)?;
        Ok((Arc::new(config), fingerprint.join(":")))
    }

    fn write(&self, file: &Path) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut out = WholeFile::create_private(file)?;
        out.write_all(&serde_json::to_vec_pretty(self)?)?;
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_and_again_where_it_is_broken_or_has_expired() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("setsight/certificate.json");
        let make = || certificate(Some(&file), &["192.168.1.20".parse().unwrap()]).unwrap();
        let first = make();
        assert!(first.not_kept.is_none() && first.fingerprint.len() == 95);
        assert_eq!(make().fingerprint, first.fingerprint);
        let mut kept: Kept = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        kept.until_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 3600;
        kept.write(&file).unwrap();
        let hour = make();
        assert_ne!(hour.fingerprint, first.fingerprint, "it would end in an hour");
        kept.until_s += (VALID + 2 * SLACK).as_secs();
        kept.write(&file).unwrap();
        let second = make();
        assert_ne!(second.fingerprint, first.fingerprint, "it begins in a day");
        std::fs::write(&file, b"{\"until_s\": 9999999999, \"certificate\": \"\", \"key\": \"\"}")
            .unwrap();
        assert_ne!(make().fingerprint, second.fingerprint);
    }

    #[test]
    #[cfg(unix)]
    fn its_key_is_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("certificate.json");
        certificate(Some(&file), &[]).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn without_a_folder_it_lasts_as_long_as_the_program() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("no-folder");
        std::fs::write(&file, b"").unwrap();
        assert!(certificate(Some(&file.join("c.json")), &[]).unwrap().not_kept.is_some());
        assert!(certificate(None, &[]).unwrap().not_kept.is_some());
    }
}

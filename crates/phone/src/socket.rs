//! Connections whose reads and writes have time limits, in the clear or over TLS.

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};
use std::{net::TcpStream, sync::Arc};

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

    /// Whether it is HTTPS.
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

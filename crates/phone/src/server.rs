//! The server: its listeners, its threads, and what every connection may cost.
//!
//! A connection is *waiting* until its head has come and its key holds. There are at most
//! [`MOST_WAITING`] of them; one more ends the oldest, so that those who open many and send nothing
//! keep nobody out. What has the key has one of four sessions.

use crate::{
    address::{self, Listen, ListenError},
    pictures::{self, DecodeQueue, Reads},
    request::{Answer, Body, Key, Phone, Request, Route, accept_socket, ask_for_body},
    sessions::{Connection, Sessions},
    socket::{self, Certificate, Stream},
};
use serde_json::json;
use setsight_live::{LiveView, Observer};
use setsight_vision::{PhotoReading, StageTime};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::{collections::VecDeque, io, path::PathBuf, time::Duration};

/// Most connections that have not shown the key yet.
const MOST_WAITING: usize = 64;
/// Time for the head of a request, with the handshake of TLS, and for an answer to those without
/// the key.
const HEAD_LIMIT: Duration = Duration::from_secs(5);
/// Time for a photo to come: 12 MB at 60 kB a second, as over the edge of a Wi-Fi.
const PHOTO_LIMIT: Duration = Duration::from_secs(300);
/// Time for an answer to be taken.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);
/// How long connections are waited for when the server stops.
const FAREWELL: Duration = Duration::from_secs(5);

/// What happens, as reported from the threads of the connections. A `phone` is numbered from 1.
pub enum ServerEvent<'a> {
    /// A phone that was not there before.
    Came { phone: u32 },
    /// A photo was read: the file as it was sent, what was read on it, and the time of each stage.
    Photo { phone: u32, bytes: &'a [u8], reading: &'a PhotoReading, times: &'a [StageTime] },
    /// A photo was not read, for a reason in words.
    NotRead { phone: u32, reason: String },
    /// A phone has begun to send live pictures, or has come back to its game, which may be shown
    /// elsewhere, too.
    Live { phone: u32, game: Observer },
    /// A live picture was followed: the table after it.
    View { phone: u32, view: &'a Arc<LiveView> },
    /// A phone's live pictures have ended, and why if it was sent away. It may come back.
    Left { phone: u32, reason: Option<&'static str> },
}

/// The receiver of events.
pub(crate) type OnEvent = Box<dyn Fn(ServerEvent<'_>) + Send + Sync>;

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Nothing is listened on.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The system gives no randomness, no threads, or the certificate cannot be made.
    #[error("the page cannot be served: {0}")]
    System(#[from] io::Error),
}

/// How a server is started.
pub struct Options {
    /// Where it listens.
    pub listen: Listen,
    /// Where its certificate is kept; `None`: nowhere, so that phones ask again at each start.
    pub certificate: Option<PathBuf>,
}

impl Options {
    /// On these addresses, with the certificate of this user.
    pub fn at(listen: Listen) -> Self {
        Self { listen, certificate: socket::usual_file() }
    }
}

/// A running server. Dropping it stops it.
pub struct Server {
    shared: Arc<Shared>,
    listen: Listen,
    listeners: Vec<(SocketAddr, JoinHandle<()>)>,
    not_kept: Option<io::Error>,
}

struct Shared {
    key: Key,
    /// What the header `Host` may say, the address first that a phone most likely reaches.
    hosts: Mutex<Vec<String>>,
    certificate: Arc<rustls::ServerConfig>,
    fingerprint: String,
    reads: Box<dyn Reads>,
    on_event: OnEvent,
    sessions: Sessions,
    decode_queue: DecodeQueue,
    waiting: Mutex<Waiting>,
    stop: AtomicBool,
    open: Mutex<usize>,
    closed: Condvar,
}

/// Connections that have not shown the key yet, the oldest first.
#[derive(Default)]
struct Waiting {
    connections: VecDeque<(u64, TcpStream)>,
    count: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    /// Listens, and answers on threads of its own; `on_event` is called there.
    pub fn start(
        options: &Options,
        reads: Box<dyn Reads>,
        on_event: OnEvent,
    ) -> Result<Self, StartError> {
        let listeners = address::listen(&options.listen)?;
        let bound: Vec<SocketAddr> =
            listeners.iter().map(TcpListener::local_addr).collect::<io::Result<_>>()?;
        let addresses: Vec<IpAddr> =
            bound.iter().flat_map(|bound| address::reached_at(*bound)).collect();
        let Certificate { config, fingerprint, not_kept } =
            socket::certificate(options.certificate.as_deref(), &addresses)?;
        let shared = Arc::new(Shared {
            key: Key::random()?,
            hosts: Mutex::new(hosts_of(&bound)),
            certificate: config,
            fingerprint,
            reads,
            on_event,
            sessions: Sessions::default(),
            decode_queue: DecodeQueue::default(),
            waiting: Mutex::default(),
            stop: AtomicBool::new(false),
            open: Mutex::new(0),
            closed: Condvar::new(),
        });
        let listen = options.listen.clone();
        let mut server = Self { shared, listen, listeners: Vec::new(), not_kept };
        for listener in listeners {
            server.answer_on(listener)?;
        }
        Ok(server)
    }

    fn answer_on(&mut self, listener: TcpListener) -> io::Result<()> {
        let address = listener.local_addr()?;
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name("phones".into());
        let thread = thread.spawn(move || accept(&listener, &shared))?;
        self.listeners.push((address, thread));
        Ok(())
    }

    /// Looks whether this machine's addresses have changed, and listens on new ones. Whether
    /// [`Self::addresses`] have changed. An address that is gone may come back, so its
    /// listener stays; while there is none, the last ones stay.
    pub fn follow_network(&mut self) -> bool {
        let Some(port) = self.listeners.first().map(|(address, _)| address.port()) else {
            return false;
        };
        let current: Vec<SocketAddr> = match self.listen {
            Listen::Private => {
                let ips = address::private_addresses().unwrap_or_default();
                ips.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()
            }
            Listen::At(ip, _) => vec![SocketAddr::new(ip, port)],
        };
        for address in &current {
            let is_bound = self.listeners.iter().any(|(bound, _)| bound == address);
            // What does not bind yet is tried again.
            if !is_bound && let Ok(listener) = address::bind(address.ip(), port) {
                let _ = self.answer_on(listener);
            }
        }
        let mut bound = current;
        bound.retain(|address| self.listeners.iter().any(|(bound, _)| bound == address));
        let now = hosts_of(&bound);
        let mut hosts = lock(&self.shared.hosts);
        let has_changed = !now.is_empty() && *hosts != now;
        if has_changed {
            *hosts = now;
        }
        has_changed
    }

    /// The page's addresses, with the key, the one first that a phone most likely reaches. Over
    /// HTTPS the same holds with `https`.
    pub fn addresses(&self) -> Vec<String> {
        let key = self.shared.key.text();
        lock(&self.shared.hosts).iter().map(|host| format!("http://{host}/#{key}")).collect()
    }

    /// The certificate's SHA-256, as browsers show it.
    pub fn fingerprint(&self) -> &str {
        &self.shared.fingerprint
    }

    /// What is typed on the page instead of the key, where no code can be scanned: two groups of four.
    pub fn code(&self) -> String {
        let (one, other) = self.shared.key.code().split_at(4);
        format!("{one}-{other}")
    }

    /// Why the certificate is not kept, if so.
    pub fn certificate_not_kept(&self) -> Option<&io::Error> {
        self.not_kept.as_ref()
    }

    /// Whether a phone is doing something.
    pub fn is_in_use(&self) -> bool {
        !self.shared.sessions.are_empty()
    }

    /// Ends all connections, and waits until their threads have ended.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let shared = &self.shared;
        shared.stop.store(true, Ordering::Relaxed);
        for (address, thread) in self.listeners.drain(..) {
            // The listener waits for a connection.
            let ip = match address.ip() {
                IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
                ip => ip,
            };
            let target = SocketAddr::new(ip, address.port());
            if TcpStream::connect_timeout(&target, Duration::from_secs(1)).is_ok() {
                let _ = thread.join();
            }
        }
        shared.sessions.close();
        for (_, connection) in lock(&shared.waiting).connections.drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        let open = lock(&shared.open);
        let _ = shared.closed.wait_timeout_while(open, FAREWELL, |open| *open > 0);
    }
}

/// What the header `Host` may say to listeners.
fn hosts_of(bound: &[SocketAddr]) -> Vec<String> {
    let mut hosts = Vec::new();
    for bound in bound {
        for ip in address::reached_at(*bound) {
            hosts.push(host_at(SocketAddr::new(ip, bound.port())));
            if ip.is_loopback() {
                hosts.push(host(&format!("localhost:{}", bound.port()), bound.port()));
            }
        }
    }
    hosts
}

fn host_at(address: SocketAddr) -> String {
    host(&address.to_string(), address.port())
}

/// What browsers send as the host: without the usual ports.
fn host(with_port: &str, port: u16) -> String {
    let usual = [80, 443].contains(&port).then(|| with_port.strip_suffix(&format!(":{port}")));
    usual.flatten().unwrap_or(with_port).to_owned()
}

/// Gives each connection a thread until the server stops.
fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    /// Where the system has no more handles, until some are free.
    const REST: Duration = Duration::from_millis(50);
    for connection in listener.incoming() {
        if shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let Ok(connection) = connection else {
            thread::sleep(REST);
            continue;
        };
        let Some(waits) = Wait::begin(shared, &connection) else { continue };
        let thread = thread::Builder::new().name("phone".into());
        // Where there are no threads left the connection ends.
        let _ = thread.spawn(move || {
            let shared = Arc::clone(&waits.shared);
            // What fails is the connection, and there is nobody to tell it to.
            let _ = shared.serve(connection, waits);
        });
    }
}

/// A connection that is open; it waits until it has shown the key ([`Self::authorise`]).
struct Wait {
    shared: Arc<Shared>,
    id: u64,
}

impl Wait {
    fn begin(shared: &Arc<Shared>, connection: &TcpStream) -> Option<Self> {
        let handle = connection.try_clone().ok()?;
        let mut waiting = lock(&shared.waiting);
        waiting.count += 1;
        let id = waiting.count;
        waiting.connections.push_back((id, handle));
        if waiting.connections.len() > MOST_WAITING
            && let Some((_, oldest)) = waiting.connections.pop_front()
        {
            let _ = oldest.shutdown(Shutdown::Both);
        }
        *lock(&shared.open) += 1;
        Some(Self { shared: Arc::clone(shared), id })
    }

    /// It has shown the key, and is no longer ended to make room.
    fn authorise(&self) {
        lock(&self.shared.waiting).connections.retain(|(id, _)| *id != self.id);
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.authorise();
        *lock(&self.shared.open) -= 1;
        self.shared.closed.notify_all();
    }
}

impl Shared {
    fn serve(&self, connection: TcpStream, waits: Wait) -> io::Result<()> {
        // The address that it came to is this machine's, though it may be a new one.
        let local = connection.local_addr()?;
        let local = host_at(SocketAddr::new(local.ip().to_canonical(), local.port()));
        let hosts = [lock(&self.hosts).clone(), vec![local]].concat();
        let mut stream = Stream::open(connection, &self.certificate, HEAD_LIMIT)?;
        let request = Request::read(&mut stream)?;
        let Some(request) = request else { return send(stream, &Answer::nothing()) };
        let route = request.route(&hosts, stream.is_secure(), &self.key);
        let answer = match route {
            None => Answer::nothing(),
            Some(Route::Page(kind, text)) => Answer::page(kind, text, request.host()),
            Some(Route::Hello(phone)) => {
                let has_place = self.sessions.has_place(phone.as_ref());
                let hello =
                    json!({ "version": 1, "place": has_place, "fingerprint": self.fingerprint });
                Answer::json(&hello)
            }
            Some(Route::Key) => Answer::json(&json!({ "version": 1, "key": self.key.text() })),
            Some(Route::Photo(body)) => {
                waits.authorise();
                return self.photo(stream, &body, request.rest, |connection, bytes| {
                    pictures::read(
                        &*self.reads,
                        &self.decode_queue,
                        connection,
                        bytes,
                        &*self.on_event,
                    )
                });
            }
            Some(Route::Picture(body)) => {
                waits.authorise();
                return self.photo(stream, &body, request.rest, |connection, bytes| {
                    pictures::picture(&self.decode_queue, connection, bytes)
                });
            }
            Some(Route::Frame(body)) => {
                waits.authorise();
                return self.photo(stream, &body, request.rest, |connection, bytes| {
                    pictures::frame(bytes.to_vec(), connection, &*self.reads, &*self.on_event)
                });
            }
            Some(Route::Live { phone, key, names_protocol }) => {
                waits.authorise();
                return self.live(stream, &phone, &key, names_protocol);
            }
        };
        answer.write(&mut stream, request.is_head())?;
        stream.finish();
        Ok(())
    }

    /// The place of a phone, or an answer if there is none.
    fn connection(
        &self,
        stream: &mut Stream,
        phone: &Phone,
    ) -> io::Result<Result<Connection<'_>, Answer>> {
        let Some(connection) = self.sessions.take(phone, stream.handle())? else {
            return Ok(Err(Answer::wrong("503 Service Unavailable", "full")));
        };
        if connection.is_first {
            (self.on_event)(ServerEvent::Came { phone: connection.number });
        }
        Ok(Ok(connection))
    }

    /// Takes a photo and answers it.
    fn photo(
        &self,
        mut stream: Stream,
        body: &Body,
        begun: Vec<u8>,
        answer: impl FnOnce(&Connection<'_>, &[u8]) -> Answer,
    ) -> io::Result<()> {
        let connection = match self.connection(&mut stream, &body.phone)? {
            Ok(connection) => connection,
            Err(answer) => return send(stream, &answer),
        };
        stream.allow(PHOTO_LIMIT);
        let is_wanted = body.length.is_some_and(|length| length <= pictures::MOST_PHOTO_BYTES);
        if body.waits_for_consent && begun.is_empty() && is_wanted {
            ask_for_body(&mut stream)?;
        }
        let answer = match pictures::body(body.length, begun, &mut stream, &connection) {
            Ok(bytes) => answer(&connection, &bytes),
            Err(Some(wrong)) => wrong,
            Err(None) => return Ok(()),
        };
        stream.allow(ANSWER_LIMIT);
        send(stream, &answer)
    }

    /// Follows a phone's live pictures.
    fn live(
        &self,
        mut stream: Stream,
        phone: &Phone,
        key: &str,
        names_protocol: bool,
    ) -> io::Result<()> {
        let connection = match self.connection(&mut stream, phone)? {
            Ok(connection) => connection,
            Err(answer) => return send(stream, &answer),
        };
        stream.allow(ANSWER_LIMIT);
        accept_socket(&mut stream, key, names_protocol)?;
        let reason = pictures::play(stream, &connection, &*self.reads, &*self.on_event);
        (self.on_event)(ServerEvent::Left { phone: connection.number, reason });
        Ok(())
    }
}

fn send(mut stream: Stream, answer: &Answer) -> io::Result<()> {
    answer.write(&mut stream, false)?;
    stream.finish();
    Ok(())
}

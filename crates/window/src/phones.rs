//! Phones as cameras: a page on the local network, served as long as the user wants, whose photos are
//! opened here, and whose live pictures the camera's tab shows.

use crate::{
    live::watched,
    shared::{pages, tab::Eye, words::t},
};
use eframe::egui::{
    Align, Color32, Context, Frame, Label, Layout, Panel, Rect, RichText, Role, Sense, Ui,
    WidgetInfo, pos2, vec2,
};
use setsight_files::whole_file::write_atomic;
use setsight_live::{FramePace, LiveSource, LiveView, Notice, Observer, Session};
use setsight_phone::{Code, Listen, ListenError, Options, Reads, Server, ServerEvent, StartError};
use setsight_photo::source::Photo;
use setsight_vision::{PhotoReading, ReadingPlan, Trace};
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How often it is looked whether this computer has come into another network.
const NETWORK_PAUSE: Duration = Duration::from_secs(2);

/// What phones did, for the window to act on.
pub(crate) enum PhoneEvent {
    /// A phone that was not there before.
    Came(u32),
    /// A photo of a phone lies in this file.
    Photo(PathBuf),
    /// A photo could not be kept for the window.
    Unkept(io::Error),
    /// A phone shows live pictures.
    Live(PhoneGame),
}

/// The server of the page, if it runs, and what phones have sent.
pub struct Phones {
    /// Where it listens, and where its certificate is kept.
    pub options: Options,
    running: Option<Running>,
    /// Servers that are being stopped.
    stopping: Vec<JoinHandle<()>>,
    /// Photos that were sent; they go when the window closes.
    photos: Option<tempfile::TempDir>,
    /// How many there are.
    count: Arc<AtomicU32>,
    /// Which phones' live pictures have stopped.
    away: Away,
}

/// For each phone, whether its live pictures have stopped.
type Away = Arc<Mutex<HashMap<u32, Arc<AtomicBool>>>>;

struct Running {
    server: Server,
    /// When the network was looked at last.
    looked: Instant,
    /// The address that a phone most likely reaches, and its code.
    address: String,
    code: Option<Code>,
    events: Receiver<PhoneEvent>,
    /// How the cards of live pictures are read.
    plan: Arc<Mutex<ReadingPlan>>,
    /// How many phones have come so far.
    came: u32,
}

impl Default for Phones {
    fn default() -> Self {
        Self {
            options: Options::at(Listen::Private),
            running: None,
            stopping: Vec::new(),
            photos: None,
            count: Arc::default(),
            away: Away::default(),
        }
    }
}

impl Phones {
    /// Whether phones can reach the page.
    pub fn are_served(&self) -> bool {
        self.running.is_some()
    }

    /// The address of the page, with its key.
    pub fn address(&self) -> Option<&str> {
        self.running.as_ref().map(|running| running.address.as_str())
    }

    /// Serves the page; `wake` is called from other threads when something has come.
    pub(crate) fn serve(
        &mut self,
        eye: Arc<dyn Eye>,
        plan: ReadingPlan,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<(), String> {
        if self.running.is_some() {
            return Ok(());
        }
        let folder =
            self.folder().map_err(|error| t!("phone-failed", error = error.to_string()))?;
        let plan = Arc::new(Mutex::new(plan));
        let reads = Reader { eye, plan: Arc::clone(&plan) };
        let (sender, events) = channel();
        let (count, away) = (Arc::clone(&self.count), Arc::clone(&self.away));
        let server = Server::start(
            &self.options,
            Box::new(reads),
            Box::new(move |event| {
                hear(event, &folder, &count, &away, &sender);
                wake();
            }),
        );
        let server = server.map_err(|error| why_not(&error))?;
        let (address, code) = reached_at(&server);
        let looked = Instant::now();
        self.running = Some(Running { server, looked, address, code, events, plan, came: 0 });
        Ok(())
    }

    /// Cards are read otherwise from now on, where a game begins.
    pub(crate) fn read_by(&self, plan: ReadingPlan) {
        if let Some(running) = &self.running {
            *running.plan.lock().unwrap_or_else(PoisonError::into_inner) = plan;
        }
    }

    /// Stops serving. Connections are ended on a thread of its own, for which [`Self::close`] waits.
    pub(crate) fn stop(&mut self) {
        let Some(running) = self.running.take() else { return };
        for away in self.away.lock().unwrap_or_else(PoisonError::into_inner).values() {
            away.store(true, Ordering::Relaxed);
        }
        let thread = thread::Builder::new().name("phones-end".into());
        // Where there are no threads left it is dropped here.
        self.stopping.extend(thread.spawn(move || drop(running)).ok());
    }

    /// Stops serving and waits for all threads.
    pub(crate) fn close(&mut self) {
        self.stop();
        for thread in self.stopping.drain(..) {
            // A panic in it has been reported already.
            let _ = thread.join();
        }
    }

    /// What phones did since.
    pub(crate) fn events(&mut self) -> Vec<PhoneEvent> {
        self.stopping.retain(|thread| !thread.is_finished());
        let Some(running) = &mut self.running else { return Vec::new() };
        if running.looked.elapsed() >= NETWORK_PAUSE {
            running.looked = Instant::now();
            if running.server.follow_network() {
                (running.address, running.code) = reached_at(&running.server);
            }
        }
        let events: Vec<PhoneEvent> = running.events.try_iter().collect();
        let came = events.iter().filter_map(|one| match one {
            PhoneEvent::Came(phone) => Some(*phone),
            _ => None,
        });
        running.came = came.fold(running.came, u32::max);
        events
    }

    /// The folder of the photos, which only this user can read.
    fn folder(&mut self) -> io::Result<PathBuf> {
        if self.photos.is_none() {
            self.photos = Some(tempfile::Builder::new().prefix("setsight-phone-").tempdir()?);
        }
        Ok(self.photos.as_ref().map(|folder| folder.path().to_owned()).unwrap_or_default())
    }
}

/// The address that a phone most likely reaches, and its code.
fn reached_at(server: &Server) -> (String, Option<Code>) {
    let address = server.addresses().into_iter().next().unwrap_or_default();
    let code = Code::new(&address);
    (address, code)
}

/// Hands over what happened to the window.
fn hear(
    event: ServerEvent<'_>,
    folder: &Path,
    count: &AtomicU32,
    away: &Away,
    sender: &Sender<PhoneEvent>,
) {
    let event = match event {
        ServerEvent::Came { phone } => PhoneEvent::Came(phone),
        ServerEvent::Photo { bytes, .. } => {
            let number = count.fetch_add(1, Ordering::Relaxed) + 1;
            let path = folder.join(format!("phone-{number:04}.{}", ending(bytes)));
            match write_atomic(&path, bytes) {
                Ok(()) => PhoneEvent::Photo(path),
                Err(error) => PhoneEvent::Unkept(error),
            }
        }
        ServerEvent::Live { phone, game } => {
            let stopped: Arc<AtomicBool> = Arc::default();
            let mut all = away.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(phone, Arc::clone(&stopped));
            PhoneEvent::Live(PhoneGame { phone, game, away: stopped })
        }
        ServerEvent::Left { phone, .. } => {
            let mut all = away.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(away) = all.remove(&phone) {
                away.store(true, Ordering::Relaxed);
            }
            return;
        }
        // The phone itself says what is wrong with a photo; a view is in the game.
        ServerEvent::NotRead { .. } | ServerEvent::View { .. } => return,
    };
    // The window may have stopped serving.
    let _ = sender.send(event);
}

/// The ending of a photo's name.
fn ending(bytes: &[u8]) -> &'static str {
    let format = image::guess_format(bytes).ok();
    // What the `image` crate does not know and was read all the same is HEIC or AVIF.
    format.and_then(|format| format.extensions_str().first().copied()).unwrap_or("heic")
}

fn why_not(error: &StartError) -> String {
    match error {
        StartError::Listen(ListenError::NoNetwork) => t!("phone-no-network"),
        StartError::Listen(ListenError::PublicOnly(_)) => t!("phone-public-only"),
        other => t!("phone-failed", error = other.to_string()),
    }
}

/// Reads for phones as the window reads.
struct Reader {
    eye: Arc<dyn Eye>,
    plan: Arc<Mutex<ReadingPlan>>,
}

impl Reads for Reader {
    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String> {
        self.eye.read(photo, trace)
    }

    fn session(&self) -> io::Result<Session> {
        let plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner).clone();
        watched::session(&plan, FramePace::Newest).map_err(io::Error::other)
    }
}

/// A phone's live pictures, as the camera's tab watches them.
#[derive(Clone)]
pub(crate) struct PhoneGame {
    /// Which phone, from 1.
    pub(crate) phone: u32,
    game: Observer,
    away: Arc<AtomicBool>,
}

impl LiveSource for PhoneGame {
    fn view(&mut self) -> Arc<LiveView> {
        let view = self.game.view();
        if !self.away.load(Ordering::Relaxed) {
            return view;
        }
        let title = t!("phone-away", n = self.phone);
        let notice = Some(Notice::new(title, &t!("phone-away-advice")));
        Arc::new(LiveView { notice, ..(*view).clone() })
    }

    fn command(&mut self, command: setsight_live::LiveCommand) {
        self.game.command(command);
    }
}

/// Largest side of the code, in points.
const CODE: f32 = 260.0;

/// What the user wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageAction {
    /// The page is to be closed.
    pub(crate) close: bool,
    /// The page is to be opened.
    pub(crate) open: bool,
    /// Phones are to be served no longer.
    pub(crate) stop: bool,
}

/// Shows the code and the address.
pub(crate) fn page(ctx: &Context, phones: &Phones) -> PageAction {
    let Some(running) = &phones.running else {
        return PageAction { close: true, ..PageAction::default() };
    };
    // The code that is shown is of the network that the computer is in now.
    ctx.request_repaint_after(NETWORK_PAUSE);
    let mut stop = false;
    let close = pages::page(ctx, "phone", 560.0, |ui| {
        ui.heading(t!("phone-title"));
        ui.label(t!("phone-scan"));
        ui.add_space(6.0);
        ui.vertical_centered(|ui| {
            if let Some(code) = &running.code {
                draw(ui, code);
            }
            let address = RichText::new(&running.address).monospace();
            ui.add(Label::new(address).wrap().selectable(true));
            if let Some((at, _)) = running.address.split_once("/#") {
                ui.label(t!("phone-typed", address = at, code = running.server.code()));
            }
        });
        ui.add_space(6.0);
        ui.strong(state(running));
        ui.label(t!("phone-kept"));
        ui.weak(t!("phone-certificate", fingerprint = running.server.fingerprint()));
        ui.add_space(6.0);
        stop = ui.button(t!("phone-stop")).clicked();
    });
    PageAction { close: close || stop, stop, open: false }
}

/// As long as phones are served, a row says so, wherever the user is.
pub(crate) fn row(ui: &mut Ui, phones: &Phones) -> PageAction {
    let mut action = PageAction::default();
    let Some(running) = &phones.running else { return action };
    let frame = Frame::side_top_panel(ui.style()).inner_margin(vec2(14.0, 4.0));
    Panel::top("phones").frame(frame).show(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            action.stop = ui.button(t!("phone-stop-short")).clicked();
            action.open = ui.button(t!("phone-code-short")).clicked();
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(state(running)).truncate());
            });
        });
    });
    action
}

fn state(running: &Running) -> String {
    if running.came == 0 {
        return t!("phone-none-yet");
    }
    t!("phone-here", n = running.came)
}

/// Draws the code: dark on light, whatever the window's colours are.
fn draw(ui: &mut Ui, code: &Code) {
    let side = ui.available_width().min(CODE);
    let (rect, response) = ui.allocate_exact_size(vec2(side, side), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, t!("phone-code")));
    let count = code.width() + 2 * Code::MARGIN;
    // Whole pixels, so that no line is seen between modules.
    let pixels = ui.ctx().pixels_per_point();
    let module = (side * pixels / count as f32).floor().max(1.0) / pixels;
    let used = module * count as f32;
    let start = rect.center() - vec2(used, used) / 2.0;
    let start = pos2((start.x * pixels).round() / pixels, (start.y * pixels).round() / pixels);
    let painter = ui.painter();
    painter.rect_filled(Rect::from_min_size(start, vec2(used, used)), 0.0, Color32::WHITE);
    for (i, _) in code.modules().enumerate().filter(|(_, is_dark)| *is_dark) {
        let (x, y) = (i % code.width() + Code::MARGIN, i / code.width() + Code::MARGIN);
        let min = start + module * vec2(x as f32, y as f32);
        painter.rect_filled(Rect::from_min_size(min, vec2(module, module)), 0.0, Color32::BLACK);
    }
}

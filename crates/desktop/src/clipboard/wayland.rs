//! Listens on the window's own Wayland connection for what other programs copy or drag, and gives
//! them what is copied here or dragged out of the window.
//!
//! Compositors tell of a drag only one listener of a program, the one that came last; so this one
//! does all, and the toolkit's is left out of the build. All requests are made by one thread, which
//! has ended before the window's connection is closed. Data are read by further threads, which hold
//! no more than a pipe's end.

use super::{Clock, News, Refusal, Taken, Teller, take, ways};
use eframe::CreationContext;
use eframe::egui::{ColorImage, Context, FullOutput, OutputCommand, Plugin};
use image::ExtendedColorType;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use setsight_files::whole_file::write_whole;
use setsight_photo::encode;
use setsight_photo::source::MAX_FILE_BYTES;
use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use tempfile::TempDir;
use url::Url;
use wayland_client::backend::Backend;
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_data_device_manager::{DndAction, WlDataDeviceManager};
use wayland_client::protocol::{
    wl_data_device, wl_data_offer, wl_data_source, wl_keyboard, wl_pointer, wl_registry, wl_seat,
    wl_surface,
};
use wayland_client::{
    Connection, Dispatch, EventQueue, Proxy, QueueHandle, WEnum, delegate_noop, event_created_child,
};
use winit::raw_window_handle::{HasDisplayHandle, RawDisplayHandle};
use wl_data_device::WlDataDevice;
use wl_data_offer::WlDataOffer;
use wl_data_source::WlDataSource;
use wl_keyboard::WlKeyboard;
use wl_pointer::WlPointer;
use wl_registry::WlRegistry;
use wl_seat::WlSeat;
use wl_surface::WlSurface;

/// The names under which a text is given.
const TEXTS: [&str; 5] =
    ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING", "TEXT"];
/// The name under which a picture is given.
const PICTURE: &str = "image/png";

/// The name under which files are given.
const FILES: &str = "text/uri-list";

/// What is copied or dragged here.
enum Copied {
    Text(String),
    Picture(ColorImage),
    /// A picture that is dragged out. Whoever wants a file is given this one, which is written then.
    Dragged(PathBuf, ColorImage),
}

impl Copied {
    /// Under which names it is given.
    fn names(&self) -> &'static [&'static str] {
        match self {
            Self::Text(_) => &TEXTS,
            Self::Picture(_) => &[PICTURE],
            Self::Dragged(..) => &[FILES, PICTURE],
        }
    }
}

/// What the thread is asked to do.
enum Order {
    Paste,
    Copy(Copied),
    /// Let a picture be dragged out of the window, as a file of this name.
    Drag(String, ColorImage),
    /// Have the data of this name written into a pipe.
    Receive(WlDataOffer, &'static str, PipeWriter),
    /// What was dropped has been read.
    Finish(WlDataOffer),
    Stop,
}

/// Gives orders to the thread, which waits for the pipe.
#[derive(Clone)]
struct Orders {
    orders: Sender<Order>,
    wake: Arc<PipeWriter>,
}

impl Orders {
    fn give(&self, order: Order) {
        // A thread that has ended takes none, and wants none.
        if self.orders.send(order).is_ok() {
            let _ = (&*self.wake).write_all(&[0]);
        }
    }
}

/// The thread that listens; it ends with this value.
pub struct Listener {
    orders: Orders,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Listens for a window on Wayland; none is on other systems.
    pub fn of_window(cc: &CreationContext<'_>, teller: &Teller) -> Option<Self> {
        let RawDisplayHandle::Wayland(display) = cc.display_handle().ok()?.as_raw() else {
            return None;
        };
        // SAFETY: the pointer comes from the window that is just being made, so it is a display that
        // is open. It stays open for as long as the backend is used: only the thread below uses it,
        // dropping the `Listener` waits for that thread's end, and the window's program owns the
        // `Listener` and is dropped before the event loop that closes the display. (Proxies outside
        // the thread make no requests; dropping one does not touch the display.)
        #[expect(unsafe_code, reason = "the toolkit gives the display as a bare pointer")]
        let backend = unsafe { Backend::from_foreign_display(display.display.as_ptr().cast()) };
        let connection = Connection::from_backend(backend);
        let (woken, wake) = pipe().ok()?;
        let (orders, ordered) = channel();
        let orders = Orders { orders, wake: Arc::new(wake) };
        let (teller, given) = (teller.clone(), orders.clone());
        let thread = thread::Builder::new().name("clipboard".to_owned()).spawn(move || {
            // Without the compositor there is no window either, and the event loop says so.
            let _ = listen(&connection, teller, given, &ordered, woken);
        });
        Some(Self { orders, thread: thread.ok() })
    }

    /// Reads the clipboard and tells what it holds.
    pub fn paste(&self) {
        self.orders.give(Order::Paste);
    }

    /// Lets a picture be dragged out of the window, while a button of the pointer is down.
    pub fn drag(&self, name: String, picture: ColorImage) {
        self.orders.give(Order::Drag(name, picture));
    }

    /// What takes over copying from the toolkit.
    pub fn copier(&self) -> impl Plugin {
        Copier(self.orders.clone())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.orders.give(Order::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Copier(Orders);

impl Plugin for Copier {
    fn debug_name(&self) -> &'static str {
        "clipboard"
    }

    fn output_hook(&mut self, _: &Context, output: &mut FullOutput) {
        let commands = &mut output.platform_output.commands;
        for command in std::mem::take(commands) {
            match command {
                OutputCommand::CopyText(text) => self.0.give(Order::Copy(Copied::Text(text))),
                OutputCommand::CopyImage(image) => {
                    self.0.give(Order::Copy(Copied::Picture(image)));
                }
                other => commands.push(other),
            }
        }
    }
}

/// Why listening ended.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error(transparent)]
    Globals(#[from] wayland_client::globals::GlobalError),
    #[error(transparent)]
    Dispatch(#[from] wayland_client::DispatchError),
    #[error(transparent)]
    Wayland(#[from] wayland_client::backend::WaylandError),
}

fn listen(
    connection: &Connection,
    teller: Teller,
    orders: Orders,
    ordered: &Receiver<Order>,
    mut woken: PipeReader,
) -> Result<(), Ended> {
    let (globals, mut queue): (_, EventQueue<State>) = registry_queue_init(connection)?;
    let handle = queue.handle();
    let mut state = State {
        // Version 3 brings the actions that a drag may have.
        manager: globals.bind(&handle, 1..=3, ()).ok(),
        seats: Vec::new(),
        drags_out: false,
        folder: None,
        orders,
        teller,
    };
    globals.contents().with_list(|list| {
        for global in list.iter().filter(|global| global.interface == WlSeat::interface().name) {
            state.add_seat(globals.registry(), global.name, global.version, &handle);
        }
    });
    loop {
        queue.dispatch_pending(&mut state)?;
        loop {
            match ordered.try_recv() {
                Ok(Order::Stop) | Err(TryRecvError::Disconnected) => {
                    state.release();
                    let _ = connection.flush();
                    return Ok(());
                }
                Ok(order) => state.obey(order, &handle),
                Err(TryRecvError::Empty) => break,
            }
        }
        match connection.flush() {
            // What did not fit goes out with the next event.
            Err(wayland_client::backend::WaylandError::Io(error))
                if error.kind() == std::io::ErrorKind::WouldBlock => {}
            other => other?,
        }
        let Some(guard) = queue.prepare_read() else { continue };
        let fd = guard.connection_fd();
        let mut waiting = [
            PollFd::from_borrowed_fd(fd, PollFlags::IN),
            PollFd::from_borrowed_fd(woken.as_fd(), PollFlags::IN),
        ];
        // Interrupted: nothing has come, and all is looked at again.
        let waited = poll(&mut waiting, None).is_ok();
        let [has_events, has_orders] = waiting.map(|fd| waited && !fd.revents().is_empty());
        if has_events {
            match guard.read() {
                // Another thread of the program has read them.
                Err(wayland_client::backend::WaylandError::Io(error))
                    if error.kind() == std::io::ErrorKind::WouldBlock => {}
                other => {
                    other?;
                }
            }
        } else {
            drop(guard);
        }
        if has_orders {
            let _ = woken.read(&mut [0; 64]);
        }
    }
}

/// The kinds of data of an offer.
type Offered = Mutex<Vec<String>>;

fn offered(offer: &WlDataOffer) -> Vec<String> {
    let offered = offer.data::<Offered>();
    offered
        .map_or_else(Vec::new, |names| names.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

/// A keyboard and a pointer that belong together.
struct Seat {
    /// Its number in the registry.
    name: u32,
    seat: WlSeat,
    device: Option<WlDataDevice>,
    keyboard: Option<WlKeyboard>,
    pointer: Option<WlPointer>,
    /// The number of the user's last key or click: only by one can a program copy.
    serial: u32,
    /// The part of the window that the pointer is over, and the number of the click that holds a
    /// button down: only by both can a drag begin.
    over: Option<WlSurface>,
    press: Option<u32>,
    /// What has been copied.
    selection: Option<WlDataOffer>,
    /// What is held over the window.
    drag: Option<WlDataOffer>,
}

struct State {
    manager: Option<WlDataDeviceManager>,
    seats: Vec<Seat>,
    /// Whether what is dragged over the window comes from it.
    drags_out: bool,
    /// Where files lie that are dragged out, as long as the window is open.
    folder: Option<TempDir>,
    orders: Orders,
    teller: Teller,
}

impl State {
    fn add_seat(
        &mut self,
        registry: &WlRegistry,
        name: u32,
        version: u32,
        handle: &QueueHandle<Self>,
    ) {
        let seat: WlSeat = registry.bind(name, version.min(5), handle, name);
        let device =
            self.manager.as_ref().map(|manager| manager.get_data_device(&seat, handle, name));
        self.seats.push(Seat {
            name,
            seat,
            device,
            keyboard: None,
            pointer: None,
            serial: 0,
            over: None,
            press: None,
            selection: None,
            drag: None,
        });
    }

    fn seat(&mut self, name: u32) -> Option<&mut Seat> {
        self.seats.iter_mut().find(|seat| seat.name == name)
    }

    fn obey(&mut self, order: Order, handle: &QueueHandle<Self>) {
        match order {
            Order::Paste => match self.seats.iter().find_map(|seat| seat.selection.clone()) {
                Some(offer) => self.read(offer, false),
                None => self.teller.tell(News::Pasted(Taken::Nothing)),
            },
            Order::Receive(offer, name, into) => offer.receive(name.to_owned(), into.as_fd()),
            Order::Finish(offer) => {
                if offer.version() >= 3 {
                    offer.finish();
                }
                offer.destroy();
            }
            Order::Copy(copied) => self.copy(copied, handle),
            Order::Drag(name, picture) => self.drag(&name, picture, handle),
            Order::Stop => {}
        }
    }

    fn drag(&mut self, name: &str, picture: ColorImage, handle: &QueueHandle<Self>) {
        let Some(manager) = &self.manager else { return };
        let held = self.seats.iter_mut().find(|seat| seat.press.is_some());
        let Some(seat) = held else { return };
        let (Some(device), Some(surface), Some(press)) = (&seat.device, &seat.over, seat.press)
        else {
            return;
        };
        if self.folder.is_none() {
            self.folder = tempfile::Builder::new().prefix("setsight-").tempdir().ok();
        }
        let Some(folder) = &self.folder else { return };
        let dragged = Copied::Dragged(folder.path().join(name), picture);
        let source = source(manager, dragged, handle);
        if source.version() >= 3 {
            source.set_actions(DndAction::Copy);
        }
        device.start_drag(Some(&source), surface, None, press);
        // The compositor has the pointer now, and does not say when the button is let go.
        seat.press = None;
        self.drags_out = true;
        self.teller.tell(News::LetGo);
    }

    fn copy(&mut self, copied: Copied, handle: &QueueHandle<Self>) {
        let Some(manager) = &self.manager else { return };
        // By the seat that the user touched last.
        let Some(seat) = self.seats.iter().max_by_key(|seat| seat.serial) else { return };
        let Some(device) = &seat.device else { return };
        device.set_selection(Some(&source(manager, copied, handle)), seat.serial);
    }

    /// Reads an offer in a thread and tells what it holds.
    fn read(&self, offer: WlDataOffer, drags: bool) {
        let (orders, teller) = (self.orders.clone(), self.teller.clone());
        thread::spawn(move || {
            let taken = take(&ways(&offered(&offer), drags), |name| {
                let (reader, writer) = pipe().map_err(|_| Refusal::NotGiven)?;
                orders.give(Order::Receive(offer.clone(), name, writer));
                read_to_end(reader)
            });
            if drags {
                orders.give(Order::Finish(offer));
                teller.tell(News::Dropped(taken));
            } else {
                teller.tell(News::Pasted(taken));
            }
        });
    }

    fn release(&mut self) {
        for seat in self.seats.drain(..) {
            seat.release();
        }
    }
}

impl Seat {
    fn release(self) {
        for offer in self.selection.into_iter().chain(self.drag) {
            offer.destroy();
        }
        if let Some(device) = self.device.filter(|device| device.version() >= 2) {
            device.release();
        }
        if let Some(keyboard) = self.keyboard.filter(|keyboard| keyboard.version() >= 3) {
            keyboard.release();
        }
        if let Some(pointer) = self.pointer.filter(|pointer| pointer.version() >= 3) {
            pointer.release();
        }
        if self.seat.version() >= 5 {
            self.seat.release();
        }
    }
}

/// Data that other programs can ask for.
fn source(
    manager: &WlDataDeviceManager,
    copied: Copied,
    handle: &QueueHandle<State>,
) -> WlDataSource {
    let names = copied.names();
    let source = manager.create_data_source(handle, Arc::new(copied));
    names.iter().for_each(|name| source.offer((*name).to_owned()));
    source
}

/// What another program writes into a pipe, within the limits of size and time.
fn read_to_end(mut reader: PipeReader) -> Result<Vec<u8>, Refusal> {
    let mut clock = Clock::new();
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        let left = Timespec::try_from(clock.left()?).map_err(|_| Refusal::TooSlow)?;
        let mut waiting = [PollFd::from_borrowed_fd(reader.as_fd(), PollFlags::IN)];
        if !matches!(poll(&mut waiting, Some(&left)), Ok(1..)) {
            // Interrupted or late: the clock is looked at again.
            continue;
        }
        let length = reader.read(&mut piece).map_err(|_| Refusal::NotGiven)?;
        if length == 0 {
            return Ok(bytes);
        }
        clock.hear();
        bytes.extend_from_slice(&piece[..length]);
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(Refusal::TooMuch);
        }
    }
}

/// Writes what was copied here for another program, under one of its names, in a thread: it may read
/// slowly, or never.
fn write(copied: Arc<Copied>, name: String, into: OwnedFd) {
    thread::spawn(move || {
        // Whoever asked may be gone.
        let _ = File::from(into).write_all(&given(&copied, &name).unwrap_or_default());
    });
}

/// What is given under a name.
fn given(copied: &Copied, name: &str) -> Option<Vec<u8>> {
    match copied {
        Copied::Text(text) => Some(text.clone().into_bytes()),
        Copied::Dragged(path, picture) if name == FILES => {
            write_whole(path, &png(picture)?).ok()?;
            Some(format!("{}\r\n", Url::from_file_path(path).ok()?).into_bytes())
        }
        Copied::Picture(picture) | Copied::Dragged(_, picture) => png(picture),
    }
}

fn png(picture: &ColorImage) -> Option<Vec<u8>> {
    let [width, height] = picture.size.map(|side| side as u32);
    let samples: Vec<u8> =
        picture.pixels.iter().flat_map(|pixel| pixel.to_srgba_unmultiplied()).collect();
    encode::png_of(&samples, (width, height), ExtendedColorType::Rgba8).ok()
}

impl Dispatch<WlRegistry, GlobalListContents> for State {
    fn event(
        state: &mut Self,
        registry: &WlRegistry,
        event: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        handle: &QueueHandle<Self>,
    ) {
        match event {
            wl_registry::Event::Global { name, interface, version }
                if interface == WlSeat::interface().name =>
            {
                state.add_seat(registry, name, version, handle);
            }
            wl_registry::Event::GlobalRemove { name } => {
                if let Some(place) = state.seats.iter().position(|seat| seat.name == name) {
                    state.seats.remove(place).release();
                }
            }
            _ => {}
        }
    }
}

impl Dispatch<WlSeat, u32> for State {
    fn event(
        state: &mut Self,
        wl_seat: &WlSeat,
        event: wl_seat::Event,
        name: &u32,
        _: &Connection,
        handle: &QueueHandle<Self>,
    ) {
        let wl_seat::Event::Capabilities { capabilities: WEnum::Value(has) } = event else {
            return;
        };
        let Some(seat) = state.seat(*name) else { return };
        // One that goes away stays as it is: it says no more.
        if has.contains(wl_seat::Capability::Keyboard) && seat.keyboard.is_none() {
            seat.keyboard = Some(wl_seat.get_keyboard(handle, *name));
        }
        if has.contains(wl_seat::Capability::Pointer) && seat.pointer.is_none() {
            seat.pointer = Some(wl_seat.get_pointer(handle, *name));
        }
    }
}

impl Dispatch<WlKeyboard, u32> for State {
    fn event(
        state: &mut Self,
        _: &WlKeyboard,
        event: wl_keyboard::Event,
        name: &u32,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wl_keyboard::Event::{Enter, Key, Modifiers};
        if let Enter { serial, .. } | Key { serial, .. } | Modifiers { serial, .. } = event
            && let Some(seat) = state.seat(*name)
        {
            seat.serial = serial;
        }
    }
}

impl Dispatch<WlPointer, u32> for State {
    fn event(
        state: &mut Self,
        _: &WlPointer,
        event: wl_pointer::Event,
        name: &u32,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wl_pointer::{ButtonState, Event};
        // It comes back when a drag has ended, however that was.
        state.drags_out &= !matches!(event, Event::Enter { .. });
        let Some(seat) = state.seat(*name) else { return };
        match event {
            Event::Enter { surface, .. } => seat.over = Some(surface),
            Event::Leave { .. } => (seat.over, seat.press) = (None, None),
            Event::Button { serial, state, .. } => {
                seat.serial = serial;
                seat.press = (state == WEnum::Value(ButtonState::Pressed)).then_some(serial);
            }
            _ => {}
        }
    }
}

impl Dispatch<WlDataDevice, u32> for State {
    fn event(
        state: &mut Self,
        _: &WlDataDevice,
        event: wl_data_device::Event,
        name: &u32,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        let (teller, drags_out) = (state.teller.clone(), state.drags_out);
        let Some(seat) = state.seat(*name) else { return };
        match event {
            wl_data_device::Event::Enter { serial, id: Some(offer), .. } => {
                // What comes from here is nothing new.
                let offered = if drags_out { Vec::new() } else { offered(&offer) };
                let way = ways(&offered, true).first().map(|&(name, _)| name);
                offer.accept(serial, way.map(str::to_owned));
                if offer.version() >= 3 {
                    let action = if way.is_some() { DndAction::Copy } else { DndAction::None };
                    offer.set_actions(action, action);
                }
                if let Some(old) = seat.drag.replace(offer) {
                    old.destroy();
                }
                teller.tell(News::Hovers(way.is_some()));
            }
            wl_data_device::Event::Leave => {
                if let Some(offer) = seat.drag.take() {
                    offer.destroy();
                }
                teller.tell(News::Hovers(false));
            }
            wl_data_device::Event::Drop => {
                match seat.drag.take() {
                    Some(offer) if drags_out => offer.destroy(),
                    Some(offer) => state.read(offer, true),
                    None => {}
                }
                teller.tell(News::Hovers(false));
            }
            wl_data_device::Event::Selection { id } => {
                if let Some(old) = std::mem::replace(&mut seat.selection, id) {
                    old.destroy();
                }
            }
            _ => {}
        }
    }

    event_created_child!(State, WlDataDevice, [
        wl_data_device::EVT_DATA_OFFER_OPCODE => (WlDataOffer, Offered::default()),
    ]);
}

impl Dispatch<WlDataOffer, Offered> for State {
    fn event(
        _: &mut Self,
        _: &WlDataOffer,
        event: wl_data_offer::Event,
        offered: &Offered,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_data_offer::Event::Offer { mime_type } = event {
            offered.lock().unwrap_or_else(PoisonError::into_inner).push(mime_type);
        }
    }
}

impl Dispatch<WlDataSource, Arc<Copied>> for State {
    fn event(
        state: &mut Self,
        source: &WlDataSource,
        event: wl_data_source::Event,
        copied: &Arc<Copied>,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wl_data_source::Event::{Cancelled, DndFinished, Send};
        let is_dragged = matches!(**copied, Copied::Dragged(..));
        match event {
            Send { mime_type, fd } => write(Arc::clone(copied), mime_type, fd),
            Cancelled | DndFinished => {
                state.drags_out &= !is_dragged;
                source.destroy();
            }
            _ => {}
        }
    }
}

delegate_noop!(State: ignore WlDataDeviceManager);

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::Color32;

    #[test]
    fn a_picture_that_is_dragged_is_a_file_for_whoever_wants_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a table-sets.png");
        let picture = ColorImage::filled([30, 20], Color32::RED);
        let dragged = Copied::Dragged(path.clone(), picture);
        assert_eq!(dragged.names(), [FILES, PICTURE]);
        let bytes = given(&dragged, PICTURE).unwrap();
        assert!(!path.exists(), "nobody has asked for a file");
        let list = String::from_utf8(given(&dragged, FILES).unwrap()).unwrap();
        assert!(list.starts_with("file:///") && list.ends_with("a%20table-sets.png\r\n"), "{list}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert_eq!(image::open(path).unwrap().to_rgb8().get_pixel(29, 19).0, [255, 0, 0]);
    }
}

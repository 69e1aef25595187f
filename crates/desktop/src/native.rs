//! The system's window: its content and its options; it is chosen, opened and run, and its picture is
//! taken.

use crate::fonts;
#[cfg(target_os = "linux")]
use crate::screen::{self, Named, System, reaches_wayland, reaches_x11};
use eframe::CreationContext;
use eframe::egui::{
    ColorImage, Context, Event, IconData, RawInput, ScreenshotCallback, Ui, ViewportBuilder,
    ViewportCommand, vec2,
};
use image::{ExtendedColorType, RgbImage};
use setsight_files::whole_file::write_atomic;
use setsight_photo::encode;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use winit::error::EventLoopError;
#[cfg(target_os = "linux")]
use winit::platform::{wayland::EventLoopBuilderExtWayland, x11::EventLoopBuilderExtX11};

/// What a window shows. It is drawn anew for each frame.
pub trait Content: 'static {
    /// What it can close the window with.
    type Outcome: 'static;

    /// Draws a frame.
    fn ui(&mut self, ui: &mut Ui);

    /// Whether all is shown that a picture of the window is taken for.
    fn is_ready(&mut self) -> bool;

    /// What the window closes with once its picture is taken, of this width and height in pixels.
    fn describe(&self, ctx: &Context, size: [usize; 2]) -> Self::Outcome;

    /// The window closes. `size` is its width and height in points of the screen, when it last did
    /// not fill it.
    fn close(&mut self, size: Option<(f32, f32)>);
}

/// A picture as the toolkit wants it.
pub fn color_image(picture: &RgbImage) -> ColorImage {
    let size = [picture.width() as usize, picture.height() as usize];
    ColorImage::from_rgb(size, picture.as_raw())
}

/// How long a picture of the window is waited for.
const PATIENCE: Duration = Duration::from_secs(120);
/// Frames drawn after all is there and before the picture is taken: animations end in them.
const LAST_FRAMES: usize = 20;

/// How a window is opened. Sizes are width and height in points.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its title at first, and its name for the system.
    pub name: &'static str,
    pub icon: IconData,
    /// Its size, whatever the screen; none is the usual one as far as the screen has room.
    pub size: Option<(f32, f32)>,
    pub usual_size: (f32, f32),
    /// The size below which nobody can make it smaller.
    pub least_size: (f32, f32),
    /// Write its picture there once all is shown, and close it.
    pub screenshot: Option<PathBuf>,
    /// Close it, as its user would, once this is true.
    pub stop: &'static AtomicBool,
}

/// Why the window cannot be shown, or its picture not be taken.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("no window can be opened: {0}")]
    NoWindow(String),
    #[error(
        "the window closed because its display, or the connection to it, has ended; open it again once the display is back"
    )]
    Ended,
    /// The system has no OpenGL that the window could be drawn with, as Windows without a driver of the graphics
    /// card, which brings OpenGL 1.1 itself.
    #[error(
        "no window can be opened: it needs OpenGL 2.0 or newer ({0}); install the driver of the graphics card, \
         from its maker or by the system's updates"
    )]
    NoOpenGl(String),
    #[error(
        "no window can be opened: this screen offers OpenGL no picture to draw into, as screens of fewer than \
         24 bits a pixel do not; give it 24 (Xvfb: -screen 0 1280x1024x24)"
    )]
    NoPixels,
    /// The picture cannot be written.
    #[error("{}: cannot be written: {reason}", .path.display())]
    Unwritten { path: PathBuf, reason: String },
    #[error("no picture of the window was taken: {0}")]
    NoPicture(&'static str),
}

/// Opens a window and stays until it is closed. `make` makes what it shows. Gives what the content
/// has closed it with; `None` if the user has closed it.
pub fn open<C: Content>(
    options: Options,
    make: impl FnOnce(&Context) -> C + 'static,
) -> Result<Option<C::Outcome>, Failure> {
    let outcome = Arc::new(Mutex::new(None));
    let given = Arc::clone(&outcome);
    let mut native = eframe::NativeOptions::default();
    let screen = choose_screen(&mut native)?;
    let Options { name, icon, least_size, screenshot, stop, .. } = options;
    let (width, height) = match options.size {
        Some(size) => size,
        None => within(options.usual_size, least_size, work_area(&screen)),
    };
    native.viewport = ViewportBuilder::default()
        .with_title(name)
        .with_app_id(name)
        .with_icon(icon)
        .with_inner_size(vec2(width, height))
        .with_min_inner_size(vec2(least_size.0, least_size.1))
        .with_drag_and_drop(true);
    let run = eframe::run_native(
        name,
        native,
        Box::new(move |cc| {
            drop(screen);
            let runner = Runner::new(cc, screenshot, make, given);
            close_at(stop, cc.egui_ctx.clone())?;
            Ok(Box::new(runner))
        }),
    );
    run.map_err(failure)?;
    outcome.lock().unwrap_or_else(PoisonError::into_inner).take().transpose()
}

/// Has the window close once `stop` is true. It is looked for beside the window, which draws no frame while nobody
/// touches it.
fn close_at(stop: &'static AtomicBool, ctx: Context) -> std::io::Result<()> {
    const PAUSE: Duration = Duration::from_millis(100);
    let thread = thread::Builder::new().name("stop".into()).spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(PAUSE);
        }
        ctx.send_viewport_cmd(ViewportCommand::Close);
        ctx.request_repaint();
    });
    thread.map(drop)
}

/// Chooses the display system, and what to ask the toolkit for. What it gives must be kept until the
/// window is there.
#[cfg(target_os = "linux")]
fn choose_screen(native: &mut eframe::NativeOptions) -> Result<System, Failure> {
    let system = screen::choose(&Named::of_process(), reaches_wayland, reaches_x11)
        .map_err(Failure::NoWindow)?;
    let is_wayland = matches!(system, System::Wayland);
    native.event_loop_builder = Some(Box::new(move |builder| {
        if is_wayland {
            builder.with_wayland();
        } else {
            builder.with_x11();
        }
    }));
    Ok(system)
}

/// Width and height of the room for windows, in points, if it is known before one is opened.
#[cfg(target_os = "linux")]
fn work_area(screen: &System) -> Option<(f32, f32)> {
    match screen {
        // A compositor limits the size of the window itself.
        System::Wayland => None,
        System::X11(connection) => screen::work_area(connection),
    }
}

/// Elsewhere the toolkit keeps windows within the screen.
#[cfg(not(target_os = "linux"))]
fn work_area(_: &()) -> Option<(f32, f32)> {
    None
}

/// A window's size within an area, which holds its frame and title bar, too.
fn within(
    (width, height): (f32, f32),
    (least_width, least_height): (f32, f32),
    area: Option<(f32, f32)>,
) -> (f32, f32) {
    let Some((widest, highest)) = area else { return (width, height) };
    let (frame, bar) = (8.0, 40.0);
    let width = width.min(widest - frame).max(least_width);
    (width, height.min(highest - bar).max(least_height))
}

/// Elsewhere there is nothing to choose.
#[cfg(not(target_os = "linux"))]
fn choose_screen(_: &mut eframe::NativeOptions) -> Result<Box<()>, Failure> {
    Ok(Box::default())
}

/// What the system lacks for a window, for the user.
fn failure(error: eframe::Error) -> Failure {
    let text = error.to_string();
    // A place in a library's code, "file.rs:12: ", is of no use.
    let words = text.rsplit_once(".rs:").map_or(text.as_str(), |(_, words)| words);
    let words =
        words.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':').trim().to_owned();
    match error {
        eframe::Error::NoGlutinConfigs(..)
        | eframe::Error::Glutin(_)
        | eframe::Error::OpenGL(_)
            if cfg!(windows) =>
        {
            Failure::NoOpenGl(words)
        }
        eframe::Error::NoGlutinConfigs(..) => Failure::NoPixels,
        eframe::Error::WinitEventLoop(EventLoopError::ExitFailure(_)) => Failure::Ended,
        _ => Failure::NoWindow(words),
    }
}

type Outcome<T> = Arc<Mutex<Option<Result<T, Failure>>>>;

struct Runner<C: Content> {
    content: C,
    screenshot: Option<Shot>,
    outcome: Outcome<C::Outcome>,
    /// Width and height of the window in points of the screen, while it does not fill it.
    size: Option<(f32, f32)>,
}

/// A picture of the window in the making.
struct Shot {
    path: PathBuf,
    since: Instant,
    settled: usize,
    taken: Arc<Mutex<Option<Arc<ColorImage>>>>,
}

impl<C: Content> Runner<C> {
    fn new(
        cc: &CreationContext<'_>,
        screenshot: Option<PathBuf>,
        make: impl FnOnce(&Context) -> C,
        outcome: Outcome<C::Outcome>,
    ) -> Self {
        fonts::install(&cc.egui_ctx);
        Self {
            content: make(&cc.egui_ctx),
            screenshot: screenshot.map(|path| Shot {
                path,
                since: Instant::now(),
                settled: 0,
                taken: Arc::default(),
            }),
            outcome,
            size: None,
        }
    }

    fn finish(&mut self, ctx: &Context, outcome: Result<C::Outcome, Failure>) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.screenshot = None;
        ctx.send_viewport_cmd(ViewportCommand::Close);
    }

    fn look_to_shot(&mut self, ctx: &Context) {
        let Some(shot) = &mut self.screenshot else { return };
        ctx.request_repaint();
        let taken = shot.taken.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(picture) = taken {
            let path = shot.path.clone();
            let written = write_picture(&path, &picture);
            let outcome = match written {
                Ok(()) => Ok(self.content.describe(ctx, picture.size)),
                Err(reason) => Err(Failure::Unwritten { path, reason }),
            };
            return self.finish(ctx, outcome);
        }
        if shot.since.elapsed() > PATIENCE {
            return self.finish(ctx, Err(Failure::NoPicture("the photo was not read in time")));
        }
        shot.settled = if self.content.is_ready() { shot.settled + 1 } else { 0 };
        if shot.settled == LAST_FRAMES {
            let taken = Arc::clone(&shot.taken);
            ctx.send_viewport_cmd(ViewportCommand::Screenshot(ScreenshotCallback::new(
                move |picture| {
                    *taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(picture);
                },
            )));
        }
    }
}

fn write_picture(path: &Path, picture: &ColorImage) -> Result<(), String> {
    let [width, height] = picture.size.map(|side| side as u32);
    let rgb: Vec<u8> = picture.pixels.iter().flat_map(|p| [p.r(), p.g(), p.b()]).collect();
    let png = encode::png_of(&rgb, (width, height), ExtendedColorType::Rgb8);
    let png = png.map_err(|error| error.to_string())?;
    write_atomic(path, &png).map_err(|error| error.to_string())
}

impl<C: Content> Drop for Runner<C> {
    fn drop(&mut self) {
        self.content.close(self.size);
    }
}

impl<C: Content> eframe::App for Runner<C> {
    fn raw_input_hook(&mut self, _: &Context, raw: &mut RawInput) {
        // Wherever the pointer happens to rest, the picture must look the same.
        if self.screenshot.is_some() {
            raw.events.retain(|event| !matches!(event, Event::PointerMoved(_)));
        }
    }

    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.content.ui(ui);
        // Points of the screen, whatever scale the user has chosen.
        let zoom = ctx.zoom_factor();
        self.size = ctx.input(|input| {
            let viewport = input.viewport();
            let fills = viewport.maximized == Some(true) || viewport.fullscreen == Some(true);
            let size = viewport.inner_rect.map(|rect| rect.size() * zoom);
            size.filter(|_| !fills).map(|size| (size.x, size.y)).or(self.size)
        });
        self.look_to_shot(&ctx);
    }
}

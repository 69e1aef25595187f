//! The window as the system runs it, and its picture for whoever asks for one.

#[cfg(target_os = "linux")]
mod clipboard;
mod fonts;
mod measure;
#[cfg(target_os = "linux")]
mod screen;

use crate::deal::{self, DealTab};
use crate::live::{self, LiveTab, watchers};
use crate::photos::{Photos, Task, export};
#[cfg(target_os = "linux")]
use crate::runner::clipboard::Clipboard;
use crate::runner::measure::Measure;
#[cfg(target_os = "linux")]
use crate::runner::screen::{Named, System, reaches_wayland, reaches_x11};
use crate::shared::eye::PipelineEye;
use crate::shared::keys::Action;
use crate::shared::look::Mode;
use crate::shared::settings::{Brightness, Keeper};
use crate::shared::tab::Tab;
use crate::shared::words::Language;
use crate::tabs::{TABS, spec_of};
use crate::window::{Page, Window};
use eframe::CreationContext;
use eframe::egui::{
    ColorImage, Context, Event, IconData, RawInput, ScreenshotCallback, Ui, ViewportBuilder,
    ViewportCommand, vec2,
};
use image::ExtendedColorType;
use serde_json::{Value, json};
use setsight_files::whole_file::write_whole;
use setsight_game::cards::Shape;
use setsight_game::cards::outline::symbol_outline;
use setsight_game::game::Deal;
use setsight_live::Input;
use setsight_photo::encode;
use setsight_vision::plan::ReadingPlan;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
#[cfg(target_os = "linux")]
use winit::platform::{wayland::EventLoopBuilderExtWayland, x11::EventLoopBuilderExtX11};

/// How long a picture of the window is waited for.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a set is waited for in the camera's picture, once its table is known.
const SET_PATIENCE: Duration = Duration::from_secs(10);
/// Frames drawn after all is there and before the picture is taken: animations end in them.
const LAST_FRAMES: usize = 20;

/// Width and height of the window before anybody has chosen others, in points.
const USUAL_SIZE: (f32, f32) = (1280.0, 800.0);
/// The same of a window that nobody can make smaller.
const LEAST_SIZE: (f32, f32) = (420.0, 360.0);

/// The deck that [`Show::Deal`] shows.
const SHOWN_SEED: u64 = 7;

/// What the window shows first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// All sets of the first photo
    #[default]
    Solve,
    /// Hints
    Hint,
    /// Why three cards are a set or are not
    Learn,
    /// Corrections
    Correct,
    /// How the photo was read
    Stages,
    /// A shuffled deck, always the same one, watched step by step
    Deal,
    /// The same deck, played against the clock
    Play,
    /// The tab of this name
    Tab(&'static str),
    /// The settings
    Settings,
    /// The page of keys
    Keys,
}

impl Show {
    /// All of them.
    pub const ALL: [Self; OWN.len() + shown_tabs()] = {
        let mut all = [Self::Keys; OWN.len() + shown_tabs()];
        let (own, _) = all.split_at_mut(OWN.len());
        own.copy_from_slice(&OWN);
        let (mut at, mut next) = (0, OWN.len());
        while at < TABS.len() {
            if TABS[at].show_help.is_some() {
                all[next] = Self::Tab(TABS[at].id);
                next += 1;
            }
            at += 1;
        }
        all
    };

    /// Whether it is a way to look at a photo.
    pub const fn is_of_photos(self) -> bool {
        matches!(self, Self::Solve | Self::Hint | Self::Learn | Self::Correct | Self::Stages)
    }

    /// Its name on the command line, and what is seen.
    pub fn name_and_help(self) -> (&'static str, &'static str) {
        match self {
            Self::Solve => ("solve", "All sets of the first photo"),
            Self::Hint => ("hint", "Hints"),
            Self::Learn => ("learn", "Why three cards are a set or are not"),
            Self::Correct => ("correct", "Corrections"),
            Self::Stages => ("stages", "How the photo was read"),
            Self::Deal => (
                "deal",
                "The file's deal, or a shuffled deck, always the same one, watched step by step",
            ),
            Self::Play => ("play", "The same cards, played against the clock"),
            Self::Settings => ("settings", "The settings"),
            Self::Keys => ("keys", "The page of keys"),
            Self::Tab(id) => (id, spec_of(id).show_help.unwrap_or_default()),
        }
    }
}

/// What is shown beside the tabs as they are when opened.
const OWN: [Show; 9] = [
    Show::Solve,
    Show::Hint,
    Show::Learn,
    Show::Correct,
    Show::Stages,
    Show::Deal,
    Show::Play,
    Show::Settings,
    Show::Keys,
];

/// How many tabs the command line offers by their own names.
const fn shown_tabs() -> usize {
    let (mut at, mut shown) = (0, 0);
    while at < TABS.len() {
        shown += TABS[at].show_help.is_some() as usize;
        at += 1;
    }
    shown
}

/// What is watched, and how.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// A camera or a film.
    pub input: Input,
    /// Record the game as this film.
    pub record: Option<PathBuf>,
    /// How its cards are read.
    pub plan: ReadingPlan,
}

/// How the window is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Photos and folders.
    pub paths: Vec<PathBuf>,
    /// The deals of a file, for the tab of the dealt game.
    pub deals: Vec<Deal>,
    /// What is shown first.
    pub show: Show,
    /// Watch this first of all.
    pub live: Option<LiveOptions>,
    /// Width and height, in points; none is as it was the last time.
    pub size: Option<(f32, f32)>,
    /// Light or dark whatever the settings say, without changing them.
    pub brightness: Option<Brightness>,
    /// Write the window's picture there once all is read, and close it again.
    pub screenshot: Option<PathBuf>,
    /// Scroll and leaf for so many seconds, give the figures, and close.
    pub measure: Option<u16>,
}

/// Why the window cannot be shown, or its picture not be taken.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The system gives no window.
    #[error(
        "no window can be opened: {0}; on a machine without a screen start it as xvfb-run setsight app ..., \
         over ssh log in with ssh -X"
    )]
    NoWindow(String),
    /// The screen offers no picture that OpenGL could draw into.
    #[error(
        "no window can be opened: this screen offers OpenGL no picture to draw into, as screens of fewer than \
         24 bits a pixel do not; give it 24 (Xvfb: -screen 0 1280x1024x24), or start setsight app as \
         xvfb-run -s \"-screen 0 1280x1024x24\" setsight app ..."
    )]
    NoPixels,
    /// The picture cannot be written.
    #[error("{}: cannot be written: {reason}", .path.display())]
    Unwritten {
        /// Where it should be.
        path: PathBuf,
        /// Why it is not.
        reason: String,
    },
    /// The window was closed, or nothing came, before the picture was taken.
    #[error("no picture of the window was taken: {0}")]
    NoPicture(&'static str),
}

/// Opens the window and stays until it is closed. With [`Options::screenshot`] gives what the
/// window shows: the JSON of the photo, the `"transcript"` of the dealt game, or the
/// `"sets"` that are drawn over the camera's picture, with `"window"` (width, height in pixels) and `"picture"`
/// (left and top of the photo in the window, and pixels of the window for each of its pixels). With
/// [`Options::measure`] gives the figures.
///
/// # Errors
/// [`Failure`].
pub fn open(options: Options) -> Result<Option<Value>, Failure> {
    let outcome = Arc::new(Mutex::new(None));
    let given = Arc::clone(&outcome);
    let wanted = options.screenshot.is_some() || options.measure.is_some();
    let kept = if wanted { None } else { Keeper::of_user().settings.size };
    let mut native = eframe::NativeOptions::default();
    let screen = choose_screen(&mut native)?;
    let (width, height) = match options.size {
        Some(size) => size,
        None => within(kept.unwrap_or(USUAL_SIZE), work_area(&screen)),
    };
    native.viewport = ViewportBuilder::default()
        .with_title("setsight")
        .with_app_id("setsight")
        .with_icon(icon())
        .with_inner_size(vec2(width, height))
        .with_min_inner_size(vec2(LEAST_SIZE.0, LEAST_SIZE.1))
        .with_drag_and_drop(true);
    let run = eframe::run_native(
        "setsight",
        native,
        Box::new(move |cc| {
            drop(screen);
            Ok(Box::new(Runner::new(cc, options, given)))
        }),
    );
    run.map_err(failure)?;
    let outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner).take();
    match outcome {
        Some(outcome) => outcome.map(Some),
        None if wanted => Err(Failure::NoPicture("the window was closed first")),
        None => Ok(None),
    }
}

/// Chooses the display system, and what to ask the toolkit for. What it gives must be kept until the
/// window is there.
///
/// # Errors
/// [`Failure::NoWindow`]
#[cfg(target_os = "linux")]
fn choose_screen(native: &mut eframe::NativeOptions) -> Result<System, Failure> {
    let system = screen::choose(&Named::of_process(), reaches_wayland, reaches_x11)
        .map_err(|error| Failure::NoWindow(error.to_string()))?;
    let is_wayland = matches!(system, System::Wayland);
    native.event_loop_builder = Some(Box::new(move |builder| {
        if is_wayland {
            builder.with_wayland();
        } else {
            builder.with_x11();
        }
    }));
    // The clipboard's keys come as they are, and `Clipboard` knows more kinds than the toolkit.
    native.clipboard_shortcuts = false;
    Ok(system)
}

/// Width and height of what there is for windows, in points, where it can be told before one is there.
#[cfg(target_os = "linux")]
fn work_area(screen: &System) -> Option<(f32, f32)> {
    match screen {
        // A compositor tells the window itself how large it may be.
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
fn within((width, height): (f32, f32), area: Option<(f32, f32)>) -> (f32, f32) {
    let Some((widest, highest)) = area else { return (width, height) };
    let (least_width, least_height) = LEAST_SIZE;
    let (frame, bar) = (8.0, 40.0);
    let width = width.min(widest - frame).max(least_width);
    (width, height.min(highest - bar).max(least_height))
}

/// Elsewhere there is nothing to choose.
#[cfg(not(target_os = "linux"))]
fn choose_screen(_: &mut eframe::NativeOptions) -> Result<Box<()>, Failure> {
    Ok(Box::default())
}

/// What the system lacks for a window, in words for those who start it.
fn failure(error: eframe::Error) -> Failure {
    match error {
        eframe::Error::NoGlutinConfigs(..) => Failure::NoPixels,
        error => {
            let said = error.to_string();
            // Of a place in a library's code, "file.rs:12: ", nobody has any use.
            let words = said.rsplit_once(".rs:").map_or(said.as_str(), |(_, words)| words);
            let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
            Failure::NoWindow(words.trim().to_owned())
        }
    }
}

type Outcome = Arc<Mutex<Option<Result<Value, Failure>>>>;

struct Runner {
    window: Window,
    screenshot: Option<Shot>,
    measure: Option<Measure>,
    outcome: Outcome,
    #[cfg(target_os = "linux")]
    clipboard: Clipboard,
    /// Width and height of the window in points of the screen, while it does not fill it.
    size: Option<(f32, f32)>,
}

/// A picture of the window in the making.
struct Shot {
    path: PathBuf,
    since: Instant,
    /// Since when the camera's table is known.
    known: Option<Instant>,
    settled: usize,
    taken: Arc<Mutex<Option<Arc<ColorImage>>>>,
}

impl Shot {
    /// Whether what the picture is taken for is seen. In a camera's picture that is a set, which is
    /// waited for for a while.
    fn is_ready(&mut self, window: &Window) -> bool {
        if !window.is_settled() {
            return false;
        }
        let live = window.tab::<LiveTab>();
        if window.seen() != live::TAB.id || live.is_over() || !live.drawn_sets().is_empty() {
            return true;
        }
        self.known.get_or_insert_with(Instant::now).elapsed() > SET_PATIENCE
    }
}

impl Runner {
    fn new(cc: &CreationContext<'_>, options: Options, outcome: Outcome) -> Self {
        let ctx = &cc.egui_ctx;
        // A picture must look the same whoever takes it.
        let mut keeper = if options.screenshot.is_some() || options.measure.is_some() {
            let mut keeper = Keeper::default();
            keeper.settings.language = Some(Language::English);
            keeper
        } else {
            Keeper::of_user()
        };
        if let Some(brightness) = options.brightness {
            keeper = keeper.with_brightness(brightness);
        }
        crate::runner::fonts::install(ctx);
        let mut window = Window::new(ctx, Arc::new(PipelineEye::default()), keeper);
        if !options.deals.is_empty() {
            window.tabs.get_mut::<DealTab>().give(options.deals);
        }
        show(&mut window, options.show);
        if !options.paths.is_empty() {
            window.open(options.paths);
            show(&mut window, options.show);
        }
        if let Some(LiveOptions { input, record, plan }) = options.live {
            let mirrored = plan.mirrored;
            let live = window.tabs.get_mut::<LiveTab>();
            *live = LiveTab::new(watchers::system(plan.clone()));
            live.choose(input, &mut window.desk);
            live.mirrored = mirrored;
            live.record_as = record;
            window.live_plan = plan;
            window.tabs.see(live::TAB.id);
        }
        #[cfg(target_os = "linux")]
        let clipboard = Clipboard::new(cc);
        #[cfg(target_os = "linux")]
        {
            window.desk.can_drag_out = clipboard.can_drag();
        }
        let screenshot = options.screenshot.map(|path| Shot {
            path,
            since: Instant::now(),
            known: None,
            settled: 0,
            taken: Arc::default(),
        });
        let measure = options.measure.map(Measure::new);
        Self {
            window,
            screenshot,
            measure,
            outcome,
            #[cfg(target_os = "linux")]
            clipboard,
            size: None,
        }
    }

    fn finish(&mut self, ctx: &Context, outcome: Result<Value, Failure>) {
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
                Ok(()) => Ok(self.describe(ctx, picture.size)),
                Err(reason) => Err(Failure::Unwritten { path, reason }),
            };
            return self.finish(ctx, outcome);
        }
        if shot.since.elapsed() > PATIENCE {
            return self.finish(ctx, Err(Failure::NoPicture("the photo was not read in time")));
        }
        shot.settled = if shot.is_ready(&self.window) { shot.settled + 1 } else { 0 };
        if shot.settled == LAST_FRAMES {
            let taken = Arc::clone(&shot.taken);
            let keep = move |picture| {
                *taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(picture);
            };
            ctx.send_viewport_cmd(ViewportCommand::Screenshot(ScreenshotCallback::new(keep)));
        }
    }

    fn describe(&self, ctx: &Context, size: [usize; 2]) -> Value {
        let photos = self.window.tab::<Photos>();
        let mut line = export::record(photos).map_or_else(|| json!({}), |record| record.to_json());
        self.window.tabs.seen().describe(&mut line);
        line["window"] = json!(size);
        if let Some(placement) = photos.view.placement {
            let scale = ctx.pixels_per_point();
            let min = placement.rect.min * scale;
            line["picture"] = json!([min.x, min.y, placement.scale * scale]);
        }
        line
    }
}

fn show(window: &mut Window, show: Show) {
    let view = &mut window.tabs.get_mut::<Photos>().view;
    match show {
        Show::Solve => view.look.mode = Mode::Solve,
        Show::Hint => view.look.mode = Mode::Hint,
        Show::Learn => view.look.mode = Mode::Learn,
        Show::Correct => view.task = Task::Correct,
        Show::Stages => view.task = Task::Stages,
        Show::Deal | Show::Play => {
            window.tabs.see(deal::TAB.id);
            let deal = window.tabs.get_mut::<DealTab>();
            if !deal.has_deals() {
                deal.shuffle(SHOWN_SEED);
            }
            if show == Show::Play {
                deal.lay_out();
                deal.start(0.0);
            } else {
                deal.watch();
                deal.act(Action::NextStep, &mut window.desk);
            }
        }
        Show::Tab(id) => window.tabs.see(id),
        Show::Settings => window.page = Some(Page::Settings),
        Show::Keys => window.page = Some(Page::Keys),
    }
}

fn write_picture(path: &Path, picture: &ColorImage) -> Result<(), String> {
    let [width, height] = picture.size.map(|side| side as u32);
    let rgb: Vec<u8> = picture.pixels.iter().flat_map(|p| [p.r(), p.g(), p.b()]).collect();
    let png = encode::png_of(&rgb, (width, height), ExtendedColorType::Rgb8);
    let png = png.map_err(|error| error.to_string())?;
    write_whole(path, &png).map_err(|error| error.to_string())
}

/// A card with a red diamond as the window's icon.
fn icon() -> IconData {
    const SIDE: u32 = 64;
    let diamond = symbol_outline(Shape::Diamond);
    // An even-odd test; the card stands upright, a little away from the icon's border.
    let inside = |x: f64, y: f64| {
        let edges = diamond.iter().zip(diamond.iter().cycle().skip(1));
        let left = |((x0, y0), (x1, y1)): &(&(f64, f64), &(f64, f64))| {
            (y0 <= &y) != (y1 <= &y) && x0 + (y - y0) / (y1 - y0) * (x1 - x0) < x
        };
        edges.filter(left).count() % 2 == 1
    };
    let pixel = |i: u32| {
        let (x, y) = (f64::from(i % SIDE) + 0.5, f64::from(i / SIDE) + 0.5);
        let (x, y) = (x / f64::from(SIDE) - 0.5, y / f64::from(SIDE) - 0.5);
        if inside(0.42 * x, y) {
            [206, 40, 46, 255]
        } else if x.abs() < 0.36 && y.abs() < 0.48 {
            [253, 252, 248, 255]
        } else {
            [0; 4]
        }
    };
    IconData { rgba: (0..SIDE * SIDE).flat_map(pixel).collect(), width: SIDE, height: SIDE }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // Once, and not at every step of the hand that draws the window larger.
        if let Some(size) = self.size {
            self.window.desk.keeper.settings.size = Some(size);
            // There is nobody left to tell.
            let _ = self.window.desk.keeper.save();
        }
        self.window.close();
    }
}

impl eframe::App for Runner {
    fn raw_input_hook(&mut self, _: &Context, raw: &mut RawInput) {
        // Wherever the pointer happens to rest, the picture must look the same.
        if self.screenshot.is_some() {
            raw.events.retain(|event| !matches!(event, Event::PointerMoved(_)));
        }
        #[cfg(target_os = "linux")]
        self.clipboard.hook(raw);
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        if let Some(measure) = &mut self.measure {
            let figures = measure.step(ui.ctx(), &mut self.window, frame.info().cpu_usage);
            if let Some(figures) = figures {
                let ctx = ui.ctx().clone();
                self.measure = None;
                self.finish(&ctx, Ok(figures));
            }
        }
        self.window.ui(ui);
        let ctx = ui.ctx().clone();
        #[cfg(target_os = "linux")]
        if let Some(words) = self.clipboard.refusal() {
            self.window.say(words);
        }
        #[cfg(target_os = "linux")]
        if let Some((name, picture)) = self.window.desk.dragged_out.take() {
            self.clipboard.drag(name, picture);
        }
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

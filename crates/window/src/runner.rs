//! The window as the system runs it, and a screenshot of it on request.

use crate::{
    deal::{self, DealTab},
    live::{self, LiveTab, watched},
    photos::{Photos, Task, export},
    shared::{
        keys::{Action, Go},
        look::Mode,
        settings::{Brightness, SettingsStore},
        tab::{PipelineEye, Tab},
        words::Language,
    },
    window::{
        Window,
        pages::{PAGES, Page},
    },
};
use eframe::egui::{Context, IconData, Ui};
use serde_json::{Value, json};
use setsight_desktop::{Content, Failure};
use setsight_game::{
    cards::{Shape, outline::symbol_outline},
    game::Deal,
};
use setsight_live::{FramePace, Input};
use setsight_nets::engine::Models;
use setsight_vision::ReadingPlan;
use std::{
    path::PathBuf,
    sync::{Arc, LazyLock, atomic::AtomicBool},
    time::{Duration, Instant},
};

/// How long a set is waited for in the camera's picture, once its table is known.
const SET_PATIENCE: Duration = Duration::from_secs(10);

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
    /// The same deck, to be played: its rules and players first
    Play,
    /// A page over the window
    Page(Page),
}

impl Show {
    /// All of them.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Show>> = LazyLock::new(|| {
            let pages = PAGES.iter().filter(|spec| spec.show_help.is_some());
            let pages = pages.map(|spec| Show::Page(spec.page));
            OF_TABS.iter().map(|(show, ..)| *show).chain(pages).collect()
        });
        &ALL
    }

    /// Whether it is a way to look at a photo.
    pub const fn is_of_photos(self) -> bool {
        matches!(self, Self::Solve | Self::Hint | Self::Learn | Self::Correct | Self::Stages)
    }

    /// Its name on the command line, and what is seen.
    pub fn name_and_help(self) -> (&'static str, &'static str) {
        if let Self::Page(page) = self {
            return (page.spec().id, page.spec().show_help.unwrap_or_default());
        }
        let row = OF_TABS.into_iter().find(|(show, ..)| *show == self);
        let (_, name, help) = row.expect("in the table");
        (name, help)
    }
}

/// What tabs can show: names on the command line and help texts.
#[rustfmt::skip]
const OF_TABS: [(Show, &str, &str); 7] = [
    (Show::Solve, "solve", "All sets of the first photo"),
    (Show::Hint, "hint", "Hints"),
    (Show::Learn, "learn", "Why three cards are a set or are not"),
    (Show::Correct, "correct", "Corrections"),
    (Show::Stages, "stages", "How the photo was read"),
    (Show::Deal, "deal", "The file's deal, or a shuffled deck, always the same one, watched step by step"),
    (Show::Play, "play", "The same cards, to be played: its rules and players first"),
];

#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// A camera or a film.
    pub input: Input,
    /// Record the game as this film.
    pub record: Option<PathBuf>,
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
    /// Weights to read with instead of those in use: a folder.
    pub models: Option<PathBuf>,
    /// Watch this first of all.
    pub live: Option<LiveOptions>,
    /// Width and height, in points; none is as it was the last time.
    pub size: Option<(f32, f32)>,
    /// Light or dark whatever the settings say, without changing them.
    pub brightness: Option<Brightness>,
    /// Write the window's picture there once all is read, and close it again.
    pub screenshot: Option<PathBuf>,
    /// Close, as its user would, once this is true.
    pub stop: &'static AtomicBool,
}

/// Opens the window and stays until it is closed. With [`Options::screenshot`] gives what the
/// window shows: the JSON of the photo, the `"transcript"` of the dealt game, or the
/// `"sets"` that are drawn over the camera's picture, with `"window"` (width, height in pixels) and `"picture"`
/// (left and top of the photo in the window, and pixels of the window for each of its pixels).
pub fn open(options: Options) -> Result<Option<Value>, Failure> {
    let wanted = options.screenshot.is_some();
    let kept = if wanted { None } else { SettingsStore::of_user().settings.size };
    let native = setsight_desktop::Options {
        name: "setsight",
        icon: icon(),
        size: options.size,
        usual_size: kept.unwrap_or(USUAL_SIZE),
        least_size: LEAST_SIZE,
        screenshot: options.screenshot.clone(),
        stop: options.stop,
    };
    match setsight_desktop::open(native, move |ctx| Runner::new(ctx, options))? {
        None if wanted => Err(Failure::NoPicture("the window was closed first")),
        outcome => Ok(outcome),
    }
}

struct Runner {
    window: Window,
    /// Since when the camera's table is known.
    table_since: Option<Instant>,
}

impl Runner {
    fn new(ctx: &Context, options: Options) -> Self {
        // A screenshot must not depend on the user's settings.
        let mut store = if options.screenshot.is_some() {
            let mut store = SettingsStore::default();
            store.settings.language = Some(Language::English);
            store
        } else {
            SettingsStore::of_user()
        };
        if let Some(brightness) = options.brightness {
            store = store.with_brightness(brightness);
        }
        let plan =
            ReadingPlan { models: options.models.map(Models::Folder), ..ReadingPlan::default() };
        let mut window = Window::new(ctx, Arc::new(PipelineEye::new(plan.clone())), store);
        window.live_plan = plan;
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
            // A picture waits for a set, and a short film would be over before the first frame is read.
            let films = match options.screenshot {
                Some(_) => FramePace::Every,
                None => FramePace::Newest,
            };
            *live = LiveTab::new(watched::system(plan.clone(), films));
            live.choose(input, &mut window.app);
            live.mirrored = mirrored;
            live.record_as = record;
            window.live_plan = plan;
            window.tabs.see(live::TAB.id);
        }
        Self { window, table_since: None }
    }
}

impl Content for Runner {
    /// What the picture shows.
    type Outcome = Value;

    fn ui(&mut self, ui: &mut Ui) {
        self.window.ui(ui);
    }

    /// Whether what the picture is taken for is seen. In a camera's picture that is a set, which is
    /// waited for for a while.
    fn is_ready(&mut self) -> bool {
        if !self.window.is_settled() {
            return false;
        }
        let live = self.window.tab::<LiveTab>();
        if self.window.tab_id() != live::TAB.id || live.is_over() || !live.drawn_sets().is_empty() {
            return true;
        }
        self.table_since.get_or_insert_with(Instant::now).elapsed() > SET_PATIENCE
    }

    fn describe(&self, ctx: &Context, size: [usize; 2]) -> Value {
        let photos = self.window.tab::<Photos>();
        let mut line = export::record(photos).map_or_else(|| json!({}), |record| record.to_json());
        self.window.tabs.current().describe(&mut line);
        line["window"] = json!(size);
        if let Some(placement) = photos.view.placement {
            let scale = ctx.pixels_per_point();
            let min = placement.rect.min * scale;
            line["picture"] = json!([min.x, min.y, placement.scale * scale]);
        }
        line
    }

    fn close(&mut self, size: Option<(f32, f32)>) {
        // Once, and not at every step of the hand that draws the window larger.
        if size.is_some() {
            self.window.app.store.settings.size = size;
            // There is nobody left to tell.
            let _ = self.window.app.store.save();
        }
        self.window.close();
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
            } else {
                deal.watch();
                deal.act(Action::Step(Go::Next), &mut window.app);
            }
        }
        Show::Page(page) => window.page = Some(page),
    }
}

const ICON_SIDE: u32 = 64;

/// A card with a red diamond as the window's icon.
fn icon() -> IconData {
    let diamond = symbol_outline(Shape::Diamond);
    let pixels = (0..ICON_SIDE * ICON_SIDE).flat_map(|i| icon_pixel(diamond, i));
    IconData { rgba: pixels.collect(), width: ICON_SIDE, height: ICON_SIDE }
}

/// The card stands upright, a little away from the icon's border.
fn icon_pixel(diamond: &[(f64, f64)], i: u32) -> [u8; 4] {
    let (x, y) = (f64::from(i % ICON_SIDE) + 0.5, f64::from(i / ICON_SIDE) + 0.5);
    let (x, y) = (x / f64::from(ICON_SIDE) - 0.5, y / f64::from(ICON_SIDE) - 0.5);
    if is_inside(diamond, 0.42 * x, y) {
        [206, 40, 46, 255]
    } else if x.abs() < 0.36 && y.abs() < 0.48 {
        [253, 252, 248, 255]
    } else {
        [0; 4]
    }
}

/// An even-odd test.
fn is_inside(outline: &[(f64, f64)], x: f64, y: f64) -> bool {
    let edges = outline.iter().zip(outline.iter().cycle().skip(1));
    let left = edges.filter(|((x0, y0), (x1, y1))| {
        (y0 <= &y) != (y1 <= &y) && x0 + (y - y0) / (y1 - y0) * (x1 - x0) < x
    });
    left.count() % 2 == 1
}

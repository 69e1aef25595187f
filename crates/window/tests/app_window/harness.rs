//! A window in a test.

use eframe::egui::accesskit::Role;
use eframe::egui::{DroppedFile, Event, Key, Modifiers, Rect, Shape};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use image::RgbImage;
use setsight_game::cards::Card;
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::LabelFile;
use setsight_photo::source::{Photo, SourceError};
use setsight_vision::{
    CardImage, Guess, PhotoReading, PipelineOutput, ReadCard, Reading, StageTime, TableFacts,
    TableReading, Trace,
};
use setsight_window::Language;
use setsight_window::Photos;
use setsight_window::Window;
use setsight_window::settings::SettingsStore;
use setsight_window::{DealTab, Eye};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sees these cards in every photo, in rows of four. Of those with a `?` it is unsure. Those with `=`
/// may be any of these cards, all as likely; with `>` each is less likely than the one before.
pub struct Fake(Vec<ReadCard>);

impl Fake {
    pub fn seeing(codes: &str) -> Arc<Self> {
        Arc::new(Self(codes.split_whitespace().enumerate().map(read_card).collect()))
    }
}

/// A card as a word says it, at a place.
fn read_card((place, word): (usize, &str)) -> ReadCard {
    let at = Point::new((place % 4) as f64 * 110.0 + 20.0, (place / 4) as f64 * 80.0 + 20.0);
    let corners_in_image = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + at));
    let mut codes = word.trim_end_matches('?').split(['=', '>']).map(|code| code.parse().unwrap());
    let card: Card = codes.next().unwrap();
    let (confidence, falls) = match word {
        _ if word.contains('=') => (0.3, 1.0),
        _ if word.contains('>') => (0.6, 0.5),
        _ => (if word.ends_with('?') { 0.4 } else { 0.98 }, 1.0),
    };
    let unsure = word.len() > 4;
    let alternatives = (1..).zip(codes);
    let alternatives = alternatives
        .map(|(n, card)| Guess { card, confidence: confidence * f32::powi(falls, n) })
        .collect();
    ReadCard { alternatives, ..ReadCard::new(corners_in_image, card, confidence, unsure) }
}

impl Eye for Fake {
    fn load(&self, path: &Path) -> Result<Photo, SourceError> {
        if path.to_string_lossy().contains("bad") {
            return Err(SourceError::Truncated { format: "JPEG" });
        }
        let image = RgbImage::from_pixel(480, 360, image::Rgb([60, 110, 90]));
        // A photo by this name ends early, as one that is still being copied.
        let is_cut_off = path.to_string_lossy().contains("cut");
        Ok(Photo { is_cut_off, ..Photo::of_picture(image) })
    }

    /// A card that somebody shows is three striped purple squiggles.
    fn read_card(&self, _: &Frame, _: Quad, _: TableFacts) -> Result<(CardImage, Reading), String> {
        let values = [[0.0, 0.0, 1.0], [0.0, 0.1, 0.9], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let image = CardImage::from_crop(RgbImage::from_pixel(96, 64, image::Rgb([9, 9, 9])));
        Ok((image, Reading { values, is_card: 0.95 }))
    }

    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String> {
        for stage in ["load", "segment", "board"] {
            trace.picture(stage, || photo.frame.clone()).unwrap();
        }
        trace.times.push(StageTime { stage: "segment", elapsed_ms: 12.3, cpu_ms: 12.0 });
        let cards = self.0.clone();
        let output = PipelineOutput {
            readings: vec![Reading::UNKNOWN; cards.len()],
            images: vec![CardImage::from_crop(RgbImage::new(96, 64)); cards.len()],
            table: TableReading::new(cards, photo.frame.dimensions()),
            ..PipelineOutput::default()
        };
        Ok(PhotoReading::new(photo, output))
    }
}

#[derive(Debug)]
struct Dropped(PathBuf);
impl DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }
    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("not asked for".into())
    }
}

/// A window in a test, its photos and its settings.
pub struct Test {
    pub harness: Harness<'static, Option<Window>>,
    pub folder: tempfile::TempDir,
}

impl Test {
    /// A window of this size on a folder of these photos, all read.
    pub fn sized(eye: Arc<dyn Eye>, photos: &[&str], size: (f32, f32)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for photo in photos {
            std::fs::write(folder.path().join(photo), b"x").unwrap();
        }
        let mut test = Self { harness: harness(eye, &folder, size), folder };
        if !photos.is_empty() {
            test.open(vec![test.path("")]);
        }
        test
    }

    pub fn new(codes: &str, photos: &[&str]) -> Self {
        Self::sized(Fake::seeing(codes), photos, (1280.0, 800.0))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An empty window on a tab.
    pub fn at(tab: &str) -> Self {
        let mut test = Self::new(ONE_SET, &[]);
        test.settle();
        test.press(tab);
        test
    }

    /// Another window, another day, with the same folder and settings.
    pub fn restart(&mut self, codes: &str) {
        self.harness = harness(Fake::seeing(codes), &self.folder, (1280.0, 800.0));
        self.settle();
    }

    pub fn photos(&self) -> &Photos {
        self.window().tab()
    }

    pub fn deal(&self) -> &DealTab {
        self.window().tab()
    }

    pub fn window(&self) -> &Window {
        self.harness.state().as_ref().expect("made in the first frame")
    }

    pub fn window_mut(&mut self) -> &mut Window {
        self.harness.state_mut().as_mut().expect("made in the first frame")
    }

    pub fn open(&mut self, paths: Vec<PathBuf>) {
        self.window_mut().open(paths);
        self.until(|window| {
            window.is_settled()
                && window.tab::<Photos>().shelf.progress().0
                    == window.tab::<Photos>().shelf.progress().1
        });
    }

    /// Lets go a photo of the folder over the window.
    pub fn drop_file(&mut self, name: &str) {
        let file = Arc::new(Dropped(self.path(name)));
        self.harness.input_mut().dropped_files.push(file);
    }

    /// Goes on until the threads have done what is waited for.
    #[track_caller]
    pub fn until(&mut self, done: impl Fn(&Window) -> bool) {
        let start = Instant::now();
        loop {
            self.harness.step();
            if done(self.window()) {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(240), "it never comes");
            std::thread::sleep(Duration::from_millis(2));
        }
        self.settle();
    }

    /// A few frames more: what was pressed is done, animations end.
    pub fn settle(&mut self) {
        for _ in 0..4 {
            self.harness.step();
        }
        self.harness.check_accessibility();
    }

    #[track_caller]
    pub fn press(&mut self, name: &str) {
        match self.harness.query_by_role_and_label(Role::Tab, name) {
            Some(tab) => tab.click(),
            None => self.harness.get_by_role_and_label(Role::Button, name).click(),
        }
        self.settle();
    }

    /// The same where it may have to be scrolled into view.
    #[track_caller]
    pub fn press_anywhere(&mut self, name: &str) {
        self.harness.get_by_role_and_label(Role::Button, name).scroll_to_me();
        self.settle();
        let screen = self.harness.ctx.content_rect();
        let rect = self.harness.get_by_role_and_label(Role::Button, name).rect();
        assert!(screen.contains(rect.center()), "\"{name}\" is at {rect:?}, outside of {screen:?}");
        self.press(name);
    }

    /// Each of these buttons can be scrolled to, and then lies within the window.
    #[track_caller]
    pub fn reaches(&mut self, names: &[&str]) {
        for name in names {
            self.harness.get_by_role_and_label(Role::Button, name).scroll_to_me();
            self.settle();
            let screen = self.harness.ctx.content_rect().expand(1.0);
            let rect = self.harness.get_by_role_and_label(Role::Button, name).rect();
            let across =
                screen.x_range().contains(rect.min.x) && screen.x_range().contains(rect.max.x);
            let is_visible = across && screen.contains(rect.center());
            assert!(is_visible, "\"{name}\" is at {rect:?}, outside of {screen:?}");
        }
    }

    /// What has the keyboard's focus, by name.
    pub fn focused(&self) -> String {
        let node = self.harness.get_by(|node| node.is_focused());
        node.accesskit_node().label().unwrap_or_default()
    }

    pub fn key(&mut self, key: Key) {
        self.harness.key_press(key);
        self.settle();
    }

    pub fn keys(&mut self, held: Modifiers, key: Key) {
        self.harness.key_press_modifiers(held, key);
        self.settle();
    }

    /// Names a path of the folder where the system has no dialog.
    pub fn type_path(&mut self, name: &str) {
        self.type_text(&self.path(name).display().to_string());
        self.press("OK");
    }

    pub fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            self.harness.event(Event::Text(letter.to_string()));
        }
        self.settle();
    }

    #[track_caller]
    pub fn shows(&self, text: &str) {
        assert!(self.harness.query_all_by_label(text).next().is_some(), "\"{text}\" is not shown");
    }

    #[track_caller]
    pub fn shows_part(&self, text: &str) {
        let mut found = self.harness.query_all_by_label_contains(text);
        assert!(found.next().is_some(), "\"{text}\" is not shown");
    }

    #[track_caller]
    pub fn shows_not(&self, text: &str) {
        let mut found = self.harness.query_all_by_label_contains(text);
        assert!(found.next().is_none(), "\"{text}\" is shown");
    }

    /// What a screen reader says of the page, in the order in which it goes through it: roles, names,
    /// values, and what is chosen or cannot be.
    fn read_out(&self) -> String {
        let text: String = self.harness.root().children_recursive().filter_map(spoken).collect();
        text.replace(&*self.folder.path().to_string_lossy(), "FOLDER")
    }

    /// What a screen reader says of the page is what stands in `tests/pages`, in English; it is written
    /// anew if UPDATE_SNAPSHOTS is set. In another language the page has the same elements in the same
    /// order, with other words.
    #[track_caller]
    pub fn is_as_in(&mut self, page: &str, language: Language) {
        let file = format!("tests/pages/{}.txt", page.replace(' ', "-"));
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let is_english = language == Language::English;
        if is_english && std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, self.read_out()).unwrap();
        }
        let english = std::fs::read_to_string(&file).unwrap_or_default();
        let compared = |text: &str| {
            if is_english { text.to_owned() } else { without_words(text) }
        };
        // A picture that a thread makes may come a little later.
        for _ in 0..100 {
            if compared(&self.read_out()) == compared(&english) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
            self.harness.step();
        }
        let current = compared(&self.read_out());
        let difference = first_difference(&compared(&english), &current);
        let name = language.name();
        panic!("{page} in {name}: {difference}; if that is right, set UPDATE_SNAPSHOTS=1");
    }

    /// The words that are painted on the picture, and where.
    pub fn painted(&self) -> Vec<(String, Rect)> {
        let room = self.photos().view.placement.unwrap().room;
        self.harness
            .output()
            .shapes
            .iter()
            .filter_map(|shape| match &shape.shape {
                Shape::Text(text) if room.contains(text.pos) => {
                    Some((text.galley.text().to_owned(), text.visual_bounding_rect()))
                }
                _ => None,
            })
            .collect()
    }

    pub fn codes(&self) -> Vec<String> {
        self.photos().table().cards.iter().map(|card| card.card.to_string()).collect()
    }

    /// What is written in the folder's labels of `a.jpg`.
    pub fn written(&self) -> Option<Vec<String>> {
        let labels = LabelFile::read(self.folder.path()).ok()?.photos().ok()?;
        let photo = labels.iter().find(|photo| photo.file == "a.jpg")?;
        Some(photo.cards.iter().map(|card| card.code.to_string()).collect())
    }
}

/// What is read out of a widget.
fn spoken(node: egui_kittest::Node<'_>) -> Option<String> {
    let node = node.accesskit_node();
    let words = [node.label(), node.value()].into_iter().flatten().collect::<Vec<_>>();
    let toggled = node.toggled().map_or(String::new(), |is| format!(" ({is:?})"));
    let disabled = if node.is_disabled() { " (disabled)" } else { "" };
    let is_spoken = !words.is_empty() && node.role() != Role::TextRun;
    let words = words.join(" = ");
    is_spoken.then(|| format!("{:?}: {words}{toggled}{disabled}\n", node.role()))
}

/// The lines of a page without their words: roles, and what cannot be pressed. What is chosen may
/// differ: on the page of settings it is the language.
fn without_words(page: &str) -> String {
    page.lines()
        .map(|line| {
            let role = line.split(':').next().unwrap_or_default();
            let state = if line.ends_with(" (disabled)") { " (disabled)" } else { "" };
            format!("{role}{state}\n")
        })
        .collect()
}

/// The first line that differs, as it was expected and as it is.
fn first_difference(expected: &str, current: &str) -> String {
    let alike = expected.lines().zip(current.lines()).take_while(|(a, b)| a == b).count();
    let (before, now) = (expected.lines().nth(alike), current.lines().nth(alike));
    format!("line {}: expected {before:?}, found {now:?}", alike + 1)
}

pub fn harness(
    eye: Arc<dyn Eye>,
    folder: &tempfile::TempDir,
    (width, height): (f32, f32),
) -> Harness<'static, Option<Window>> {
    let settings = folder.path().join("settings").join("window.json");
    Harness::builder().with_size(eframe::egui::vec2(width, height)).build_ui_state(
        move |ui, window: &mut Option<Window>| {
            let window = window.get_or_insert_with(|| {
                let mut store = SettingsStore::at(&settings);
                // Whatever the system speaks that the tests run on.
                store.settings.language.get_or_insert(Language::English);
                Window::new(ui.ctx(), Arc::clone(&eye), store).without_dialogs()
            });
            window.ui(ui);
        },
        None,
    )
}

pub const ONE_SET: &str = "1fgd 2fgd 3fgd 1ord";
pub const NO_SET: &str = "1fgd 2fgd 1ogd 2ogd";

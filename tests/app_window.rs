//! The window without a screen: every panel and mode driven by the names that a screen reader says,
//! with a reader that always sees the same cards and a clock that goes a quarter of a second a
//! frame.
#![cfg(feature = "window")]

use eframe::egui::accesskit::Role;
use eframe::egui::{ColorImage, Context, DroppedFile, Event, Key, Modifiers, OutputCommand, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use image::RgbImage;
use image::metadata::Orientation;
use setsight::app::eye::Eye;
use setsight::app::look::Mode;
use setsight::app::settings::{Brightness, Keeper, Palette};
use setsight::app::{Tab, Task, Window};
use setsight::cards::{Card, parse_codes};
use setsight::dataset::PhotoLabels;
use setsight::game::{Deal, transcript};
use setsight::geometry::{Point, Quad};
use setsight::pipeline::source::Photo;
use setsight::pipeline::{
    Frame, ReadCard, Reading, Scan, StageSink, StageTime, TableFacts, rectify, sets_of,
};
use setsight::sets::three_more;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sees these cards in every photo, in rows of four; those with a `?` it is unsure of.
struct Fake(Vec<(Card, bool)>);

impl Fake {
    fn seeing(codes: &str) -> Arc<Self> {
        let words = codes.split_whitespace();
        let cards = words.map(|word| {
            let unsure = word.ends_with('?');
            (word.trim_end_matches('?').parse().unwrap(), unsure)
        });
        Arc::new(Self(cards.collect()))
    }
}

impl Eye for Fake {
    fn load(&self, path: &Path) -> Result<Photo, String> {
        if path.to_string_lossy().contains("bad") {
            return Err("is cut off".into());
        }
        let image = RgbImage::from_pixel(480, 360, image::Rgb([60, 110, 90]));
        let orientation = Orientation::NoTransforms;
        Ok(Photo { frame: Frame { image }, orientation, stored_width: 480, stored_height: 360 })
    }

    fn read(
        &self,
        frame: &Frame,
        sink: Option<&dyn StageSink>,
    ) -> Result<(Scan, Vec<StageTime>), String> {
        for stage in ["load", "segment", "board"] {
            if let Some(sink) = sink {
                sink.picture(stage, &frame.image).unwrap();
            }
        }
        let cards: Vec<ReadCard> = (0..)
            .zip(&self.0)
            .map(|(i, &(card, unsure))| {
                let at =
                    Point::new(f64::from(i % 4) * 110.0 + 20.0, f64::from(i / 4) * 80.0 + 20.0);
                let corners_in_image = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + at));
                let confidence = if unsure { 0.4 } else { 0.98 };
                ReadCard { corners_in_image, card, confidence, unsure }
            })
            .collect();
        let scan = Scan {
            sets: sets_of(&cards),
            readings: vec![Reading::UNKNOWN; cards.len()],
            images: vec![rectify::from_crop(RgbImage::new(96, 64)); cards.len()],
            cards,
            facts: TableFacts::default(),
        };
        Ok((scan, vec![StageTime { stage: "segment", elapsed_ms: 12.3, cpu_ms: 12.0 }]))
    }
}

/// A window in a test, its photos and its settings.
struct Test {
    harness: Harness<'static, Option<Window>>,
    folder: tempfile::TempDir,
}

impl Test {
    /// A window of this size on a folder of these photos, all read.
    fn sized(eye: Arc<dyn Eye>, photos: &[&str], size: (f32, f32)) -> Self {
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

    fn new(codes: &str, photos: &[&str]) -> Self {
        Self::sized(Fake::seeing(codes), photos, (1280.0, 800.0))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn window(&self) -> &Window {
        self.harness.state().as_ref().expect("made in the first frame")
    }

    fn window_mut(&mut self) -> &mut Window {
        self.harness.state_mut().as_mut().expect("made in the first frame")
    }

    fn open(&mut self, paths: Vec<PathBuf>) {
        let ctx = self.harness.ctx.clone();
        self.window_mut().open(&ctx, paths);
        self.until(|window| {
            window.is_settled() && window.photos.progress().0 == window.photos.progress().1
        });
    }

    /// Goes on until the threads have done what is waited for.
    #[track_caller]
    fn until(&mut self, done: impl Fn(&Window) -> bool) {
        let start = Instant::now();
        loop {
            self.harness.step();
            if done(self.window()) {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "it never comes");
            std::thread::sleep(Duration::from_millis(2));
        }
        self.settle();
    }

    /// A few frames more: what was pressed is done, animations end.
    fn settle(&mut self) {
        for _ in 0..4 {
            self.harness.step();
        }
        self.harness.check_accessibility();
    }

    #[track_caller]
    fn press(&mut self, name: &str) {
        self.harness.get_by_role_and_label(Role::Button, name).click();
        self.settle();
    }

    fn key(&mut self, key: Key) {
        self.harness.key_press(key);
        self.settle();
    }

    fn keys(&mut self, held: Modifiers, key: Key) {
        self.harness.key_press_modifiers(held, key);
        self.settle();
    }

    fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            self.harness.event(Event::Text(letter.to_string()));
        }
        self.settle();
    }

    #[track_caller]
    fn shows(&self, text: &str) {
        assert!(self.harness.query_all_by_label(text).next().is_some(), "\"{text}\" is not shown");
    }

    #[track_caller]
    fn shows_part(&self, text: &str) {
        let mut found = self.harness.query_all_by_label_contains(text);
        assert!(found.next().is_some(), "\"{text}\" is not shown");
    }

    #[track_caller]
    fn shows_not(&self, text: &str) {
        let mut found = self.harness.query_all_by_label_contains(text);
        assert!(found.next().is_none(), "\"{text}\" is shown");
    }

    fn codes(&self) -> Vec<String> {
        self.window().photos.table().cards.iter().map(|card| card.card.to_string()).collect()
    }

    /// What is written in the folder's labels of `a.jpg`.
    fn written(&self) -> Option<Vec<String>> {
        let labels = PhotoLabels::read(self.folder.path()).ok()?;
        let photo = labels.photos.iter().find(|photo| photo.file == "a.jpg")?;
        Some(photo.cards.iter().map(|card| card.code.to_string()).collect())
    }
}

fn harness(
    eye: Arc<dyn Eye>,
    folder: &tempfile::TempDir,
    (width, height): (f32, f32),
) -> Harness<'static, Option<Window>> {
    let settings = folder.path().join("settings").join("window.json");
    Harness::builder().with_size(eframe::egui::vec2(width, height)).build_ui_state(
        move |ui, window: &mut Option<Window>| {
            let make = |ctx: &Context| {
                Window::new(ctx, Arc::clone(&eye), Keeper::at(&settings)).without_dialogs()
            };
            window.get_or_insert_with(|| make(ui.ctx())).ui(ui);
        },
        None,
    )
}

const ONE_SET: &str = "1fgd 2fgd 3fgd 1ord";
const NO_SET: &str = "1fgd 2fgd 1ogd 2ogd";

#[test]
fn an_empty_window_says_what_to_do() {
    let mut test = Test::new(ONE_SET, &[]);
    test.settle();
    test.shows("Which cards are a set?");
    test.press("Keys");
    for binding in setsight::app::keys::BINDINGS {
        test.shows(binding.words);
    }
    test.key(Key::F1);
    test.shows_not("Everything larger");
    test.press("Deal cards without photos");
    assert_eq!(test.window().tab, Tab::Deal);
    test.press("Photos");
    // This system has no dialog: the path is typed.
    test.press("Open a folder of photos");
    test.type_text("/no/such/folder");
    test.press("OK");
    assert!(test.window().said().unwrap().contains("/no/such/folder"));
    test.press("Cancel");
    std::fs::write(test.path("a.jpg"), b"x").unwrap();
    test.keys(Modifiers::COMMAND, Key::L);
    let folder = test.path("").display().to_string();
    test.type_text(&folder);
    test.press("OK");
    test.until(|window| window.photos.progress() == (1, 1));
    test.shows("1 set");
}

#[test]
fn the_strip_shows_and_leads_to_every_photo() {
    let mut test = Test::new("1fgd 2fgd 3fgd 1ord?", &["a.jpg", "b.jpg", "bad.jpg", "d.jpg"]);
    for name in ["a.jpg", "b.jpg", "d.jpg"] {
        test.shows(&format!("{name}: 1 set, 1 card unsure"));
    }
    test.shows("bad.jpg: cannot be read");
    test.press("b.jpg: 1 set, 1 card unsure");
    test.shows_part("photo 2 of 4");
    for (key, place) in [(Key::PageDown, 3), (Key::End, 4), (Key::PageUp, 3), (Key::Home, 1)] {
        test.key(key);
        test.shows_part(&format!("photo {place} of 4"));
    }
    test.press("bad.jpg: cannot be read");
    test.until(|window| window.is_settled());
    test.shows("This photo cannot be read.");
    test.shows("It is cut off.");
}

#[test]
fn sets_are_shown_together_and_one_by_one() {
    let mut test = Test::new("1fgd 2fgd 3fgd 1ord 2ord 3ord", &["a.jpg"]);
    test.shows("2 sets");
    test.shows("Showing all");
    test.key(Key::ArrowRight);
    test.shows("Showing 1 of 2");
    test.key(Key::ArrowRight);
    test.key(Key::ArrowRight);
    test.shows("Showing all");
    test.press("Set before");
    test.shows("Showing 2 of 2");
    test.key(Key::ArrowUp);
    let first =
        "Set 1: one filled green diamond, two filled green diamonds, three filled green diamonds";
    test.press(first);
    assert_eq!(test.window().photos.look.set, Some(0));
    // A card of the other set leads there.
    test.press("Card 5: two open red diamonds");
    assert_eq!(test.window().photos.look.set, Some(1));
}

#[test]
fn no_set_is_said_plainly_with_the_chance_of_one() {
    let mut test = Test::new(NO_SET, &["a.jpg"]);
    test.shows("No set here.");
    let chance = three_more(&parse_codes(NO_SET).unwrap()).unwrap().value();
    test.shows(&format!("Three more cards bring one in {:.0} of 100 cases.", 100.0 * chance));
    for mode in ["Hint", "Solve"] {
        test.press(mode);
        test.shows("No set here.");
    }
}

#[test]
fn hints_come_one_by_one() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F3);
    assert_eq!(test.window().photos.look.mode, Mode::Hint);
    test.shows_part("There is a set here.");
    test.shows_not("Set 1:");
    let given = |test: &Test| test.harness.query_all_by_role(Role::Image).count();
    let before = given(&test);
    test.press("Show one card");
    assert_eq!(given(&test), before + 1);
    test.key(Key::H);
    test.shows_part("Which card is the third?");
    assert_eq!(given(&test), before + 2);
    test.press("Show the third card");
    assert_eq!(given(&test), before + 3);
    test.shows("This is a set.");
    test.key(Key::Escape);
    test.shows_part("There is a set here.");
}

#[test]
fn three_chosen_cards_are_explained() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F4);
    test.shows("Choose three cards in the picture.");
    for card in ["Card 1: one filled green diamond", "Card 2: two filled green diamonds"] {
        test.press(card);
    }
    test.shows("Choose one more.");
    test.press("Card 3: three filled green diamonds");
    test.shows("A set!");
    test.shows("all different: one, two, three");
    test.shows("all alike: green");
    test.press("Choose other cards");
    for card in [
        "Card 1: one filled green diamond",
        "Card 2: two filled green diamonds",
        "Card 4: one open red diamond",
    ] {
        test.press(card);
    }
    test.shows("two are one, one is two");
    test.shows("No set, because of the number and the shading and the colour.");
}

#[test]
fn a_correction_is_undone_saved_and_there_after_a_restart() {
    let mut test = Test::new("1fgd 2fgd 3srs 1ord?", &["a.jpg"]);
    test.key(Key::F5);
    assert_eq!(test.window().photos.task, Task::Correct);
    test.press("Card 3: three striped red squiggles");
    test.press("shading: filled");
    assert_eq!(test.codes()[2], "3frs");
    assert_eq!(test.written().unwrap(), ["1fgd", "2fgd", "3frs"], "what is unsure is not written");
    // The rest by four keys.
    test.type_text("3fgd");
    assert_eq!(test.written().unwrap()[2], "3fgd");
    assert_eq!(test.window().photos.table().sets.len(), 1);
    test.press("Undo");
    assert_eq!(test.codes()[2], "3frs");
    test.keys(Modifiers::COMMAND, Key::Z);
    assert_eq!((test.codes()[2].as_str(), test.written()), ("3srs", None));
    test.press("Redo");
    test.keys(Modifiers::COMMAND, Key::Y);
    assert_eq!(test.written().unwrap()[2], "3fgd");
    // The unsure one is right after all; the first is no card.
    test.key(Key::ArrowRight);
    test.press("It is right");
    test.key(Key::ArrowRight);
    test.press("Strike");
    assert_eq!(test.written().unwrap(), ["2fgd", "3fgd", "1ord"]);
    // Another window on the same folder.
    test.harness = harness(Fake::seeing("1fgd 2fgd 3srs 1ord?"), &test.folder, (1280.0, 800.0));
    test.settle();
    test.open(vec![test.path("")]);
    assert_eq!(test.codes(), ["2fgd", "3fgd", "1ord"]);
    test.shows_part("labelled");
}

#[test]
fn a_card_that_lies_there_already_is_swapped_on_request() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F5);
    test.press("Card 4: one open red diamond");
    test.type_text("2fgd");
    test.shows_part("Card 2 is two filled green diamonds already");
    assert_eq!((test.codes()[3].as_str(), test.written()), ("1ord", None));
    test.press("Swap the two");
    assert_eq!(test.codes(), ["1fgd", "1ord", "3fgd", "2fgd"]);
    test.shows_not("already");
}

#[test]
fn a_missed_card_is_added_and_its_corner_moved() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F5);
    test.key(Key::A);
    test.shows("Click the middle of the card that was missed.");
    let placement = test.window().photos.placement().unwrap();
    let at = placement.window_from_image(Point::new(240.0, 250.0));
    test.harness.hover_at(at);
    test.harness.drag_at(at);
    test.harness.drop_at(at);
    test.settle();
    assert_eq!(test.codes().len(), 5);
    test.type_text("3sps");
    assert_eq!(test.written().unwrap()[4], "3sps");
    let corner = |test: &Test| test.window().photos.table().cards[4].corners_in_image.0[0];
    let before = corner(&test);
    test.keys(Modifiers::ALT, Key::ArrowLeft);
    assert!((before.x - corner(&test).x - 1.0).abs() < 1e-9);
    // By the mouse, in one drag.
    let handle = test.harness.get_by_label("Corner 1 of card 5").rect().center();
    test.harness.hover_at(handle);
    test.harness.drag_at(handle);
    for step in 1..=4 {
        test.harness.hover_at(handle - eframe::egui::vec2(5.0 * step as f32, 0.0));
    }
    test.harness.drop_at(handle - eframe::egui::vec2(20.0, 0.0));
    test.settle();
    let moved = before.x - 1.0 - corner(&test).x;
    assert!((moved - 20.0 / f64::from(placement.scale)).abs() < 1.0, "{moved}");
    test.press("Undo");
    assert!((before.x - corner(&test).x - 1.0).abs() < 1e-9, "a drag is one change");
}

#[test]
fn every_stage_can_be_looked_at() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F6);
    test.until(|window| window.is_settled());
    test.shows("Picture of the stage The photo");
    test.key(Key::ArrowRight);
    test.shows("Picture of the stage Outlines");
    test.shows("Where cards are thought to lie.");
    test.key(Key::ArrowLeft);
    test.key(Key::ArrowLeft);
    test.shows("Picture of the stage The table");
}

#[test]
fn the_board_is_copied_and_saved() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.harness.event(Event::Copy);
    test.harness.step();
    let commands = test.harness.output().platform_output.commands.clone();
    let copied = commands.iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let text = copied.expect("copied");
    assert!(text.contains("set 1: 1 one filled green diamond, 2 two"), "{text}");
    for (key, file) in [(Key::J, "found.json"), (Key::E, "found.png")] {
        test.keys(Modifiers::COMMAND, key);
        let path = test.path(file).display().to_string();
        test.type_text(&path);
        test.press("OK");
        assert!(test.window().said().unwrap().contains(file));
    }
    let json = std::fs::read_to_string(test.path("found.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["sets"], serde_json::json!([[0, 1, 2]]));
    let picture = image::open(test.path("found.png")).unwrap();
    assert!(picture.width() == 480 && picture.height() > 360, "with a legend");
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

#[test]
fn photos_come_by_drop_and_by_paste() {
    let mut test = Test::new(ONE_SET, &[]);
    test.settle();
    for name in ["a.jpg", "b.jpg"] {
        std::fs::write(test.path(name), b"x").unwrap();
        let file = Arc::new(Dropped(test.path(name)));
        test.harness.input_mut().dropped_files.push(file);
    }
    test.until(|window| window.photos.progress() == (2, 2));
    test.harness.event(Event::Paste(test.path("a.jpg").display().to_string()));
    test.until(|window| window.photos.progress() == (1, 1));
    test.harness.event(Event::Paste("nothing of use".into()));
    test.settle();
    assert!(test.window().said().unwrap().contains("nothing of use"));
    let picture = ColorImage::filled([480, 360], eframe::egui::Color32::GREEN);
    test.harness.event(Event::PasteImage(Arc::new(picture)));
    test.until(|window| {
        window.is_settled() && window.photos.current().unwrap().0.ends_with("pasted picture")
    });
    test.shows("1 set");
}

#[test]
fn settings_are_remembered() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.press("Settings");
    for choice in ["Dark", "Strong contrast"] {
        test.press(choice);
    }
    test.harness
        .get_by_role_and_label(Role::CheckBox, "Say the colour of drawn cards as a letter, too")
        .click();
    test.settle();
    test.press("Close");
    assert!(test.harness.ctx.global_style().visuals.dark_mode);
    test.keys(Modifiers::COMMAND, Key::Plus);
    test.harness = harness(Fake::seeing(ONE_SET), &test.folder, (1280.0, 800.0));
    test.settle();
    let settings = &test.window().keeper.settings;
    assert_eq!((settings.brightness, settings.palette), (Brightness::Dark, Palette::Strong));
    assert!(settings.letters && (settings.scale - 1.1).abs() < 1e-6);
    test.shows_part("again");
}

#[test]
fn a_game_is_watched_step_by_step() {
    let mut test = Test::new(ONE_SET, &[]);
    test.settle();
    test.press("Deal");
    test.press("Type or paste codes");
    let cards: Vec<Card> = Card::deck().take(18).collect();
    let codes: Vec<String> = cards.iter().map(ToString::to_string).collect();
    test.harness.get_by_role(Role::MultilineTextInput).type_text(&codes.join(" "));
    test.settle();
    test.press("Deal these");
    test.shows("The first twelve cards");
    test.shows("Place 1: one filled green diamond");
    test.press("Next step");
    test.shows_part("sets taken");
    for _ in 0..40 {
        test.key(Key::ArrowRight);
    }
    test.shows("The game is over");
    let whole = transcript(&[Deal::new(cards).unwrap()]);
    assert!(whole.ends_with(&test.window().deal.transcript().unwrap()));
    test.key(Key::Home);
    test.shows("The first twelve cards");
}

#[test]
fn a_game_is_played_against_the_clock() {
    let mut test = Test::new(ONE_SET, &[]);
    test.settle();
    test.press("Deal");
    let codes = "1fgd 2fgd 3fgd 1ord 2ogs 3sps 1sgo 2fro 3ops 1opd 2srs 3fgo 1frs 1fgs 2sgd";
    test.harness.event(Event::Paste(codes.into()));
    test.settle();
    test.press("Play");
    test.shows("Click three cards that are a set.");
    for place in [
        "Place 1: one filled green diamond",
        "Place 2: two filled green diamonds",
        "Place 4: one open red diamond",
    ] {
        test.press(place);
    }
    test.shows("Not a set.");
    test.shows_part("1 mistake");
    test.press("No set here");
    test.shows("There is a set.");
    test.key(Key::H);
    for place in [
        "Place 1: one filled green diamond",
        "Place 2: two filled green diamonds",
        "Place 3: three filled green diamonds",
    ] {
        test.press(place);
    }
    test.shows("A set!");
    test.shows("1 set taken");
    test.shows("Place 1: one filled red squiggle");
    let clock = || test.harness.query_all_by_label_contains("0:").count();
    assert!(clock() > 0);
    // A file of deals that is wrong is named; the game stays.
    std::fs::write(test.path("deals.txt"), "1\n12\n1fgd\n").unwrap();
    test.key(Key::O);
    let path = test.path("deals.txt").display().to_string();
    test.type_text(&path);
    test.press("OK");
    assert!(test.window().said().unwrap().contains("Line 3"), "{:?}", test.window().said());
    test.shows("1 set taken");
}

#[test]
fn labels_that_cannot_be_read_are_left_alone() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    std::fs::write(test.path("labels.json"), "{ half").unwrap();
    test.open(vec![test.path("")]);
    test.key(Key::F5);
    test.press("Card 4: one open red diamond");
    test.press("colour: green");
    assert!(test.window().said().unwrap().contains("labels.json"));
    assert_eq!(std::fs::read_to_string(test.path("labels.json")).unwrap(), "{ half");
}

#[test]
fn a_small_window_shows_the_same() {
    for size in [(640.0, 480.0), (420.0, 700.0)] {
        let mut test = Test::sized(Fake::seeing(ONE_SET), &["a.jpg", "b.jpg"], size);
        test.shows("1 set");
        let placement = test.window().photos.placement().unwrap();
        assert!(placement.room.width() > 250.0 && placement.room.height() > 90.0, "{placement:?}");
        for key in [Key::F3, Key::F4, Key::F5, Key::F6] {
            test.key(key);
        }
        test.key(Key::F1);
        test.press("Close");
        test.press("Deal");
        test.press("Shuffle and deal");
        test.shows("The first twelve cards");
    }
}

#[test]
fn a_picture_is_zoomed_and_moved() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    let whole = test.window().photos.placement().unwrap();
    let at = whole.room.center();
    test.harness.hover_at(at);
    test.type_text("+");
    test.key(Key::Plus);
    let near = test.window().photos.placement().unwrap();
    assert!(near.scale > 1.3 * whole.scale);
    test.harness.drag_at(at);
    test.harness.hover_at(pos2(at.x + 60.0, at.y));
    test.harness.drop_at(pos2(at.x + 60.0, at.y));
    test.settle();
    let moved = test.window().photos.placement().unwrap();
    assert!((moved.rect.min.x - near.rect.min.x - 60.0).abs() < 8.0, "{near:?} {moved:?}");
    test.key(Key::Num0);
    assert_eq!(test.window().photos.placement().unwrap(), whole);
}

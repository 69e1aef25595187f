//! The camera's tab without a camera or a screen: what it shows of a source that tests control, or of a phone,
//! with the page and its code.

use crate::harness::{ONE_SET, Test, harness};
use crate::layout;
use eframe::egui::{Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::Queryable;
use image::{Rgb, RgbImage};
use setsight_game::{cards::parse_codes, sets::Chance};
use setsight_live::{
    CameraChoice, CameraError, Input, LiveCommand, LiveSource, LiveView, Notice, Recording,
    RecordingState,
    cameras::{CameraInfo, CameraOffer, CameraWish},
    films::FilmPlace,
};
use setsight_phone::{Listen, Options};
use setsight_photo::geometry::{Point, Quad};
use setsight_track::{CardTrack, TrackedTable, counter::Score};
use setsight_vision::{Mirrored, ReadCard, Reading, TableReading};
use setsight_window::{Language, LiveTab, Mode, Page, Photos, PipelineEye};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::{Arc, Mutex};

/// What the camera shows, and what was asked of it.
#[derive(Clone, Default)]
struct Fake {
    view: Arc<Mutex<Arc<LiveView>>>,
    asked: Arc<Mutex<Vec<LiveCommand>>>,
    /// What was to be watched, one after the other.
    inputs: Arc<Mutex<Vec<Input>>>,
    mirrored: Arc<Mutex<Vec<Mirrored>>>,
}

impl LiveSource for Fake {
    fn view(&mut self) -> Arc<LiveView> {
        Arc::clone(&self.view.lock().unwrap())
    }
    fn command(&mut self, command: LiveCommand) {
        self.asked.lock().unwrap().push(command);
    }
}

/// Frame `number` with these cards in a row.
fn view(number: u64, codes: &str) -> LiveView {
    let cards: Vec<ReadCard> = (0..)
        .zip(parse_codes(codes).unwrap())
        .map(|(i, card)| {
            let at = Point::new(20.0 + 110.0 * f64::from(i), 100.0);
            let corners_in_image = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + at));
            ReadCard::new(corners_in_image, card, 0.98, false)
        })
        .collect();
    let tracks = (0..cards.len() as u64)
        .map(|id| CardTrack { id, reading: Reading::UNKNOWN, hidden: false })
        .collect();
    let taken = vec![[cards[0].card; 3]];
    let table = TableReading::new(cards, (640, 360));
    let chance = Some(Chance { favourable: 3, total: 4 });
    LiveView {
        frame: Some(Arc::new(RgbImage::from_pixel(640, 360, Rgb([60, 90, 70])))),
        number,
        time_ms: 100.0 * number as f64,
        tracked: TrackedTable { table, tracks, looked: true, ..TrackedTable::default() },
        score: Score { distinct_cards: 14, taken, left: 67, chance },
        fps: 30.0,
        latency_ms: 4.0,
        ..LiveView::default()
    }
}

/// A window in a test, at the camera's tab.
struct Live {
    test: Test,
    fake: Fake,
}

impl std::ops::Deref for Live {
    type Target = Test;
    fn deref(&self) -> &Test {
        &self.test
    }
}

impl std::ops::DerefMut for Live {
    fn deref_mut(&mut self) -> &mut Test {
        &mut self.test
    }
}

impl Live {
    fn new() -> Self {
        Self::with(tempfile::tempdir().unwrap())
    }

    /// With the settings that are kept in a folder.
    fn with(folder: tempfile::TempDir) -> Self {
        let fake = Fake::default();
        let eye = Arc::new(PipelineEye::default());
        let harness = harness(eye, &folder, (1280.0, 800.0));
        let mut test = Test { harness, folder };
        test.settle();
        let (source, kept) = (fake.clone(), test.path("kept"));
        let tab = test.window_mut().tabs.get_mut::<LiveTab>();
        *tab = LiveTab::new(Box::new(move |_, input, mirrored| {
            source.mirrored.lock().unwrap().push(mirrored);
            source.inputs.lock().unwrap().push(input.clone());
            Ok(Box::new(source.clone()) as Box<dyn LiveSource>)
        }));
        tab.folder = kept;
        tab.cameras = Box::new(|| vec![CameraInfo { number: 2, name: "Desk".into() }]);
        test.press("Live");
        test.press("Camera…");
        Self { test, fake }
    }

    fn show(&mut self, view: LiveView) {
        *self.fake.view.lock().unwrap() = Arc::new(view);
        self.settle();
    }
}

#[test]
fn the_running_game_is_shown_in_three_ways() {
    let mut test = Live::new();
    assert_eq!(test.window().tab_id(), "live");
    test.show(LiveView { tracked: TrackedTable::default(), ..view(0, "1fgd") });
    test.shows_part("Looking for cards");
    test.shows_not("No cards found");
    test.show(view(1, "1fgd 2fgd 3fgd 1ord"));
    test.shows_part("The camera's picture");
    test.shows_part("1 set");
    test.shows_part("14 cards seen, 1 set taken, 67 in the deck");
    test.shows_part("Chance that three more bring a set: 75 %");
    test.key(Key::F3);
    test.shows_part("There is a set here.");
    test.key(Key::H);
    test.shows_part("This card is part of a set.");
    // Another frame of the same table keeps the hint; another table begins again.
    test.show(view(2, "1fgd 2fgd 3fgd 1ord"));
    test.shows_part("This card is part of a set.");
    test.show(view(3, "1fgd 2fgd 1ogd 2ogd"));
    test.shows_part("No set here.");
    // One chance on the screen: that of the cards which the deck still holds.
    test.shows_part("Chance that three more bring a set: 75 %");
    test.shows_not("Three more cards bring one");
    test.key(Key::F4);
    for card in ["Card 1", "Card 2", "Card 3"] {
        test.harness.query_all_by_label_contains(card).next().expect("a card").click();
        test.settle();
    }
    assert_eq!(test.window().tab::<LiveTab>().look.mode, Mode::Learn);
    test.shows_part("two are");
}

#[test]
fn sets_stand_first_and_the_controls_behind_one_button() {
    let mut test = Live::new();
    test.show(view(1, "1fgd 2fgd 3fgd 1ord"));
    let set = |test: &Live| test.harness.get_by_label_contains("Set 1: ").rect().min.y;
    let below = set(&test);
    test.press("Camera…");
    test.shows_not("Save picture");
    test.shows_not("Mirrored");
    assert!(set(&test) < below - 100.0, "{} and {below}", set(&test));
}

#[test]
fn the_picture_is_held_kept_and_a_new_game_begun() {
    let mut test = Live::new();
    test.show(view(7, "1fgd 2fgd 3fgd 1ord"));
    test.key(Key::F);
    assert!(!test.folder.path().join("kept").exists(), "holding writes nothing");
    test.press("Save picture");
    test.press("New game");
    test.press("Go on");
    let asked = test.fake.asked.lock().unwrap().clone();
    assert_eq!(
        asked,
        [LiveCommand::Freeze(true), LiveCommand::NewGame, LiveCommand::Freeze(false)]
    );
    let kept = test.folder.path().join("kept");
    let line = std::fs::read_to_string(kept.join("table-0001.json")).unwrap();
    assert!(line.starts_with(r#"{"version":1,"frame":7,"#) && line.contains("2fgd"), "{line}");
    assert!(kept.join("table-0001.png").is_file());
    assert!(test.window().message().unwrap().contains("table-0001.png"));
}

#[test]
fn each_camera_problem_comes_with_advice() {
    let mut test = Live::new();
    let camera = || "Lid".to_owned();
    let unopened = CameraError::Unopened { camera: camera(), reason: "it is not a camera".into() };
    for (error, title, advice) in [
        (CameraError::None, "No camera is connected", "use a phone"),
        (
            CameraError::Busy { camera: camera() },
            "Camera Lid is in use",
            "Close the other program.",
        ),
        (CameraError::Permission { camera: camera() }, "Camera Lid may not", "usermod -aG video"),
        (CameraError::Unplugged { camera: camera() }, "Camera Lid is unplugged", "Plug it in"),
        (CameraError::Black { camera: camera() }, "gives black pictures", "Open its shutter"),
        (unopened, "cannot be opened: it is not a camera", "Try another one"),
        (CameraError::Silent { camera: camera(), seconds: 5 }, "Lid has sent no", "app still open"),
    ] {
        let notice = Some(Notice { tried_again: true, ..Notice::from(&error) });
        test.show(LiveView { notice, ..LiveView::default() });
        test.shows_part(title);
        test.shows_part(advice);
        test.shows_part("Trying again every second.");
    }
    // The camera is back.
    test.show(view(1, "1fgd 2fgd 3fgd 1ord"));
    test.shows_not("cannot be opened");
    test.shows_part("1 set");
}

fn watch_address(test: &mut Live, address: &str) {
    test.press("Watch…");
    test.harness.get_by_role(Role::TextInput).click();
    test.settle();
    test.type_text(address);
    test.press("Watch");
}

#[test]
fn without_a_camera_another_or_a_film_is_chosen_in_the_window() {
    let mut test = Live::new();
    let notice = Some(Notice::from(&CameraError::None));
    test.show(LiveView { notice, ..LiveView::default() });
    test.shows_not("setsight live");
    test.shows_not("in the deck");
    test.press("Open film");
    test.shows_part("Open a film");
    test.press("Cancel");
    test.press("Choose camera");
    test.shows_part("What would you like to watch?");
    test.press("Desk");
    test.shows_not("What would you like to watch?");
    let last = |test: &Live| test.fake.inputs.lock().unwrap().last().cloned();
    assert_eq!(last(&test), Some(Input::Camera(CameraChoice::Number(2))));
    // A phone, by its address, whose password is shown nowhere.
    watch_address(&mut test, "ftp://nonsense");
    test.shows_part("expected one such as http://");
    let address = "http://ann:s3cret@10.0.0.7:8080/video";
    test.press("Close");
    watch_address(&mut test, address);
    assert_eq!(last(&test), Some(Input::Network(address.parse().unwrap())));
    test.shows_part("http://10.0.0.7:8080/video");
    test.shows_not("s3cret");
}

#[test]
fn a_phone_is_watched_in_place_of_the_camera() {
    let mut test = Live::new();
    test.show(LiveView { notice: Some(Notice::from(&CameraError::None)), ..LiveView::default() });
    let phone = Fake::default();
    *phone.view.lock().unwrap() = Arc::new(view(1, "1fgd 2fgd 3fgd 1ord"));
    let source = phone.clone();
    let window = test.window_mut();
    let source = Box::new(move || Box::new(source.clone()) as Box<dyn LiveSource>);
    window.tabs.get_mut::<LiveTab>().watch_phone(2, source, &mut window.app);
    test.settle();
    test.shows_part("phone 2");
    test.shows_part("1 set");
    test.shows_not("No camera is connected");
    // Its pictures are turned on the phone.
    test.shows_not("Turn");
    test.shows_not("Mirrored");
    test.key(Key::T);
    test.press("New game");
    assert_eq!(*phone.asked.lock().unwrap(), [LiveCommand::NewGame]);
    // Who goes elsewhere ends a recording, though the phone plays on.
    let film = "game.avi".into();
    let recording = Recording { film, length_ms: 1.0, state: RecordingState::Running };
    let recorded = LiveView { recording: Some(recording), ..view(2, "1fgd 2fgd 3fgd 1ord") };
    *phone.view.lock().unwrap() = Arc::new(recorded);
    test.settle();
    test.press("Photos");
    assert_eq!(phone.asked.lock().unwrap().last(), Some(&LiveCommand::StopRecording));
    test.press("Live");
    test.shows_part("phone 2");
    let window = test.window_mut();
    window.tabs.get_mut::<LiveTab>().forget_phone(&mut window.app);
    test.settle();
    test.shows_part("No camera is connected");
}

#[test]
fn a_film_is_held_moved_and_replayed() {
    let mut test = Live::new();
    let place = FilmPlace { at_ms: 61_000.0, length_ms: Some(125_000.0), paused: false };
    let film = |number, place, ended| LiveView {
        film: Some(place),
        ended,
        ..view(number, "1fgd 2fgd 3fgd 1ord")
    };
    test.show(film(1, place, false));
    test.shows_part("1:01 of 2:05");
    test.press("Pause");
    test.show(film(2, FilmPlace { paused: true, ..place }, false));
    test.press("Play");
    test.shows_not("The film has ended");
    test.show(film(3, place, true));
    test.shows_part("The film has ended.");
    test.press("New game");
    test.press("Again");
    let asked = test.fake.asked.lock().unwrap().clone();
    let expected = [
        LiveCommand::Pause(true),
        LiveCommand::Pause(false),
        LiveCommand::NewGame,
        LiveCommand::Seek(0.0),
    ];
    assert_eq!(asked, expected);
    // A camera has no such buttons.
    test.show(view(4, "1fgd 2fgd 3fgd 1ord"));
    test.shows_not("Again");
}

fn hover_first_card(test: &mut Live) {
    test.harness.query_all_by_label_contains("Card 1").next().expect("a card").hover();
    for _ in 0..10 {
        test.settle();
    }
}

#[test]
fn a_card_under_the_pointer_tells_no_set_where_hints_are_asked_for() {
    let mut test = Live::new();
    let mut unsure = view(1, "1fgd 2fgd 3fgd 1ord");
    let card = &mut unsure.tracked.table.cards[0];
    (card.unsure, card.confidence) = (true, 0.8);
    test.show(unsure);
    hover_first_card(&mut test);
    test.shows_part("In set 1?");
    test.key(Key::F3);
    hover_first_card(&mut test);
    test.shows_part("code 1fgd");
    test.shows_not("In set 1");
}

#[test]
fn the_picture_is_turned_and_read_as_mirrored() {
    let mut test = Live::new();
    test.show(view(1, "1fgd 2fgd 3fgd 1ord"));
    test.press("Turn");
    test.key(Key::T);
    let asked = test.fake.asked.lock().unwrap().clone();
    assert_eq!(asked, [LiveCommand::Turn(1), LiveCommand::Turn(2)]);
    test.press("Yes");
    assert_eq!(*test.fake.mirrored.lock().unwrap(), [Mirrored::default(), Mirrored::Yes]);
    // The turn is kept.
    assert_eq!(test.fake.asked.lock().unwrap().last(), Some(&LiveCommand::Turn(2)));
}

#[test]
fn a_game_is_recorded_and_its_file_is_named() {
    let mut test = Live::new();
    test.shows_not("Record");
    test.key(Key::R);
    test.show(view(1, "1fgd 2fgd 3fgd 1ord"));
    let kept = test.folder.path().join("kept");
    assert!(!kept.exists(), "nothing is written unasked");
    test.press("Record");
    let film = kept.join("game-0001.avi");
    let asked = |test: &Live| test.fake.asked.lock().unwrap().last().cloned();
    assert_eq!(asked(&test), Some(LiveCommand::Record(film.clone())));
    let recording = |state| {
        let recording = Some(Recording { film: film.clone(), length_ms: 72_000.0, state });
        LiveView { recording, ..view(2, "1fgd 2fgd 3fgd 1ord") }
    };
    test.show(recording(RecordingState::Running));
    test.shows_part("Recording as");
    test.shows_part("game-0001.avi, 1:12");
    test.press("Stop recording");
    assert_eq!(asked(&test), Some(LiveCommand::StopRecording));
    test.show(recording(RecordingState::Kept));
    test.shows_part("The recording is saved as");
    // The next one has another name.
    std::fs::write(kept.join("game-0001.jsonl"), "").unwrap();
    test.key(Key::R);
    assert_eq!(asked(&test), Some(LiveCommand::Record(kept.join("game-0002.avi"))));
    test.show(recording(RecordingState::Failed("the disk is full".into())));
    test.shows_part("The recording stopped at 1:12: the disk is full.");
    // Who leaves the camera ends it, and sees a message.
    test.show(recording(RecordingState::Running));
    test.press("Photos");
    assert!(test.window().message().unwrap().contains("The recording is saved as"));
    // A film is recorded already.
    test.press("Live");
    let window = test.window_mut();
    window.tabs.get_mut::<LiveTab>().choose(Input::Film("game.avi".into()), &mut window.app);
    test.show(view(3, "1fgd 2fgd 3fgd 1ord"));
    test.shows_not("Record");
}

#[test]
fn what_is_chosen_for_a_camera_is_remembered() {
    let mut test = Live::new();
    test.show(view(1, "1fgd 2fgd 3fgd 1ord"));
    test.shows_not("Exposure");
    test.press("Turn");
    test.press("Yes");
    assert_eq!(test.fake.mirrored.lock().unwrap().last(), Some(&Mirrored::Yes));
    let span = |now| Some(setsight_live::cameras::Span { least: 0, most: 500, now });
    let offer = CameraOffer {
        sizes_px: vec![(640, 480), (1280, 720)],
        exposure: span(250),
        focus: span(30),
    };
    test.show(LiveView { offer, ..view(2, "1fgd 2fgd 3fgd 1ord") });
    test.shows_part("Size");
    let check = |test: &mut Live, name: &str| {
        test.harness.get_by_role_and_label(Role::CheckBox, name).click();
        test.settle();
    };
    check(&mut test, "Exposure automatic");
    check(&mut test, "Focus automatic");
    check(&mut test, "Focus automatic");
    let set = |exposure, focus| LiveCommand::Set(CameraWish { exposure, focus, size_px: None });
    let asked = test.fake.asked.lock().unwrap().clone();
    let turn = || LiveCommand::Turn(1);
    let sets = [set(Some(250), None), set(Some(250), Some(30)), set(Some(250), None)];
    // Opened anew for the mirror, the camera is turned again.
    assert_eq!(asked, [[turn(), turn()].to_vec(), sets.to_vec()].concat());
    // Another window, another day: the camera as it was.
    let Test { harness, folder } = test.test;
    drop(harness);
    let mut test = Live::with(folder);
    test.show(view(1, "1fgd 2fgd 3fgd 1ord"));
    let asked = test.fake.asked.lock().unwrap().clone();
    assert_eq!(asked, [LiveCommand::Turn(1), set(Some(250), None)]);
    assert_eq!(*test.fake.mirrored.lock().unwrap(), [Mirrored::Yes]);
    // It is that camera's: a phone has settings of its own, and no password is written down.
    watch_address(&mut test, "http://ann:s3cret@10.0.0.7/video");
    test.show(view(2, "1fgd 2fgd 3fgd 1ord"));
    assert_eq!(test.fake.asked.lock().unwrap().len(), 2, "it is not turned");
    test.press("Turn");
    let kept = std::fs::read_to_string(test.folder.path().join("settings/window.json")).unwrap();
    assert!(kept.contains("http://10.0.0.7/video") && !kept.contains("s3cret"), "{kept}");
    assert!(kept.contains("Desk"), "{kept}");
}

#[test]
fn the_table_is_shown_from_above() {
    let mut test = Live::new();
    test.show(view(1, "1fgd 2fgd"));
    test.press("From above");
    test.shows_part("The camera's picture");
    let place = |test: &Live| {
        test.harness.query_all_by_label_contains("Card 1").next().expect("a card").rect()
    };
    let as_it_is = place(&test);
    test.show(view(2, "1fgd 2fgd 3fgd 1ord"));
    let straight = place(&test);
    // Four cards of a row fill the picture's width.
    assert!(straight.width() > 1.2 * as_it_is.width(), "{straight:?} {as_it_is:?}");
    test.key(Key::V);
    assert_eq!(place(&test), as_it_is);
}

/// At the sizes of usual screens, a film that has ended under a long name included: no row is wider than
/// the panel.
#[test]
fn nothing_of_the_camera_is_cut_off() {
    let mut ended = view(3, "1fgd 2fgd 3fgd 1ord");
    let place = FilmPlace { at_ms: 65_000.0, length_ms: Some(65_000.0), paused: false };
    (ended.film, ended.ended) = (Some(place), true);
    let mut recorded = view(4, "1fgd 2fgd 3fgd 1ord");
    let recording = Recording {
        film: "/home/somebody/setsight-live/game-0001.avi".into(),
        length_ms: 65_000.0,
        state: RecordingState::Running,
    };
    recorded.recording = Some(recording);
    recorded.latency_ms = 900.0;
    let notice = LiveView { notice: Some(Notice::from(&CameraError::None)), ..LiveView::default() };
    let pages = [("film", ended), ("recording", recorded), ("no camera", notice)];
    for (width, height) in
        [(1280.0, 800.0), (1366.0, 731.0), (800.0, 600.0), (768.0, 432.0), (1920.0, 1080.0)]
    {
        for language in Language::ALL {
            for (page, view) in &pages {
                let mut test = Live::new();
                test.harness.set_size(eframe::egui::vec2(width, height));
                let window = test.window_mut();
                window.app.store.settings.language = Some(language);
                let film = "/home/somebody/films/an evening with friends and many sets.avi";
                window.tabs.get_mut::<LiveTab>().choose(Input::Film(film.into()), &mut window.app);
                test.show(view.clone());
                if height == 800.0 {
                    test.is_as_in(page, language);
                }
                let page = format!("{page} at {width}x{height} {}", language.name());
                layout::all_in_view(&mut test.harness, &page);
                // Nor on another page afterwards.
                test.key(Key::F11);
                test.key(Key::Escape);
            }
        }
    }
}

#[test]
fn a_film_that_is_opened_as_photos_are_is_watched() {
    let mut test = Live::new();
    test.press("Photos");
    test.window_mut().open(vec!["evening.MP4".into()]);
    test.settle();
    assert_eq!(test.window().tab_id(), "live");
    let last = test.fake.inputs.lock().unwrap().last().cloned();
    assert_eq!(last, Some(Input::Film("evening.MP4".into())));
    // A photo is none.
    test.window_mut().open(vec!["evening.jpg".into()]);
    test.settle();
    assert_eq!(test.window().tab_id(), "photos");
}

/// Serves on this machine alone, with a certificate that is kept nowhere.
pub fn on_loopback(test: &mut Test) {
    let listen = Listen::At(Ipv4Addr::LOCALHOST.into(), None);
    test.window_mut().phones.options = Options { listen, certificate: None };
}

/// Sends a photo as the page does, and gives the answer.
fn send(address: &str, photo: &[u8]) -> io::Result<String> {
    let (host, key) = address.strip_prefix("http://").unwrap().split_once("/#").unwrap();
    let mut stream = TcpStream::connect(host)?;
    let head = format!(
        "POST /photo HTTP/1.1\r\nHost: {host}\r\nX-Setsight-Key: {key}\r\n\
         X-Setsight-Phone: 0123456789abcdef\r\nContent-Length: {}\r\n\r\n",
        photo.len()
    );
    stream.write_all(&[head.as_bytes(), photo].concat())?;
    io::read_to_string(stream)
}

fn sample() -> Vec<u8> {
    let path = "/../../datasets/samples/1-plain-on-wood.jpg";
    std::fs::read(format!("{}{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn photos_of_a_phone_open_in_the_window_until_it_is_stopped() {
    let mut test = Test::new(ONE_SET, &[]);
    on_loopback(&mut test);
    test.press("Use a phone as the camera");
    assert_eq!(test.window().page, Some(Page::Phone));
    test.shows("The code to scan");
    test.shows("No phone is connected yet.");
    test.shows_part(" and then ");
    let address = test.window().phones.address().unwrap().to_owned();
    test.shows(&address);
    let answer = send(&address, &sample()).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("2fgd"), "{answer}");
    test.until(|window| window.tab::<Photos>().shelf.progress() == (1, 1) && window.is_settled());
    assert_eq!((test.window().page, test.window().tab_id()), (None, "photos"));
    assert_eq!(test.codes(), ONE_SET.split(' ').collect::<Vec<_>>());
    test.shows("A phone can send photos and live pictures.");
    // The next one is seen beside it, and a message names the player.
    send(&address, &sample()).unwrap();
    test.until(|window| window.tab::<Photos>().shelf.progress() == (2, 2));
    assert_eq!(test.photos().shelf.current, 1);
    test.keys(Modifiers::COMMAND, Key::Num2);
    send(&address, &sample()).unwrap();
    // The message stays for some seconds only, and reading may take longer.
    test.until(|window| window.message() == Some("A photo has arrived from a phone."));
    test.until(|window| window.tab::<Photos>().shelf.progress() == (3, 3));
    assert_eq!(test.window().tab_id(), "deal");
    // When the words go, what lies below them moves.
    test.until(|window| window.message().is_none());
    test.press("Show code");
    test.shows(&address);
    test.press("Stop phones sending pictures");
    assert!(!test.window().phones.are_served() && test.window().page.is_none());
    test.shows_not("A phone can send");
    test.window_mut().close();
    // The port may by now be another test's, where the key is wrong.
    assert!(!send(&address, &sample()).is_ok_and(|answer| answer.starts_with("HTTP/1.1 200")));
}

#[test]
fn what_keeps_phones_out_is_explained() {
    let mut test = Test::new(ONE_SET, &[]);
    on_loopback(&mut test);
    // Of the range that is for documentation: no machine has it.
    let listen = Listen::At(Ipv4Addr::new(198, 51, 100, 7).into(), None);
    test.window_mut().phones.options.listen = listen;
    test.keys(Modifiers::COMMAND, Key::P);
    assert_eq!(test.window().page, None);
    let message = test.window().message().unwrap();
    assert!(message.starts_with("Phones cannot connect: 198.51.100.7"), "{message}");
}

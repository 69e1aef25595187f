//! A deck that the program does not know, taught from photos of its cards.

mod groups;
mod work;

use crate::photos::welcome::name_of;
use crate::shared::card_face::{ASPECT, paint, rect_at};
use crate::shared::keys::{Action, CTRL, Place as KeyPlace};
use crate::shared::look_panel::with_foot;
use crate::shared::settings::Settings;
use crate::shared::tab::{AppContext, Ask, Command, Tab, TabSpec};
use crate::shared::theme::{GOOD, bordered, felt};
use crate::shared::words::{Word, t};
use crate::shared::{reasons, verdict};
use eframe::egui::{
    Button, CentralPanel, Key, Rect, RichText, Role, Sense, Spinner, TextEdit, Ui, Vec2,
    WidgetInfo, vec2,
};
use groups::{GroupsView, ValueNames, place_words};
use setsight_decks::{LearnError, NameError, Note, check_name};
use setsight_desktop::Pick;
use setsight_files::{small_file::portable, whole_file::write_atomic};
use setsight_game::cards::{Card, Deck, Property, deck::DeckError};
use setsight_photo::source::list_photos;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use work::{Job, Outcome, Standing, Work};

/// Its entry in the list of tabs.
pub(crate) const TAB: TabSpec = TabSpec {
    id: "new-deck",
    word: Word("teach-a-deck"),
    shortcut: (CTRL, Key::N, Word("teach-a-deck")),
    in_bar: false,
    opens: |_| None,
    make: |_| Box::<DeckTab>::default(),
};

pub(crate) const ASK_PHOTOS: Ask = Ask::new(TAB.id, Word("ask-deck-photos"), Pick::Files);
const ASK_FOLDER: Ask = Ask::new(TAB.id, Word("ask-deck-folder"), Pick::Folder);
const SAVE: Ask = Ask::new(TAB.id, Word("ask-save-deck"), Pick::NewFile);

/// The page on which a deck is taught.
#[derive(Default)]
struct DeckTab {
    work: Option<Work>,
    view: GroupsView,
    names: ValueNames,
    name: String,
}

impl DeckTab {
    /// Learns from more photos.
    fn add(&mut self, paths: &[PathBuf], app: &mut AppContext) {
        let work = self.work.get_or_insert_with(|| Work::begin(Arc::clone(&app.eye), app.wake()));
        for photo in list_photos(paths, false, &[]) {
            match photo {
                Ok(photo) => work.want(Job::Photo(photo)),
                Err(error) => app.say(reasons::listing(&error)),
            }
        }
    }

    fn file_name(&self) -> String {
        portable(&format!(
            "{}.json",
            self.name
                .trim()
                .chars()
                .map(|c| if c.is_alphanumeric() { c } else { '-' })
                .collect::<String>()
        ))
    }

    /// The deck with its names; none while it is not in order or has no name.
    fn deck(&self) -> Option<Deck> {
        let name = self.name.trim();
        check_name(name).ok()?;
        let standing = self.work.as_ref()?.standing();
        if !self.is_settled() || !matches!(standing.checked.as_deref(), Some(Ok(_))) {
            return None;
        }
        let deck = Deck::clone(standing.deck.as_deref()?);
        let title = t!("deck-title", name = name);
        Some(self.names.given_to(Deck { name: name.to_owned(), title, ..deck }))
    }

    /// Writes the deck; from now on cards are read as its.
    fn write(&self, path: &Path, app: &mut AppContext) {
        let Some(deck) = self.deck() else { return };
        let name = path.display().to_string();
        match write_atomic(path, deck.to_text().as_bytes()) {
            Ok(()) => {
                app.say(t!("deck-saved", name = deck.name.as_str(), path = name));
                // Its file may be that of the deck in use.
                app.used_deck = UsedDeck::default();
                let path = dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
                app.store.settings.use_deck(path);
            }
            Err(error) => app.say(t!("unwritable", path = name, error = error.to_string())),
        }
    }

    fn page(&mut self, ui: &mut Ui, app: &mut AppContext) {
        let standing = self.standing();
        ui.heading(t!("teach-a-deck"));
        ui.label(t!("new-deck-help"));
        if standing.photos.is_empty() {
            show_examples(ui, app.settings());
            ui.weak(t!("drop-deck-photos"));
        }
        ui.add_space(6.0);
        ui.horizontal_wrapped(|ui| {
            if ui.button(t!("ask-deck-photos")).clicked() {
                app.ask(ASK_PHOTOS);
            }
            if ui.button(t!("ask-deck-folder")).clicked() {
                app.ask(ASK_FOLDER);
            }
            if let Some(work) = &self.work
                && ui.button(t!("start-again")).clicked()
            {
                work.want(Job::StartAgain);
                (self.view, self.names, self.name) = Default::default();
            }
            // Here it moves nothing when it comes and goes.
            if !self.is_settled() {
                ui.add(Spinner::new().size(16.0));
                match self.work.as_ref().map_or(0, Work::waiting) {
                    0 => ui.weak(t!("working-on-deck")),
                    n => ui.weak(t!("photos-wait", n = n)),
                };
            }
        });
        if !standing.photos.is_empty() {
            self.photos(ui, &standing);
        }
        if let Some(title) = &standing.recognised {
            ui.strong(t!("deck-known", name = title.as_str()));
        }
        let mut job = None;
        if !standing.cards.is_empty() {
            ui.separator();
            job = self.view.show(ui, &standing, &mut self.names);
        }
        ui.separator();
        job = self.checked(ui, &standing).or(job);
        if let (Some(work), Some(job)) = (&self.work, job) {
            work.want(job);
        }
    }

    fn standing(&self) -> Arc<Standing> {
        self.work.as_ref().map_or_else(Arc::default, Work::standing)
    }

    /// What the page comes to, always in view.
    fn foot(&mut self, ui: &mut Ui, app: &mut AppContext) {
        if self.standing().deck.is_some() && self.save(ui) {
            app.commands.push(Command::Ask(SAVE, self.file_name()));
        }
    }

    fn photos(&self, ui: &mut Ui, standing: &Standing) {
        ui.horizontal_wrapped(|ui| {
            for (path, outcome) in &standing.photos {
                self.photo(ui, path, outcome);
                ui.add_space(16.0);
            }
        });
    }

    fn photo(&self, ui: &mut Ui, path: &Path, outcome: &Outcome) {
        ui.label(name_of(path)).on_hover_text(path.display().to_string());
        match outcome {
            Outcome::InHand => {
                ui.add(Spinner::new().size(14.0));
            }
            Outcome::Cards(n) => {
                ui.weak(t!("count-cards", n = *n));
            }
            Outcome::Blurred => {
                ui.colored_label(ui.visuals().warn_fg_color, t!("photo-blurred"));
            }
            Outcome::Failed(reason) => {
                ui.colored_label(ui.visuals().error_fg_color, reason.words());
            }
        }
        let remove = ui.small_button("×");
        let remove = remove.accessible_name(t!("forget-photo", name = name_of(path)));
        if let (true, Some(work)) = (remove.clicked(), &self.work) {
            work.want(Job::Forget(path.to_path_buf()));
        }
    }

    /// How many cards are seen, what may be wrong, and what stands in the way.
    fn checked(&self, ui: &mut Ui, standing: &Standing) -> Option<Job> {
        let checked = standing.checked.as_ref()?;
        // What is missing may be on the photos that wait.
        if !self.is_settled() {
            ui.weak(t!("deck-looked-at"));
            return None;
        }
        match &**checked {
            Ok((cards, notes)) => {
                let of = if standing.one_fill { 27 } else { 81 };
                ui.strong(t!("deck-in-order", n = *cards, of = of));
                for note in notes {
                    ui.label(note_words(note));
                }
                None
            }
            Err(error) => {
                let warning = RichText::new(problem_words(error)).color(ui.visuals().warn_fg_color);
                ui.label(warning);
                let notes = match error {
                    LearnError::NoCards { notes, .. } | LearnError::TooFew { notes, .. } => {
                        notes.as_slice()
                    }
                    _ => &[],
                };
                for note in notes {
                    ui.label(note_words(note));
                }
                let (property, word) = match error {
                    LearnError::Alike { property, .. } => (*property, Word("they-differ")),
                    LearnError::More { property, .. } => (*property, Word("only-three")),
                    _ => return None,
                };
                ui.button(word.say()).clicked().then_some(Job::Confirm(property))
            }
        }
    }

    /// The deck's name and the button that writes it. Whether it was pressed.
    fn save(&mut self, ui: &mut Ui) -> bool {
        let pressed = ui.horizontal_wrapped(|ui| {
            let label = ui.label(t!("name-of-deck"));
            let field = TextEdit::singleline(&mut self.name).desired_width(220.0).char_limit(60);
            bordered(ui, |ui| ui.add(field)).labelled_by(label.id);
            let ready = self.deck().is_some();
            ui.add_enabled(ready, Button::new(t!("save-and-use"))).clicked()
        });
        let name = self.name.trim();
        match check_name(name) {
            Err(error) if !name.is_empty() => {
                ui.colored_label(ui.visuals().error_fg_color, name_words(name, &error));
            }
            _ => {
                if let Some(word) = self.why_unready() {
                    ui.weak(word.say());
                }
            }
        }
        pressed.inner
    }

    /// Why the deck cannot be saved yet.
    fn why_unready(&self) -> Option<Word> {
        let in_order = matches!(self.standing().checked.as_deref(), Some(Ok(_)));
        if !self.is_settled() {
            Some(Word("deck-looked-at"))
        } else if !in_order {
            Some(Word("deck-unordered"))
        } else if self.name.trim().is_empty() {
            Some(Word("deck-unnamed"))
        } else {
            None
        }
    }
}

impl Tab for DeckTab {
    fn ui(&mut self, ui: &mut Ui, app: &mut AppContext, _: bool) {
        CentralPanel::default().show(ui, |ui| {
            let mut both = (self, app);
            with_foot(
                ui,
                "deck",
                &mut both,
                |(tab, app), ui| tab.page(ui, app),
                |(tab, app), ui| tab.foot(ui, app),
            );
        });
    }

    fn places(&self) -> Vec<KeyPlace> {
        vec![KeyPlace::Deck]
    }

    fn act(&mut self, action: Action, app: &mut AppContext) {
        if action == Action::Clear && !self.view.let_go() {
            app.commands.push(Command::Act(Action::Back));
        }
    }

    fn drops(&self) -> Option<(Ask, Word)> {
        Some((ASK_PHOTOS, Word("learn-from-these-photos")))
    }

    fn take(&mut self, ask: Ask, paths: Vec<PathBuf>, app: &mut AppContext) {
        match ask {
            SAVE => self.write(&paths[0], app),
            _ => self.add(&paths, app),
        }
    }

    /// Whether nothing is being looked at, grouped or drawn.
    fn is_settled(&self) -> bool {
        !self.work.as_ref().is_some_and(Work::is_busy)
    }

    fn close(&mut self) {
        if let Some(work) = self.work.take() {
            work.close();
        }
    }
}

fn name_words(name: &str, error: &NameError) -> String {
    match error {
        NameError::Taken => t!("deck-name-taken", name = name),
        NameError::Malformed => t!("deck-name-malformed"),
    }
}

fn note_words(note: &Note) -> String {
    match note {
        Note::Blurred { photo } => t!("note-blurred", photo = name_of(Path::new(photo))),
        Note::Unclear { photo, cards } => {
            t!("note-unclear", photo = name_of(Path::new(photo)), n = *cards)
        }
        Note::SeenTwice { first, second, more } => {
            let (first, second) = (place_words(first), place_words(second));
            t!("note-seen-twice", first = first, second = second, more = *more)
        }
        Note::NotSeen { cards, of } => t!("note-not-seen", n = *cards, of = *of),
    }
}

fn problem_words(error: &LearnError) -> String {
    match error {
        LearnError::NoCards { .. } => t!("learn-no-cards"),
        LearnError::TooFew { found, of, needed, .. } => {
            t!("learn-too-few", found = *found, of = *of, needed = *needed)
        }
        LearnError::Alike { property, first, second, more_than_a_deck } => {
            let what = values_in_words(*property);
            let (first, second) = (place_words(first), place_words(second));
            let words = t!("learn-alike", what = what, first = first, second = second);
            if *more_than_a_deck { format!("{words} {}", t!("learn-two-decks")) } else { words }
        }
        LearnError::Seldom { property, card, found } => {
            let what = values_in_words(*property);
            match card {
                Some(card) => {
                    t!("learn-seldom", what = what, n = *found, card = place_words(card))
                }
                None => t!("learn-not-seen", what = what),
            }
        }
        LearnError::More { property, card } => {
            t!("learn-more", what = values_in_words(*property), card = place_words(card))
        }
        LearnError::Twice { first, second } => {
            let (first, second) = (place_words(first), place_words(second));
            t!("learn-twice", first = first, second = second)
        }
    }
}

/// Size of a picture, in points.
const SIZE: Vec2 = vec2(250.0, 150.0);
/// From a card to the next, in times its own width and height: where they lie apart, where they do
/// not.
const STEPS: [Vec2; 2] = [vec2(1.15, 1.2), vec2(0.7, 0.62)];

/// A table as it should be, and one as it should not.
fn show_examples(ui: &mut Ui, settings: &Settings) {
    let size = SIZE * (ui.available_width() / SIZE.x).min(1.0);
    ui.horizontal_wrapped(|ui| {
        for (step, good) in STEPS.into_iter().zip([true, false]) {
            let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
            let name = if good { t!("lay-out-apart") } else { t!("lay-out-on-another") };
            response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
            table(ui, rect, step, settings);
            let at = rect.right_bottom() - vec2(18.0, 18.0);
            let ground = if good { GOOD } else { ui.visuals().error_fg_color };
            ui.painter().circle_filled(at, 13.0, ground);
            let sign = if good { verdict::tick } else { verdict::cross };
            sign(ui.painter(), at, 16.0, ui.visuals().panel_fill);
        }
    });
}

fn table(ui: &Ui, rect: Rect, step: Vec2, settings: &Settings) {
    ui.painter().rect_filled(rect, 8.0, felt(ui));
    let width = 50.0 * rect.width() / SIZE.x;
    let (size, by) = (vec2(width, width / ASPECT), step * vec2(width, width / ASPECT));
    let all = size + by * vec2(3.0, 2.0);
    for (place, card) in Card::deck().step_by(7).take(12).enumerate() {
        let at = vec2((place % 4) as f32, (place / 4) as f32) * by;
        let min = rect.center() - all / 2.0 + at;
        paint(ui.painter(), rect_at(min, width), card, settings);
    }
}

/// The file of the deck that is read by; none for the usual ones.
#[derive(Debug, Default)]
pub(crate) struct UsedDeck {
    path: Option<PathBuf>,
    deck: Option<Arc<Deck>>,
}

/// Opens a deck's file.
fn open(path: &Path) -> Result<Arc<Deck>, String> {
    Deck::read(path).map(Arc::new).map_err(|error| match error {
        DeckError::Unreadable { name, source } => {
            t!("unreadable", path = name, error = source.to_string())
        }
        other => other.to_string(),
    })
}

impl UsedDeck {
    /// Whether the settings name another deck than before; if so that deck, or none for the usual
    /// ones. A file that cannot be used is forgotten and reported.
    pub(crate) fn changed(
        &mut self,
        settings: &mut Settings,
    ) -> Option<Result<Option<Arc<Deck>>, String>> {
        if self.path == settings.deck {
            return None;
        }
        let opened = settings.deck.as_deref().map(open).transpose();
        if opened.is_err() {
            settings.forget_deck();
        }
        self.path.clone_from(&settings.deck);
        self.deck = opened.as_ref().ok().cloned().flatten();
        Some(opened)
    }

    /// The deck that the settings name; none for the usual ones.
    pub(crate) fn deck(&self) -> Option<Arc<Deck>> {
        self.deck.clone()
    }

    /// The deck as cards are drawn and named where no photo shows them.
    pub(crate) fn drawn(&self) -> Arc<Deck> {
        self.deck.clone().unwrap_or_else(Deck::classic)
    }
}

/// What the values of a property are called, all of them.
fn values_in_words(property: Property) -> String {
    match property {
        Property::Number => Word("numbers").say(),
        Property::Shading => Word("fills").say(),
        Property::Color => Word("inks").say(),
        Property::Shape => Word("outlines").say(),
    }
}

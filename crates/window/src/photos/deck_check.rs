//! Whether a deck is complete: what the open photos show of it, all together.

use crate::{
    photos::{
        ASK_FOLDER, ASK_PHOTOS, Photos, SAVE_MISSING, Task, export::write_page, strip::Shelf,
        welcome::name_of,
    },
    shared::{
        card_face::{ASPECT, paint_of, rect_at},
        names, pages,
        reasons::Reason,
        settings::Settings,
        tab::{AppContext, Command},
        words::t,
    },
};
use eframe::egui::{Align, Context, Label, Layout, RichText, Spinner, Ui, vec2};
use setsight_decks::{Inventory, Spot};
use setsight_eval::drawn_card;
use setsight_game::cards::{Card, Deck};
use std::path::Path;

/// Width of a drawn card, in points.
const CARD_WIDTH: f32 = 104.0;
/// Height of its name below it, in as many lines as the longest one takes, in points.
const NAME_HEIGHT: f32 = 58.0;

/// What the open photos show of a deck.
#[derive(Default)]
pub(crate) struct DeckCheck {
    /// How many photos were open and read when it was found out.
    progress: (usize, usize),
    found: Option<Found>,
}

struct Found {
    inventory: Inventory,
    /// For each photo the numbers by which people know its cards.
    numbers: Vec<Vec<usize>>,
    unread: Vec<(usize, Reason)>,
}

impl Found {
    fn collect(shelf: &mut Shelf) -> Self {
        let mut unread = Vec::new();
        let mut tables = Vec::new();
        let entries = shelf.library.iter().flat_map(|library| &library.entries);
        for (photo, entry) in entries.enumerate() {
            match &entry.found {
                Some(Ok(found)) => {
                    tables.push((photo, shelf.corrections.table(&entry.path, found).0));
                }
                Some(Err(reason)) => unread.push((photo, reason.clone())),
                None => {}
            }
        }
        let mut numbers = vec![Vec::new(); shelf.progress().0];
        for (photo, table) in &tables {
            numbers[*photo].clone_from(&table.numbers);
        }
        let readings: Vec<_> = tables.iter().map(|(photo, table)| (*photo, &**table)).collect();
        Self { inventory: Inventory::new(&readings), numbers, unread }
    }
}

/// What the user wants.
enum DeckAction {
    Photos,
    Folder,
    Save,
    Look(Spot),
}

impl Photos {
    /// Looks at the open photos anew, as they may have been corrected.
    pub(crate) fn start_deck_check(&mut self) {
        self.deck_check = DeckCheck::default();
    }

    /// The page that says whether the deck is complete. Whether it is to be closed.
    pub(crate) fn deck_page(&mut self, ctx: &Context, app: &mut AppContext) -> bool {
        let progress = self.shelf.progress();
        if self.deck_check.found.is_none() || self.deck_check.progress != progress {
            let found = Some(Found::collect(&mut self.shelf));
            self.deck_check = DeckCheck { progress, found };
        }
        let mut action = None;
        let closed = pages::page(ctx, "deck-check", 740.0, |ui| action = self.deck(ui, app));
        match action {
            Some(DeckAction::Photos) => app.ask(ASK_PHOTOS),
            Some(DeckAction::Folder) => app.ask(ASK_FOLDER),
            Some(DeckAction::Save) => {
                app.commands.push(Command::Ask(SAVE_MISSING, t!("missing-file")));
            }
            Some(DeckAction::Look(spot)) => {
                self.go_to(spot.photo);
                self.turn_to(Task::Correct, ctx);
                self.view.correcting.select(Some(spot.card), &self.view.table);
                return true;
            }
            None => {}
        }
        closed
    }

    fn deck(&self, ui: &mut Ui, app: &AppContext) -> Option<DeckAction> {
        let mut action = None;
        ui.heading(t!("deck-check"));
        ui.label(t!("deck-check-help"));
        ui.add_space(6.0);
        ui.horizontal_wrapped(|ui| {
            if ui.button(t!("ask-deck-photos")).clicked() {
                action = Some(DeckAction::Photos);
            }
            if ui.button(t!("ask-deck-folder")).clicked() {
                action = Some(DeckAction::Folder);
            }
        });
        let Some(library) = &self.shelf.library else { return action };
        ui.separator();
        let (all, read) = self.shelf.progress();
        if !library.listed || read < all {
            ui.horizontal_wrapped(|ui| {
                ui.add(Spinner::new().size(16.0));
                ui.label(t!("deck-check-reading", read = read, all = all));
            });
            return action;
        }
        let Some(found) = &self.deck_check.found else { return action };
        action.or(self.result(ui, found, app.settings()))
    }

    /// What was found, once all photos are read.
    fn result(&self, ui: &mut Ui, found: &Found, settings: &Settings) -> Option<DeckAction> {
        let inventory = &found.inventory;
        let mut action = None;
        for (photo, reason) in &found.unread {
            let words = format!("{}: {}", self.photo_name(*photo), reason.words());
            ui.colored_label(ui.visuals().error_fg_color, words);
        }
        if !inventory.has_sure_cards() {
            ui.label(t!("deck-check-unknown"));
            return None;
        }
        let (missing, of) = (inventory.missing(), inventory.deck_size());
        let present = of - missing.len();
        ui.label(RichText::new(t!("deck-check-present", present = present, of = of)).heading());
        ui.weak(t!("deck-check-seen-in", n = self.shelf.progress().0));
        if missing.is_empty() {
            ui.label(t!("deck-check-complete"));
        } else {
            ui.add_space(6.0);
            ui.strong(t!("deck-check-missing", n = missing.len()));
            cards(ui, &inventory.deck, &missing, settings);
            if ui.button(t!("save-missing")).clicked() {
                action = Some(DeckAction::Save);
            }
        }
        let repeated: Vec<_> = inventory.repeated().collect();
        if !repeated.is_empty() {
            ui.add_space(6.0);
            ui.strong(t!("deck-check-repeated", n = repeated.len()));
        }
        for (card, spots) in repeated {
            let name = names::card(&inventory.deck, card);
            action = self.places(ui, found, &name, spots).or(action);
        }
        if !inventory.unsure.is_empty() {
            ui.add_space(6.0);
            ui.strong(t!("deck-check-unsure", n = inventory.unsure.len()));
        }
        for unsure in &inventory.unsure {
            let name = names::card(&inventory.deck, unsure.card);
            let words = t!("deck-check-perhaps", name = name);
            action = self.places(ui, found, &words, &[unsure.spot]).or(action);
        }
        action
    }

    /// Words about a card, and where it lies: each place leads there.
    fn places(
        &self,
        ui: &mut Ui,
        found: &Found,
        words: &str,
        spots: &[Spot],
    ) -> Option<DeckAction> {
        let mut action = None;
        ui.horizontal_wrapped(|ui| {
            ui.label(format!("{words}:"));
            for &spot in spots {
                let photo = self.photo_name(spot.photo);
                let n = found.numbers[spot.photo][spot.card];
                if ui.link(t!("deck-check-place", photo = photo, n = n)).clicked() {
                    action = Some(DeckAction::Look(spot));
                }
            }
        });
        action
    }

    fn photo_name(&self, photo: usize) -> String {
        let entry = self.shelf.library.as_ref().and_then(|library| library.entries.get(photo));
        entry.map_or_else(String::new, |entry| name_of(&entry.path))
    }

    /// Writes a page on which the missing cards are to be printed.
    pub(super) fn write_missing(&mut self, path: &Path, app: &mut AppContext) {
        let inventory = Found::collect(&mut self.shelf).inventory;
        let missing = inventory.missing();
        let title = t!("missing-title", n = missing.len());
        let page = drawn_card::cards(&inventory.deck, &missing, &title);
        app.say(write_page(path, &page));
    }
}

/// Cards as they are drawn, with their names.
fn cards(ui: &mut Ui, deck: &Deck, cards: &[Card], settings: &Settings) {
    let size = vec2(CARD_WIDTH, CARD_WIDTH / ASPECT + NAME_HEIGHT);
    ui.horizontal_wrapped(|ui| {
        for &card in cards {
            ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
                ui.set_min_size(size);
                let rect = rect_at(ui.cursor().min, CARD_WIDTH);
                paint_of(ui.painter(), rect, deck, card, settings);
                ui.advance_cursor_after_rect(rect);
                ui.add(Label::new(RichText::new(names::card(deck, card)).small()).wrap());
            });
        }
    });
}

//! The bar at the top: tabs and menus.

use super::Window;
use crate::TABS;
use crate::any_game;
use crate::deck;
use crate::photos::welcome;
use crate::shared::keys::Action;
use crate::shared::words::{Word, t};
use eframe::egui::{
    Align, Button, Layout, RichText, ScrollArea, TextStyle, TextWrapMode, Ui, WidgetText,
};

/// Room between the program's name and the tabs, in points.
const BESIDE_NAME: f32 = 10.0;

impl Window {
    pub(super) fn bar(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        ui.horizontal(|ui| {
            let room = Room::of(ui);
            if room.name {
                ui.label(name());
                ui.add_space(BESIDE_NAME);
            }
            let tabs = tabs();
            let (shown, hidden) = tabs.split_at(room.tabs);
            for &(action, word) in shown {
                let is_seen = action == Action::Tab(self.seen());
                if ui.add(Button::selectable(is_seen, word.say())).clicked() {
                    self.act(&ctx, action);
                }
            }
            if shown.is_empty() {
                ui.strong(self.tabs.spec().word.say());
            }
            let saving = self.tabs.seen().saving();
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if !room.menus {
                    ui.menu_button(t!("menu"), |ui| {
                        ScrollArea::vertical().show(ui, |ui| {
                            for entries in [hidden, &OPENING, saving] {
                                self.entries(ui, entries);
                                if !entries.is_empty() {
                                    ui.separator();
                                }
                            }
                            self.entries(ui, &MORE);
                            self.entries(ui, &[(Action::Settings, Word("settings"))]);
                            self.entries(ui, &HELP);
                        });
                    });
                    return;
                }
                ui.menu_button(t!("menu-help"), |ui| self.entries(ui, &HELP));
                if ui.button(t!("settings")).clicked() {
                    self.act(&ctx, Action::Settings);
                }
                ui.menu_button(t!("menu-more"), |ui| self.entries(ui, &MORE));
                ui.menu_button(t!("menu-open"), |ui| {
                    self.entries(ui, &OPENING);
                    self.recent_entries(ui);
                });
                if !saving.is_empty() {
                    ui.menu_button(t!("menu-save"), |ui| self.entries(ui, saving));
                }
            });
        });
    }

    /// What was open before, as entries of a menu.
    fn recent_entries(&mut self, ui: &mut Ui) {
        let recent = self.desk.settings().recent.clone();
        if !recent.is_empty() {
            ui.separator();
        }
        for path in recent {
            if ui
                .button(welcome::name_of(&path))
                .on_hover_text(path.display().to_string())
                .clicked()
            {
                self.open(vec![path]);
                ui.close();
            }
        }
    }

    /// Actions in a menu.
    fn entries(&mut self, ui: &mut Ui, entries: &[(Action, Word)]) {
        let ctx = ui.ctx().clone();
        for &(action, word) in entries {
            if ui.button(word.say()).clicked() {
                self.act(&ctx, action);
                ui.close();
            }
        }
    }
}

/// What there is room for in the bar.
struct Room {
    /// The program's name.
    name: bool,
    /// So many tabs, the first ones; the menu holds the others.
    tabs: usize,
    /// A menu for each matter, and not one for all.
    menus: bool,
}

impl Room {
    fn of(ui: &Ui) -> Self {
        let room = ui.available_width();
        let gap = ui.spacing().item_spacing.x;
        let width = |text: WidgetText| {
            let wrap = Some(TextWrapMode::Extend);
            text.into_galley(ui, wrap, f32::INFINITY, TextStyle::Button).size().x + gap
        };
        let padding = 2.0 * ui.spacing().button_padding.x;
        let button = |words: String| width(words.into()) + padding;
        let tabs: Vec<f32> = tabs().iter().map(|(_, word)| button(word.say())).collect();
        let all_tabs: f32 = tabs.iter().sum();
        // With the one that only some tabs have: the bar keeps its form when it comes.
        let menus =
            [t!("menu-help"), t!("settings"), t!("menu-more"), t!("menu-open"), t!("menu-save")];
        let menus = all_tabs + menus.map(button).iter().sum::<f32>();
        if menus <= room {
            let name = menus + width(name().into()) + BESIDE_NAME <= room;
            return Self { name, tabs: tabs.len(), menus: true };
        }
        let mut left = room - button(t!("menu"));
        let fits = |tab: &&f32| {
            left -= **tab;
            left >= 0.0
        };
        let fitting = tabs.iter().take_while(fits).count();
        // One tab alone would look like the name of what is seen.
        Self { name: false, tabs: if fitting > 1 { fitting } else { 0 }, menus: false }
    }
}

fn name() -> RichText {
    RichText::new("setsight").heading().strong()
}

/// The tabs of the bar.
fn tabs() -> Vec<(Action, Word)> {
    TABS.iter().filter(|tab| tab.in_bar).map(|tab| (Action::Tab(tab.id), tab.word)).collect()
}

const OPENING: [(Action, Word); 5] = [
    (Action::OpenFolder, Word("open-a-folder")),
    (Action::OpenPhoto, Word("open-photos")),
    (Action::TypePath, Word("type-a-path")),
    (Action::Phone, Word("phone-title")),
    (Action::Sample, Word("a-sample-table")),
];
const MORE: [(Action, Word); 2] = [
    (Action::Tab(any_game::TAB.id), any_game::TAB.word),
    (Action::Tab(deck::TAB.id), Word("teach-a-deck")),
];
const HELP: [(Action, Word); 4] = [
    (Action::Rules, Word("the-rules")),
    (Action::HowTo, Word("how-to-photograph")),
    (Action::Help, Word("keys")),
    (Action::About, Word("about")),
];

//! The bar at the top: tabs and menus.

use super::{TabId, Window};
use crate::photos::welcome;
use crate::shared::keys::Action;
use crate::shared::words::{Word, t};
use eframe::egui::{Align, Button, Layout, RichText, ScrollArea, Ui};

impl Window {
    pub(super) fn bar(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        ui.horizontal(|ui| {
            let width = ui.available_width();
            // Beside all tabs and menus in German there is no room for the name in a small window.
            if width >= 860.0 {
                ui.label(RichText::new("setsight").heading().strong());
                ui.add_space(10.0);
            }
            // Where there is no room for all, one menu holds all.
            let tiny = width < 330.0;
            // The last one only where there is room for it; the menu has it otherwise.
            let tabs = [TabId::Photos, TabId::Deal, TabId::Live, TabId::AnyGame];
            let shown = if tiny {
                0
            } else if width < 620.0 {
                3
            } else {
                4
            };
            for id in tabs.into_iter().take(shown) {
                let word = self.tab(id).0.word().say();
                if ui.add(Button::selectable(self.tab == id, word)).clicked() {
                    self.tab = id;
                }
            }
            if tiny {
                ui.strong(self.seen().word().say());
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if width < 620.0 {
                    ui.menu_button(t!("menu"), |ui| {
                        ScrollArea::vertical().show(ui, |ui| {
                            if tiny {
                                self.entries(ui, &TABS);
                                ui.separator();
                            } else {
                                self.entries(ui, &TABS[3..]);
                                ui.separator();
                            }
                            self.entries(ui, &OPENING);
                            if self.can_save() {
                                ui.separator();
                                self.entries(ui, &SAVING);
                            }
                            ui.separator();
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
                ui.menu_button(t!("menu-open"), |ui| {
                    self.entries(ui, &OPENING);
                    self.recent_entries(ui);
                });
                if self.can_save() {
                    ui.menu_button(t!("menu-save"), |ui| self.entries(ui, &SAVING));
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

    fn can_save(&self) -> bool {
        self.tab == TabId::Photos && self.photos.is_open()
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

const TABS: [(Action, Word); 4] = [
    (Action::Photos, Word("tab-photos")),
    (Action::Deal, Word("tab-deal")),
    (Action::Live, Word("tab-live")),
    (Action::AnyGame, Word("tab-any-game")),
];
const OPENING: [(Action, Word); 6] = [
    (Action::OpenFolder, Word("open-a-folder")),
    (Action::OpenPhoto, Word("open-photos")),
    (Action::TypePath, Word("type-a-path")),
    (Action::Phone, Word("phone-entry")),
    (Action::Sample, Word("a-sample-table")),
    (Action::NewDeck, Word("teach-a-deck")),
];
const SAVING: [(Action, Word); 5] = [
    (Action::ExportPicture, Word("save-picture")),
    (Action::ExportJson, Word("save-json")),
    (Action::ExportAll, Word("save-all")),
    (Action::CopyPicture, Word("copy-picture")),
    (Action::Copy, Word("copy-board")),
];
const HELP: [(Action, Word); 4] = [
    (Action::Rules, Word("the-rules")),
    (Action::HowTo, Word("how-to-photograph")),
    (Action::Help, Word("keys")),
    (Action::About, Word("about")),
];

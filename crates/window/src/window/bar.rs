//! The bar at the top: tabs and menus.

use super::Window;
use super::pages::{Menu, Page, entries_of};
use crate::photos::{Photos, welcome};
use crate::shared::keys::{Action, key_of};
use crate::shared::words::{Word, t};
use crate::{TABS, deck};
use eframe::egui::{
    Button, RichText, Role, ScrollArea, TextStyle, TextWrapMode, Ui, WidgetInfo, WidgetText,
};

/// Room between the program's name and the tabs, in points.
const BESIDE_NAME: f32 = 10.0;

impl Window {
    pub(super) fn bar(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        ui.horizontal(|ui| {
            let room = BarLayout::measure(ui);
            if room.name {
                ui.label(name());
                ui.add_space(BESIDE_NAME);
            }
            let tabs = tabs();
            let (shown, hidden) = tabs.split_at(room.tabs);
            for &(action, word) in shown {
                let is_current = action == Action::Tab(self.tab_id());
                let tab = ui.add(Button::selectable(is_current, word.say()));
                tab.widget_info(|| WidgetInfo::selected(Role::Tab, true, is_current, word.say()));
                if tab.clicked() {
                    self.act(&ctx, action);
                }
            }
            if shown.is_empty() {
                ui.strong(self.tabs.spec().word.say());
            }
            let saving = self.tabs.current().saving();
            let menus: &[Word] = match (room.menus, saving.is_empty()) {
                (false, _) => &[Word("menu")],
                (true, true) => &MENUS[1..],
                (true, false) => &MENUS,
            };
            // At the right, and yet in the order in which one reads.
            let gap = ui.spacing().item_spacing.x;
            let width = menus.iter().map(|word| button_width(ui, word.say())).sum::<f32>() - gap;
            ui.add_space((ui.available_width() - width).max(0.0));
            if !room.menus {
                ui.menu_button(t!("menu"), |ui| {
                    ScrollArea::vertical().show(ui, |ui| {
                        for entries in [hidden, &OPENING, saving] {
                            self.entries(ui, entries);
                            if !entries.is_empty() {
                                ui.separator();
                            }
                        }
                        self.entries(ui, &self.more());
                        self.entries(ui, &[(SETTINGS, Word("settings"))]);
                        self.entries(ui, &entries_of(Menu::Help));
                    });
                });
                return;
            }
            if !saving.is_empty() {
                ui.menu_button(t!("menu-save"), |ui| self.entries(ui, saving));
            }
            ui.menu_button(t!("menu-open"), |ui| {
                self.entries(ui, &OPENING);
                self.recent_entries(ui);
            });
            ui.menu_button(t!("menu-more"), |ui| self.entries(ui, &self.more()));
            if ui.button(t!("settings")).clicked() {
                self.act(&ctx, SETTINGS);
            }
            ui.menu_button(t!("menu-help"), |ui| self.entries(ui, &entries_of(Menu::Help)));
        });
    }

    /// What is done seldom: how a photo was read as long as there is one.
    fn more(&self) -> Vec<(Action, Word)> {
        let mut entries = Vec::new();
        if self.tabs.get::<Photos>().is_open() {
            entries.push((Action::Stages, Word("keys-stages")));
        }
        entries.push((Action::Tab(deck::TAB.id), Word("teach-a-deck")));
        entries.extend(entries_of(Menu::More));
        entries
    }

    /// What was open before, as entries of a menu.
    fn recent_entries(&mut self, ui: &mut Ui) {
        let recent = self.app.settings().recent.clone();
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

    fn entries(&mut self, ui: &mut Ui, entries: &[(Action, Word)]) {
        let ctx = ui.ctx().clone();
        for &(action, word) in entries {
            let entry = ui.add(Button::new(word.say()).shortcut_text(key_of(action)));
            if entry.accessible_name(word.say()).clicked() {
                self.act(&ctx, action);
                ui.close();
            }
        }
    }
}

struct BarLayout {
    /// The program's name.
    name: bool,
    /// So many tabs, the first ones; the menu holds the others.
    tabs: usize,
    /// A menu for each matter, and not one for all.
    menus: bool,
}

impl BarLayout {
    fn measure(ui: &Ui) -> Self {
        let room = ui.available_width();
        let button = |word: &Word| button_width(ui, word.say());
        let tabs: Vec<f32> = tabs().iter().map(|(_, word)| button(word)).collect();
        let all_tabs: f32 = tabs.iter().sum();
        // With the one that only some tabs have: the bar keeps its form when it comes.
        let menus = all_tabs + MENUS.iter().map(button).sum::<f32>();
        if menus <= room {
            let name = menus + width(ui, name()) + BESIDE_NAME <= room;
            return Self { name, tabs: tabs.len(), menus: true };
        }
        let mut left = room - button(&Word("menu"));
        let fitting = tabs
            .iter()
            .take_while(|tab| {
                left -= **tab;
                left >= 0.0
            })
            .count();
        // One tab alone would look like the name of what is seen.
        Self { name: false, tabs: if fitting > 1 { fitting } else { 0 }, menus: false }
    }
}

/// Width of a text in the bar, with what lies between it and the next.
fn width(ui: &Ui, text: impl Into<WidgetText>) -> f32 {
    let wrap = Some(TextWrapMode::Extend);
    let galley = text.into().into_galley(ui, wrap, f32::INFINITY, TextStyle::Button);
    galley.size().x + ui.spacing().item_spacing.x
}

fn button_width(ui: &Ui, words: String) -> f32 {
    width(ui, words) + 2.0 * ui.spacing().button_padding.x
}

fn name() -> RichText {
    RichText::new("setsight").heading().strong()
}

fn tabs() -> Vec<(Action, Word)> {
    TABS.iter().filter(|tab| tab.in_bar).map(|tab| (Action::Tab(tab.id), tab.word)).collect()
}

const SETTINGS: Action = Action::Page(Page::Settings);

/// The menus of the bar. The first one only some tabs have.
const MENUS: [Word; 5] =
    [Word("menu-save"), Word("menu-open"), Word("menu-more"), Word("settings"), Word("menu-help")];
const OPENING: [(Action, Word); 5] = [
    (Action::OpenPhoto, Word("open-photos")),
    (Action::OpenFolder, Word("open-a-folder")),
    (Action::TypePath, Word("type-a-path")),
    (Action::Page(Page::Phone), Word("phone-title")),
    (Action::Sample, Word("a-sample-table")),
];

//! The pages that lie over the window, in one table: its keys, its menus and `app --show` follow from it.

use super::{ASK_DECK, Window};
use crate::phones;
use crate::photos::{self, Photos};
use crate::shared::keys::{Action, Binding, CTRL, Place};
use crate::shared::{pages, words::Word};
use eframe::egui::{Context, Key, Modifiers};
use std::sync::Arc;

/// A page over the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    Settings,
    Rules,
    HowTo,
    Keys,
    /// What this program is.
    About,
    /// The code with which a phone becomes the camera.
    Phone,
    /// Whether the deck on the open photos is complete.
    DeckCheck,
}

/// A menu of the bar that lists pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Menu {
    Help,
    More,
}

/// All that the window knows of a page.
pub(crate) struct PageSpec {
    pub(crate) page: Page,
    /// Its name on the command line.
    pub(crate) id: &'static str,
    /// What `--show` with its name shows; without, the command line does not offer it.
    pub(crate) show_help: Option<&'static str>,
    /// The key that shows or hides it, and what the page of keys says of it.
    shortcut: (Modifiers, Key, Word),
    /// The menu that lists it, and its name there.
    menu: Option<(Menu, Word)>,
    /// Prepares what it shows. If that fails it says why, and the page stays away.
    prepare: fn(&mut Window) -> bool,
    /// Draws it. Whether it is to be closed.
    pub(super) draw: fn(&mut Window, &Context) -> bool,
}

/// All pages, in the order of the menus and of the page of keys.
pub(crate) const PAGES: &[PageSpec] = &[
    PageSpec {
        page: Page::Settings,
        id: "settings",
        show_help: Some("The settings"),
        shortcut: (CTRL, Key::Comma, Word("settings")),
        menu: None,
        prepare: |_| true,
        draw: settings,
    },
    PageSpec {
        page: Page::Rules,
        id: "rules",
        show_help: None,
        shortcut: (Modifiers::SHIFT, Key::F1, Word("rules-of-the-game")),
        menu: Some((Menu::Help, Word("the-rules"))),
        prepare: |_| true,
        draw: |window, ctx| pages::rules(ctx, window.app.settings()),
    },
    PageSpec {
        page: Page::HowTo,
        id: "how-to",
        show_help: None,
        shortcut: (CTRL, Key::F1, Word("how-to-photograph-a-table")),
        menu: Some((Menu::Help, Word("how-to-photograph"))),
        prepare: |_| true,
        draw: |_, ctx| pages::how_to(ctx),
    },
    PageSpec {
        page: Page::Keys,
        id: "keys",
        show_help: Some("The page of keys"),
        shortcut: (Modifiers::NONE, Key::F1, Word("keys-this-page")),
        menu: Some((Menu::Help, Word("keys"))),
        prepare: |_| true,
        draw: |window, ctx| pages::help(ctx, &window.tabs.current().places(), &mut window.searched),
    },
    PageSpec {
        page: Page::About,
        id: "about",
        show_help: None,
        shortcut: (Modifiers::ALT, Key::F1, Word("about-this-program")),
        menu: Some((Menu::Help, Word("about"))),
        prepare: |_| true,
        draw: |_, ctx| pages::about(ctx),
    },
    PageSpec {
        page: Page::Phone,
        id: "phone",
        show_help: None,
        shortcut: (CTRL, Key::P, Word("phone-title")),
        menu: None,
        prepare: serve_phones,
        draw: phone,
    },
    PageSpec {
        page: Page::DeckCheck,
        id: "deck-check",
        show_help: None,
        shortcut: (CTRL, Key::I, Word("deck-check")),
        menu: Some((Menu::More, Word("deck-check"))),
        prepare: check_deck,
        draw: |window, ctx| window.tabs.get_mut::<Photos>().deck_page(ctx, &mut window.app),
    },
];

impl Page {
    pub(crate) fn spec(self) -> &'static PageSpec {
        PAGES.iter().find(|spec| spec.page == self).expect("every page is in the table")
    }
}

impl PageSpec {
    /// The key that shows or hides it.
    pub(crate) fn binding(&self) -> Binding {
        let (held, key, word) = self.shortcut;
        Binding { place: Place::Window, held, key, action: Action::Page(self.page), word }
    }
}

impl Window {
    /// Shows a page, or hides it.
    pub(super) fn toggle_page(&mut self, page: Page) {
        if !(page.spec().prepare)(self) {
            return;
        }
        self.page = if self.page == Some(page) { None } else { Some(page) };
        self.searched.clear();
    }
}

/// The pages that a menu lists.
pub(super) fn entries_of(menu: Menu) -> Vec<(Action, Word)> {
    let listed = PAGES.iter().filter_map(|spec| Some((spec.page, spec.menu?)));
    let here = listed.filter(|(_, (of, _))| *of == menu);
    here.map(|(page, (_, word))| (Action::Page(page), word)).collect()
}

fn settings(window: &mut Window, ctx: &Context) -> bool {
    let chosen = pages::settings(ctx, &mut window.app.store.settings);
    if chosen.open_deck {
        window.app.ask(ASK_DECK);
    }
    chosen.close || chosen.open_deck
}

/// Serves phones, whose code the page shows.
fn serve_phones(window: &mut Window) -> bool {
    let (eye, plan, wake) = (Arc::clone(&window.app.eye), window.plan(), window.app.wake());
    let served = window.phones.serve(eye, plan, wake);
    served.map_err(|reason| window.say(reason)).is_ok()
}

fn phone(window: &mut Window, ctx: &Context) -> bool {
    let action = phones::page(ctx, &window.phones);
    window.run_page_action(action);
    false
}

fn check_deck(window: &mut Window) -> bool {
    window.tabs.see(photos::TAB.id);
    window.tabs.get_mut::<Photos>().start_deck_check();
    true
}

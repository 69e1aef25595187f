//! Pages over the window: the keys, the settings; and for newcomers the rules of the
//! game in one screen, with drawn cards, how to photograph, and what this program is.

use crate::shared::card_face::{self, ASPECT};
use crate::shared::keys::{Binding, OTHER_KEYS, Place, bindings, name_of};
use crate::shared::settings::{Brightness, Palette, SCALES, Settings};
use crate::shared::verdict::verdict_lines;
use crate::shared::words::{Language, Word, t};
use crate::shared::{names, theme};
use eframe::egui::{
    Align, Button, Context, Frame, Id, Label, Layout, Modal, ModalResponse, Role, ScrollArea,
    Sense, Slider, TextEdit, Ui, WidgetInfo, vec2,
};
use setsight_game::cards::{Card, Deck};
use setsight_game::sets::explain;

/// Room for the longest name of a key, in points.
const KEY_WIDTH: f32 = 104.0;

/// Below this height even the button that closes a page scrolls with it.
const LOW: f32 = 300.0;

/// Room for the scroll bar of a page, in points.
const BAR_WIDTH: f32 = 12.0;

/// Something over the window, at most so wide, that scrolls where the window is too small for it.
pub(crate) fn modal<T>(
    ctx: &Context,
    name: &'static str,
    width: f32,
    add: impl FnOnce(&mut Ui) -> T,
) -> ModalResponse<T> {
    over(ctx, name, width, 0.0, add, |_| ())
}

/// A page over the window with a button to close it, which is always in view where there is room.
/// Whether it is to be closed.
pub(crate) fn page(
    ctx: &Context,
    name: &'static str,
    width: f32,
    add: impl FnOnce(&mut Ui),
) -> bool {
    let (mut inside, mut below) = (false, false);
    let low = ctx.content_rect().height() < LOW;
    let content = |ui: &mut Ui| {
        add(ui);
        inside = low && close_button(ui);
    };
    let foot = if low { 0.0 } else { 46.0 };
    let answer = over(ctx, name, width, foot, content, |ui| below = !low && close_button(ui));
    answer.should_close() || inside || below
}

fn close_button(ui: &mut Ui) -> bool {
    ui.add_space(6.0);
    ui.vertical_centered_justified(|ui| ui.add(Button::new(t!("close"))).clicked()).inner
}

fn over<T>(
    ctx: &Context,
    name: &'static str,
    width: f32,
    foot_height: f32,
    add: impl FnOnce(&mut Ui) -> T,
    foot: impl FnOnce(&mut Ui),
) -> ModalResponse<T> {
    let room = ctx.content_rect().size();
    let margin = if room.x.min(room.y) < LOW { 8.0 } else { 20.0 };
    let frame = Frame::popup(&ctx.global_style()).inner_margin(margin);
    let most = room - vec2(2.0, 2.0) * (margin + 6.0);
    Modal::new(Id::unique(name)).frame(frame).show(ctx, |ui| {
        ui.set_width(most.x.min(width));
        let height = most.y - foot_height;
        // Beside what is read, not on it.
        ui.spacing_mut().scroll.floating_allocated_width = BAR_WIDTH;
        let area = ScrollArea::vertical().max_height(height).min_scrolled_height(height);
        let shown = area.auto_shrink([false, true]).show(ui, add).inner;
        foot(ui);
        shown
    })
}

/// Shows every key, or those that are searched for; those that work here and now first. Whether the
/// page is to be closed.
pub(crate) fn help(ctx: &Context, here: &[Place], searched: &mut String) -> bool {
    let room = ctx.content_rect().size();
    page(ctx, "help", 940.0, |ui| {
        ui.heading(t!("keys"));
        let field = TextEdit::singleline(searched).hint_text(t!("search"));
        let field = field.desired_width(240.0_f32.min(ui.available_width()));
        let field = theme::bordered(ui, |ui| ui.add(field));
        field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, t!("search")));
        // What is nearest comes first.
        let elsewhere = Place::ALL.into_iter().filter(|place| !here.contains(place));
        let places = here.iter().rev().copied().chain(elsewhere);
        let lists: Vec<_> = places
            .map(|place| (place, rows_of(place, &searched.to_lowercase())))
            .filter(|(_, rows)| !rows.is_empty())
            .collect();
        if lists.is_empty() {
            ui.label(t!("nothing-found"));
        }
        ui.scope(|ui| {
            ui.spacing_mut().interact_size.y = 20.0;
            let columns = if room.x > 760.0 { 2 } else { 1 };
            // About as many rows on the left as on the right.
            let all: usize = lists.iter().map(|(_, rows)| rows.len() + 1).sum();
            ui.columns(columns, |uis| {
                let mut above = 0;
                for (place, rows) in lists {
                    let column = if 2 * above < all { 0 } else { columns - 1 };
                    above += rows.len() + 1;
                    let ui = &mut uis[column];
                    ui.add_space(4.0);
                    ui.strong(place.word().say());
                    for (key, word) in rows {
                        key_row(ui, &key, word);
                    }
                }
            });
        });
    })
}

/// The keys of a place in which the text that is searched for occurs.
fn rows_of(place: Place, searched: &str) -> Vec<(String, Word)> {
    let mut bound: Vec<Binding> = Vec::new();
    for binding in bindings().filter(|binding| binding.place == place) {
        // A second key for the same is in the table for other keyboards.
        if bound.iter().all(|other| other.action != binding.action) {
            bound.push(binding);
        }
    }
    let mut rows: Vec<_> = bound.iter().map(|binding| (name_of(binding), binding.word)).collect();
    let second_keys = OTHER_KEYS.iter().filter(|other| other.0 == place);
    rows.extend(second_keys.map(|(_, key, word)| (key.name(), *word)));
    rows.retain(|(key, word)| {
        [key, &word.say(), &place.word().say()]
            .iter()
            .any(|text| text.to_lowercase().contains(searched))
    });
    rows
}

/// A key and what it does, in as many lines as the room asks for.
fn key_row(ui: &mut Ui, key: &str, word: Word) {
    ui.spacing_mut().item_spacing.y = 3.0;
    ui.horizontal_top(|ui| {
        let (room, layout) = (vec2(KEY_WIDTH, 20.0), Layout::left_to_right(Align::Min));
        ui.allocate_ui_with_layout(room, layout, |ui| {
            ui.set_min_width(KEY_WIDTH);
            ui.monospace(key);
        });
        ui.add(Label::new(word.say()).wrap());
    });
}

/// What came of a page of settings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chosen {
    /// It is to be closed.
    pub(crate) close: bool,
    /// A deck's file is to be asked for.
    pub(crate) open_deck: bool,
}

pub(crate) fn settings(ctx: &Context, settings: &mut Settings) -> Chosen {
    let mut open_deck = false;
    let close = page(ctx, "settings", 440.0, |ui| {
        ui.heading(t!("settings"));
        ui.add_space(6.0);
        ui.label(t!("language"));
        ui.horizontal_wrapped(|ui| {
            ui.selectable_value(&mut settings.language, None, t!("as-the-system"));
            for language in Language::ALL {
                ui.selectable_value(&mut settings.language, Some(language), language.name());
            }
        });
        ui.add_space(6.0);
        ui.label(t!("light-or-dark"));
        ui.horizontal_wrapped(|ui| {
            for (value, word) in [
                (Brightness::System, t!("as-the-system")),
                (Brightness::Light, t!("light")),
                (Brightness::Dark, t!("dark")),
            ] {
                ui.selectable_value(&mut settings.brightness, value, word);
            }
        });
        ui.add_space(6.0);
        ui.label(t!("palette-label"));
        for palette in Palette::ALL {
            ui.horizontal_wrapped(|ui| {
                ui.selectable_value(&mut settings.palette, palette, palette.word().say());
                swatches(ui, palette);
            });
        }
        ui.add_space(6.0);
        ui.label(t!("cards-are-read-as"));
        ui.horizontal_wrapped(|ui| {
            ui.selectable_value(&mut settings.deck, None, t!("usual-cards"));
            for path in &settings.decks {
                let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
                let chosen = settings.deck.as_ref() == Some(path);
                let button = ui.add(Button::selectable(chosen, name.as_ref()));
                if button.on_hover_text(path.display().to_string()).clicked() {
                    settings.deck = Some(path.clone());
                }
            }
            open_deck = ui.button(t!("ask-open-deck")).clicked();
        });
        ui.add_space(6.0);
        theme::check_box(ui, &mut settings.letters, t!("say-letters"));
        theme::check_box(ui, &mut settings.codes, t!("write-codes"));
        ui.add_space(6.0);
        let label = ui.label(t!("size-of-everything"));
        ui.horizontal_wrapped(|ui| {
            // Applied when let go: a slider that changes its own size under the pointer runs away.
            let id = Id::unique("scale in hand");
            // In a small window it must not make the page wider.
            ui.spacing_mut().slider_width = (ui.available_width() - 96.0).clamp(60.0, 180.0);
            let mut scale = ui.data(|data| data.get_temp(id)).unwrap_or(settings.scale);
            let slider = Slider::new(&mut scale, SCALES)
                .step_by(0.05)
                .custom_formatter(|scale, _| format!("{:.0} %", 100.0 * scale))
                .custom_parser(|text| {
                    Some(text.trim_end_matches([' ', '%']).parse::<f64>().ok()? / 100.0)
                });
            let response = ui.add(slider).labelled_by(label.id);
            if response.dragged() {
                ui.data_mut(|data| data.insert_temp(id, scale));
            } else if response.changed() || response.drag_stopped() {
                settings.scale = scale;
                ui.data_mut(|data| data.remove::<f32>(id));
            }
            if ui.button("1:1").accessible_name(t!("usual-size")).clicked() {
                settings.scale = 1.0;
            }
        });
        ui.add_space(10.0);
        ui.weak(t!("kept"));
    });
    Chosen { close, open_deck }
}

fn swatches(ui: &mut Ui, palette: Palette) {
    let (rect, response) = ui.allocate_exact_size(vec2(7.0 * 24.0, 24.0), Sense::hover());
    response.widget_info(|| {
        let name = t!("palette-colours", palette = palette.word().say());
        WidgetInfo::labeled(Role::Image, true, name)
    });
    for place in 0..7 {
        let center = rect.left_center() + vec2(12.0 + 24.0 * place as f32, 0.0);
        let color = palette.set_color(place);
        card_face::disc(ui.painter(), center, 9.0, color, &(place + 1).to_string());
    }
}

/// Cards that show it: what they show, and their codes.
const EXAMPLES: [(Word, [&str; 3]); 3] = [
    (Word("set-one-differs"), ["1fgd", "2fgd", "3fgd"]),
    (Word("set-all-differ"), ["1fgd", "2sps", "3oro"]),
    (Word("no-set-example"), ["1frs", "2frs", "3fps"]),
];

/// The page. Whether it is to be closed.
pub(crate) fn rules(ctx: &Context, settings: &Settings) -> bool {
    page(ctx, "rules", 760.0, |ui| {
        ui.heading(t!("rules-of-the-game"));
        ui.label(t!("rules-cards"));
        ui.strong(t!("set-rule"));
        ui.add_space(6.0);
        let columns = (ui.available_width() / 220.0).floor().clamp(1.0, 3.0) as usize;
        ui.columns(columns, |uis| {
            for (i, (word, codes)) in EXAMPLES.into_iter().enumerate() {
                // Columns justify their text, which tears a line of three words apart.
                uis[i % columns].with_layout(Layout::top_down(Align::Min), |ui| {
                    ui.strong(word.say());
                    cards(ui, codes, settings);
                    verdict_lines(ui, &Deck::classic(), &explain(cards_of(codes)));
                });
            }
        });
        ui.add_space(6.0);
        ui.label(t!("rules-game"));
    })
}

/// The same in a few lines, for a panel.
pub(crate) fn in_short(ui: &mut Ui, settings: &Settings) {
    ui.strong(t!("what-is-a-set"));
    ui.label(t!("set-rule"));
    for (word, codes) in EXAMPLES {
        ui.label(word.say());
        cards(ui, codes, settings);
    }
}

fn cards_of(codes: [&str; 3]) -> [Card; 3] {
    codes.map(|code| code.parse().expect("a code"))
}

/// Three cards in a row.
fn cards(ui: &mut Ui, codes: [&str; 3], settings: &Settings) {
    const GAP: f32 = 6.0;
    let width = ((ui.available_width() - 2.0 * GAP) / 3.0).clamp(30.0, 84.0);
    let size = vec2(3.0 * width + 2.0 * GAP, width / ASPECT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let cards = cards_of(codes).map(|card| names::card(&Deck::classic(), card)).join(", ");
        WidgetInfo::labeled(Role::Image, true, t!("example", cards = cards))
    });
    for (i, card) in cards_of(codes).into_iter().enumerate() {
        let min = rect.min + vec2(i as f32 * (width + GAP), 0.0);
        card_face::paint(ui.painter(), card_face::rect_at(min, width), card, settings);
    }
}

/// Every few words of the guide, with their heading.
const HOW_TO: [(Word, &[Word]); 2] = [
    (
        Word("guide-photo"),
        &[Word("guide-above"), Word("guide-light"), Word("guide-ground"), Word("guide-still")],
    ),
    (
        Word("guide-phone"),
        &[
            Word("guide-code"),
            Word("guide-cable"),
            Word("guide-shared"),
            Word("guide-message"),
            Word("guide-live"),
        ],
    ),
];

/// How to photograph a table. Whether the page is to be closed.
pub(crate) fn how_to(ctx: &Context) -> bool {
    page(ctx, "how to", 620.0, |ui| {
        ui.heading(t!("how-to-photograph-a-table"));
        for (heading, points) in HOW_TO {
            ui.add_space(4.0);
            ui.strong(heading.say());
            for point in points {
                ui.label(format!("• {}", point.say()));
            }
        }
    })
}

/// What this program is. Whether the page is to be closed.
pub(crate) fn about(ctx: &Context) -> bool {
    page(ctx, "about", 520.0, |ui| {
        ui.heading(concat!("setsight ", env!("CARGO_PKG_VERSION")));
        ui.label(t!("about-what"));
        line(ui, &t!("about-licence"), env!("CARGO_PKG_LICENSE"));
        line(ui, &t!("about-photos"), &t!("about-photos-stay"));
        line(ui, &t!("about-more"), &t!("about-version"));
        ui.add_space(4.0);
        ui.weak(t!("about-trademark"));
    })
}

fn line(ui: &mut Ui, name: &str, words: &str) {
    ui.add_space(4.0);
    ui.strong(name);
    ui.label(words);
}

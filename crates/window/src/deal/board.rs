//! The table of a dealt game.

use crate::{
    deal::{
        game::Watch,
        play::{Announcement, LEAVING_SECONDS, Phase, Play},
    },
    shared::{
        card_face::{self, ASPECT},
        look::Mark,
        names, overlay,
        settings::Settings,
        theme::{CHOSEN, text_on},
        verdict,
        words::t,
    },
};
use eframe::egui::{
    Align2, Color32, CursorIcon, FontId, Id, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo,
    vec2,
};
use setsight_game::{
    cards::{Card, Deck},
    game::{ROWS, Spot, place_name},
};

/// Round cards that are no set.
const WRONG: Color32 = Color32::from_rgb(200, 30, 40);

/// Where the cards of a table lie.
struct Grid {
    room: Rect,
    size: eframe::egui::Vec2,
    gap: f32,
    columns: usize,
}

impl Grid {
    /// As large as the room allows.
    fn new(room: Rect, places: usize) -> Self {
        let columns = places.div_ceil(ROWS).max(3);
        let gap = (room.width() * 0.02).clamp(4.0, 24.0);
        let cell = vec2(
            (room.width() - gap * (columns as f32 - 1.0)) / columns as f32,
            (room.height() - gap * (ROWS as f32 - 1.0)) / ROWS as f32,
        );
        let width = cell.x.min(cell.y * ASPECT).max(16.0);
        Self { room, size: vec2(width, width / ASPECT), gap, columns }
    }

    /// A place, down the columns.
    fn rect(&self, place: usize) -> Rect {
        let (columns, rows) = (self.columns as f32, ROWS as f32);
        let all = vec2(
            columns * (self.size.x + self.gap) - self.gap,
            rows * (self.size.y + self.gap) - self.gap,
        );
        let origin = Rect::from_center_size(self.room.center(), all).min;
        let at = vec2((place / ROWS) as f32, (place % ROWS) as f32);
        Rect::from_min_size(origin + at * (self.size + vec2(self.gap, self.gap)), self.size)
    }
}

pub(crate) enum Pressed {
    Card(Spot),
    /// That the clock may run.
    Start,
}

/// How cards are drawn and named.
#[derive(Clone, Copy)]
pub(crate) struct Looks<'a> {
    /// Whose cards they are.
    pub(crate) deck: &'a Deck,
    /// Their colours.
    pub(crate) settings: &'a Settings,
}

pub(crate) fn watched(ui: &mut Ui, watch: &Watch, looks: Looks<'_>) {
    let room = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(room);
    let places = watch.game().places();
    let grid = Grid::new(room, places.len().max(12));
    let mut in_sets = Vec::new();
    for (place, card) in places.iter().enumerate() {
        let rect = grid.rect(place);
        let Some(card) = card else {
            card_face::paint_gap(ui.painter(), rect, Color32::from_white_alpha(90));
            continue;
        };
        let is_new = watch.added().contains(&place);
        let card_name = names::card(looks.deck, *card);
        let name = t!("place-named", n = place + 1, name = place_name(place), card = card_name);
        show_card(ui, rect, ("place", place), *card, name, (false, is_new), looks);
        let sets = watch.sets().iter().enumerate().filter(|(_, set)| set.0.contains(&place));
        let sets: Vec<usize> = sets.map(|(number, _)| number).collect();
        let alone = watch.pointed.or(watch.alone);
        in_sets.push((rect, Mark::of_sets(sets, watch.sets().len(), alone)));
    }
    overlay::paint_drawn(ui.painter(), &in_sets, looks.settings);
    // Over the outlines: a card of several sets has them far inwards.
    for (place, card) in places.iter().enumerate() {
        place_label(ui, grid.rect(place), place, card.is_some());
    }
}

/// The number and the name of a place, in its lower left corner.
fn place_label(ui: &Ui, rect: Rect, place: usize, is_taken: bool) {
    let font = FontId::proportional((0.12 * rect.height()).clamp(7.0, 20.0));
    let ink = if is_taken { Color32::from_gray(80) } else { Color32::from_white_alpha(170) };
    let label = format!("{}  {}", place + 1, place_name(place));
    let galley = ui.painter().layout_no_wrap(label, font, ink);
    let at = rect.left_bottom() + vec2(0.09 * rect.height(), -0.02 * rect.height());
    let ground = Align2::LEFT_BOTTOM.anchor_size(at, galley.size());
    if is_taken {
        ui.painter().rect_filled(ground.expand2(vec2(3.0, 0.0)), 3.0, card_face::WHITE);
    }
    ui.painter().galley(ground.min, galley, ink);
}

/// The game as it is played; what was pressed.
pub(crate) fn played(ui: &mut Ui, play: &Play, looks: Looks<'_>, now: f64) -> Option<Pressed> {
    let room = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(room);
    let room = players(ui, play, looks.settings, room, now);
    let (below, last) = last_set(ui, play, looks, room);
    let pressed = last.or(on_table(ui, play, looks, below, now));
    if !play.is_running() {
        return start_button(ui, play, room).then_some(Pressed::Start);
    }
    pressed.map(Pressed::Card)
}

/// The last set, in a chain; what is left of the room, and the card that was pressed.
fn last_set(ui: &mut Ui, play: &Play, looks: Looks<'_>, room: Rect) -> (Rect, Option<Spot>) {
    let (mut room, mut pressed) = (room, None);
    if let Some(last) = play.round().last() {
        let height = (room.height() * 0.2).clamp(30.0, 150.0);
        let (above, below) = room.split_top_bottom_at_y(room.min.y + height);
        room = below.with_min_y(below.min.y + 10.0);
        let width = (height * ASPECT).min(above.width() / 4.0);
        for (i, &card) in last.iter().enumerate() {
            let left = above.center().x + (i as f32 - 1.5) * (width + 8.0);
            let rect = card_face::rect_at(eframe::egui::pos2(left, above.min.y), width);
            if !play.is_running() {
                card_face::paint_back(ui.painter(), rect);
                continue;
            }
            let spot = Spot::Last(i);
            let marks = (play.chosen.contains(&spot), play.hinted().contains(&spot));
            let card_name = names::card(looks.deck, card);
            let name = t!("last-set-numbered", n = i + 1, card = card_name);
            if show_card(ui, rect, ("last", i), card, name, marks, looks) {
                pressed = Some(spot);
            }
        }
    }
    (room, pressed)
}

/// The cards on the table; the one that was pressed.
fn on_table(ui: &mut Ui, play: &Play, looks: Looks<'_>, room: Rect, now: f64) -> Option<Spot> {
    let (open, hinted, mut pressed) = (play.is_running(), play.hinted(), None);
    let places = play.round().places();
    let grid = Grid::new(room, places.len());
    let leaving = play.leaving(now);
    for (place, card) in places.iter().enumerate() {
        let rect = grid.rect(place);
        let Some(card) = *card else {
            card_face::paint_gap(ui.painter(), rect, Color32::from_white_alpha(90));
            continue;
        };
        if !open {
            card_face::paint_back(ui.painter(), rect);
            continue;
        }
        let spot = Spot::Table(place);
        let marks = (play.chosen.contains(&spot), hinted.contains(&spot));
        let name = at_place(looks.deck, place, card);
        let is_new = leaving.is_some_and(|l| l.cards.iter().any(|(at, _)| *at == place));
        let since = leaving.map_or(LEAVING_SECONDS, |leaving| now - leaving.since);
        let part = (since / LEAVING_SECONDS).clamp(0.0, 1.0) as f32;
        let shown = ui.scope(|ui| {
            if is_new {
                ui.multiply_opacity(part);
            }
            show_card(ui, rect, ("place", place), card, name, marks, looks)
        });
        if shown.inner {
            pressed = Some(spot);
        }
        if play.wrong(now).contains(&spot) && open {
            let line = Stroke::new((0.03 * rect.width()).clamp(3.0, 9.0), WRONG);
            ui.painter().rect_stroke(rect, 0.1 * rect.height(), line, StrokeKind::Outside);
            verdict::cross(ui.painter(), rect.center_bottom(), 0.3 * rect.height(), WRONG);
        }
    }
    let why = play.announcement().filter(|_| open && !play.wrong(now).is_empty());
    if let Some(Announcement::Wrong(_, verdict, _)) = why {
        overlay::caption(ui.painter(), ui.max_rect(), &names::verdict(verdict));
    }
    if let Some(leaving) = leaving.filter(|_| open) {
        // The set goes together and away, to where the sets are counted.
        let part = ((now - leaving.since) / LEAVING_SECONDS).clamp(0.0, 1.0) as f32;
        let mut painter = ui.painter().clone();
        painter.set_opacity(1.0 - part);
        for &(place, card) in &leaving.cards {
            let from = grid.rect(place);
            let center = from.center().lerp(room.right_top(), part * part);
            let rect = Rect::from_center_size(center, grid.size * (1.0 - 0.6 * part));
            card_face::paint_of(&painter, rect, looks.deck, card, looks.settings);
            let line = Stroke::new(3.0, CHOSEN);
            painter.rect_stroke(rect, 0.1 * rect.height(), line, StrokeKind::Outside);
        }
    }
    pressed
}

/// A large button in the middle of the cards that lie face down. Whether it was pressed.
fn start_button(ui: &Ui, play: &Play, room: Rect) -> bool {
    let words = if play.phase() == Phase::Paused { t!("paused") } else { t!("ready") };
    let font = FontId::proportional((room.height() * 0.12).clamp(20.0, 56.0));
    let galley = ui.painter().layout_no_wrap(words.clone(), font, Color32::WHITE);
    let ground = Align2::CENTER_CENTER.anchor_size(room.center(), galley.size() + vec2(48.0, 24.0));
    let response = ui.interact(ground, Id::unique("start"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &words));
    let response = response.on_hover_cursor(CursorIcon::PointingHand);
    let fill = Color32::from_black_alpha(if response.hovered() { 230 } else { 190 });
    ui.painter().rect_filled(ground, 14.0, fill);
    let line = Stroke::new(3.0, if response.hovered() { CHOSEN } else { Color32::WHITE });
    ui.painter().rect_stroke(ground, 14.0, line, StrokeKind::Inside);
    ui.painter().galley(ground.center() - galley.size() / 2.0, galley, Color32::WHITE);
    response.clicked()
}

fn at_place(deck: &Deck, place: usize, card: Card) -> String {
    t!("place-numbered", n = place + 1, card = names::card(deck, card))
}

/// A card as a button, chosen or marked or neither. Whether it was pressed.
fn show_card(
    ui: &mut Ui,
    rect: Rect,
    id: (&str, usize),
    card: Card,
    name: String,
    (is_chosen, is_marked): (bool, bool),
    looks: Looks<'_>,
) -> bool {
    let response = ui.interact(rect, eframe::egui::Id::unique("dealt").with(id), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_chosen, &name));
    let shown = if response.hovered() || is_chosen { rect.expand(3.0) } else { rect };
    card_face::paint_of(ui.painter(), shown, looks.deck, card, looks.settings);
    let radius = (shown.height() * 0.1).clamp(1.0, 40.0);
    if is_chosen || is_marked {
        let line = Stroke::new((0.03 * rect.width()).clamp(3.0, 9.0), CHOSEN);
        ui.painter().rect_stroke(shown, radius, line, StrokeKind::Outside);
    }
    response.clicked()
}

/// Height of the row over the cards: a part of the table's, and its bounds in points.
const PLAYERS: (f32, f32, f32) = (0.17, 34.0, 170.0);

/// Draws a row at the top of the table; what is left of the room. Of one player there is none, so that
/// the cards stay in place when a player calls.
fn players(ui: &Ui, play: &Play, settings: &Settings, room: Rect, now: f64) -> Rect {
    if play.players().len() < 2 {
        return room;
    }
    let (part, least, most) = PLAYERS;
    let height = (part * room.height()).clamp(least, most);
    let (row, below) = room.split_top_bottom_at_y(room.min.y + height);
    match play.caller(now) {
        Some((who, left)) => {
            called(ui, row, &play.name(who), left, settings.palette.set_color(who))
        }
        None => points_of(ui, row, play, settings),
    }
    below.with_min_y(below.min.y + 0.12 * height)
}

/// Who has called, and how many seconds are left.
fn called(ui: &Ui, row: Rect, name: &str, left: f64, color: Color32) {
    let seconds = left.ceil();
    let response = ui.interact(row, Id::unique("caller"), Sense::hover());
    response.widget_info(|| {
        let words = t!("has-called-left", player = name, seconds = seconds);
        WidgetInfo::labeled(Role::Label, true, words)
    });
    let painter = ui.painter();
    painter.rect_filled(row, 0.15 * row.height(), color);
    let (font, ink) = (FontId::proportional(0.78 * row.height()), text_on(color));
    let count = painter.layout_no_wrap(format!("{seconds:.0}"), font, ink);
    let margin = 0.25 * row.height();
    let right = row.right_center() - vec2(count.size().x + margin, count.size().y / 2.0);
    let name_room = row.width() - count.size().x - 3.0 * margin;
    painter.galley(right, count, ink);
    let left = Align2::LEFT_CENTER.pos_in_rect(&row) + vec2(margin, 0.0);
    fitted(ui, name, left, Align2::LEFT_CENTER, vec2(name_room, 0.7 * row.height()), ink);
}

/// What everybody has.
fn points_of(ui: &Ui, row: Rect, play: &Play, settings: &Settings) {
    let count = play.players().len() as f32;
    let gap = 8.0;
    let width = (row.width() - gap * (count - 1.0)) / count;
    for (who, player) in play.players().iter().enumerate() {
        let left = row.min.x + who as f32 * (width + gap);
        let tile =
            Rect::from_min_size(eframe::egui::pos2(left, row.min.y), vec2(width, row.height()));
        let color = settings.palette.set_color(who);
        let painter = ui.painter();
        painter.rect_filled(tile, 0.12 * row.height(), color);
        let (upper, lower) = tile.split_top_bottom_at_fraction(0.45);
        let ink = text_on(color);
        let most = vec2(0.88, 0.86);
        let middle = Align2::CENTER_CENTER;
        fitted(ui, &play.name(who), upper.center(), middle, upper.size() * most, ink);
        fitted(ui, &player.points().to_string(), lower.center(), middle, lower.size() * most, ink);
    }
}

/// Words as large as the room allows.
fn fitted(
    ui: &Ui,
    words: &str,
    at: eframe::egui::Pos2,
    anchor: Align2,
    room: eframe::egui::Vec2,
    ink: Color32,
) {
    let painter = ui.painter();
    let high = room.y.max(6.0);
    let galley = painter.layout_no_wrap(words.to_owned(), FontId::proportional(high), ink);
    let wide = (room.x / galley.size().x.max(1.0)).min(1.0);
    let low = (room.y / galley.size().y.max(1.0)).min(1.0);
    let font = FontId::proportional((high * wide.min(low)).max(6.0));
    painter.text(at, anchor, words, font, ink);
}

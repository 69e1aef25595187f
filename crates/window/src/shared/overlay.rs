//! Outlines, discs and names over a picture, drawn by the window and so sharp at any zoom.

use crate::shared::{
    card_face::{self, disc, set_mark},
    look::{Look, Mark, Mode, SETS_BY_NUMBERS},
    names,
    picture::{Placement, bounds, offset},
    settings::Settings,
    table::{Heap, Table},
    theme::{CHOSEN, PALE, RIM, mark_ring_drawn},
    words::t,
};
use eframe::egui::{
    Align2, Area, Color32, EventFilter, FontId, Frame, Id, Order, Painter, Pos2, Rect, Role, Sense,
    Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, vec2,
};
use setsight_game::cards::Property;
use setsight_photo::geometry::{Point, Quad};
use setsight_vision::Reading;

/// What the handle at a corner of the card in hand reaches along its edge, in points.
const HANDLE: f32 = 12.0;

/// Width of a drawn card on a photographed one, and how far it reaches up from that one's lower edge, which is
/// as far as no symbol is printed; in times the long side.
const FACE: f32 = 0.5;
const FACE_RISE: f32 = 0.12;

/// Width of the note about a card, in points.
const TIP_WIDTH: f32 = 300.0;

/// Steps along a side of an outline that ends where another card lies.
const PIECES: usize = 64;

/// What the pointer or the keyboard did to the cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hits {
    /// The card under the pointer.
    pub(crate) hovered: Option<usize>,
    /// The card that was clicked, or pressed by a key.
    pub(crate) clicked: Option<usize>,
    /// The card that has the keyboard's focus.
    pub(crate) focused: Option<usize>,
}

/// Paints a table's cards as they are to be looked at; of a card on which others lie no outline where
/// those are.
pub(crate) fn paint(
    painter: &Painter,
    placement: &Placement,
    (table, heap): (&Table, &Heap),
    look: &Look,
    settings: &Settings,
) {
    let marks = look.marks(table);
    // First all outlines, then all discs: a neighbour's outline must not hide them.
    for (place, (card, mark)) in table.cards.iter().zip(&marks).enumerate() {
        let marked = (mark, card.unsure, table.sets.len());
        let on_it = heap.on(place);
        let pen = Pen { painter, placement, on_it: &on_it };
        outline(pen, &card.corners_in_image, marked, settings);
    }
    for (place, (card, mark)) in table.cards.iter().zip(&marks).enumerate() {
        let label = |set: usize| match table.shown_sets() {
            SETS_BY_NUMBERS.. => table.numbers[place].to_string(),
            _ => table.set_label(set),
        };
        // The card in hand has a handle at its corner.
        let inward = if look.with == Some(place) { HANDLE } else { 0.0 };
        let mark = (mark, card.unsure, inward);
        discs(painter, placement, &card.corners_in_image, mark, &label, settings);
    }
}

/// Cards as they were read, drawn over the lower edges of those in the photo, but for the card in hand.
fn faces(placement: &Placement, table: &Table, in_hand: Option<usize>) -> Vec<(usize, Rect)> {
    let cards = table.cards.iter().enumerate().filter(|&(place, _)| Some(place) != in_hand);
    cards
        .map(|(place, card)| {
            let long = card.corners_in_image.long_side() as f32 * placement.scale;
            let below = bounds(&placement.quad(&card.corners_in_image)).center_bottom();
            let width = FACE * long;
            let min = below - vec2(0.5 * width, FACE_RISE * long);
            (place, card_face::rect_at(min, width))
        })
        .collect()
}

/// Paints them.
pub(crate) fn paint_faces(
    painter: &Painter,
    placement: &Placement,
    table: &Table,
    in_hand: Option<usize>,
    settings: &Settings,
) {
    let deck = table.deck();
    for (place, face) in faces(placement, table, in_hand) {
        card_face::paint_of(painter, face, &deck, table.cards[place].card, settings);
        painter.rect_stroke(face, 0.1 * face.height(), Stroke::new(1.5, RIM), StrokeKind::Outside);
    }
}

/// The card whose drawn one lies at a point of the window.
pub(crate) fn face_at(
    placement: &Placement,
    table: &Table,
    in_hand: Option<usize>,
    at: Pos2,
) -> Option<usize> {
    let faces = faces(placement, table, in_hand);
    faces.into_iter().rev().find(|(_, face)| face.contains(at)).map(|(place, _)| place)
}

/// Paints drawn cards as they are to be looked at; sets are numbered by place.
pub(crate) fn paint_drawn(painter: &Painter, cards: &[(Rect, Mark)], settings: &Settings) {
    // Pixels of the picture are points of the window.
    let placement = Placement {
        room: painter.clip_rect(),
        rect: Rect::from_min_size(Pos2::ZERO, Vec2::ZERO),
        scale: 1.0,
    };
    for (rect, mark) in cards {
        if !matches!(mark, Mark::Plain | Mark::Badges(_)) {
            let pen = Pen { painter, placement: &placement, on_it: &[] };
            outline(pen, &quad_of(rect), (mark, false, usize::MAX), settings);
        }
    }
    for (rect, mark) in cards {
        let (corners, mark) = (quad_of(rect), (mark, false, 0.0));
        discs(painter, &placement, &corners, mark, &|set| (set + 1).to_string(), settings);
    }
}

fn quad_of(rect: &Rect) -> Quad {
    let min = Point::new(rect.min.x.into(), rect.min.y.into());
    let sides = Quad::rectangle(rect.width().into(), rect.height().into());
    sides.map(|corner| corner + min)
}

/// Draws what is round a card, as far as no other card lies there.
#[derive(Clone, Copy)]
struct Pen<'a> {
    painter: &'a Painter,
    placement: &'a Placement,
    on_it: &'a [Quad],
}

impl Pen<'_> {
    /// A line round four corners.
    fn round(self, corners: [Pos2; 4], width: f32, color: Color32) {
        if self.on_it.is_empty() {
            return closed(self.painter, corners, width, color);
        }
        for piece in self.in_view(corners) {
            self.painter.add(Shape::line(piece, Stroke::new(width, color)));
        }
    }

    /// The same, dashed.
    fn dashed(self, corners: [Pos2; 4], (width, dash, gap): (f32, f32, f32), color: Color32) {
        for piece in self.in_view(corners) {
            let stroke = Stroke::new(width, color);
            self.painter.extend(Shape::dashed_line(&piece, stroke, dash, gap));
        }
    }

    /// Whether another card lies on a place.
    fn is_hidden(self, at: Pos2) -> bool {
        let at = self.placement.image_from_window(at);
        self.on_it.iter().any(|quad| quad.contains(at))
    }

    /// The parts of the line that no card lies on.
    fn in_view(self, corners: [Pos2; 4]) -> Vec<Vec<Pos2>> {
        if self.on_it.is_empty() {
            return vec![[&corners[..], &corners[..1]].concat()];
        }
        let (mut pieces, mut piece) = (Vec::new(), Vec::new());
        for step in 0..=4 * PIECES {
            let (side, part) = (step / PIECES % 4, (step % PIECES) as f32 / PIECES as f32);
            let at = corners[side].lerp(corners[(side + 1) % 4], part);
            if !self.is_hidden(at) {
                piece.push(at);
            } else if !piece.is_empty() {
                pieces.push(std::mem::take(&mut piece));
            }
        }
        pieces.push(piece);
        pieces.retain(|piece| piece.len() > 1);
        pieces
    }
}

fn outline(
    pen: Pen<'_>,
    quad: &Quad,
    (mark, unsure, sure_sets): (&Mark, bool, usize),
    settings: &Settings,
) {
    let Pen { painter, placement, .. } = pen;
    let corners = placement.quad(quad);
    let long = quad.long_side() as f32 * placement.scale;
    let width = (0.026 * long).clamp(2.0, 7.0);
    match mark {
        Mark::Quiet => {
            painter.add(Shape::convex_polygon(
                corners.to_vec(),
                Color32::from_black_alpha(110),
                Stroke::NONE,
            ));
        }
        Mark::Plain | Mark::Numbered(_) if unsure => {
            for (extra, color) in [(3.0, RIM), (1.0, PALE)] {
                let dashes = (0.5 * width + extra, 3.0 * width, 2.0 * width);
                pen.dashed(corners, dashes, color);
            }
        }
        Mark::Plain | Mark::Numbered(_) | Mark::Badges(_) => {
            pen.round(corners, 0.4 * width + 2.5, RIM);
            pen.round(corners, 0.4 * width + 0.5, PALE);
        }
        Mark::Hinted | Mark::Chosen => {
            pen.round(corners, 1.6 * width + 3.0, RIM);
            pen.round(corners, 1.6 * width, CHOSEN);
        }
        Mark::Sets(sets) => {
            // One band for each set, the first outside; a dark rim around and between them.
            let n = sets.len() as f32;
            let width = width.min(0.2 * long / (1.3 * n)).max(1.5);
            let step = 1.3 * width;
            pen.round(corners, step * n + 0.6 * width, RIM);
            for (rank, &set) in sets.iter().enumerate() {
                let out = step * ((n - 1.0) / 2.0 - rank as f32);
                let (band, color) = (offset(&corners, out), settings.palette.set_color(set));
                if set < sure_sets {
                    pen.round(band, width, color);
                } else {
                    // What is probable is dashed.
                    pen.dashed(band, (width, 4.0 * width, 3.0 * width), color);
                }
            }
        }
    }
}

fn closed(painter: &Painter, corners: [Pos2; 4], width: f32, color: Color32) {
    painter.add(Shape::closed_line(corners.to_vec(), Stroke::new(width, color)));
}

fn discs(
    painter: &Painter,
    placement: &Placement,
    quad: &Quad,
    (mark, unsure, inward): (&Mark, bool, f32),
    label: &dyn Fn(usize) -> String,
    settings: &Settings,
) {
    let sets: &[usize] = if let Mark::Sets(sets) | Mark::Badges(sets) = mark { sets } else { &[] };
    let unsure = unsure && *mark != Mark::Quiet;
    if sets.is_empty() && !unsure && !matches!(mark, Mark::Numbered(_)) {
        return;
    }
    let [start, end, .., below] = placement.quad(quad);
    let edge = (end - start).length().max(1.0);
    let long = quad.long_side() as f32 * placement.scale;
    let radius = (0.085 * long).clamp(7.0, 22.0);
    let start = start + (end - start) / edge * inward;
    let along = (end - start).normalized() * (2.3 * radius);
    let down = (below - start).normalized() * (2.3 * radius);
    // As many beside each other as the card is long, then a row further in.
    let in_row = ((edge / (2.3 * radius)) as usize).max(1);
    let place = |n: usize| {
        let (row, column) = (n / in_row, n % in_row);
        start + along * (column as f32 + 0.43) + down * row as f32
    };
    if let Mark::Numbered(number) = mark {
        let unsure = if unsure { "?" } else { "" };
        return disc(painter, place(0), radius, PALE, &format!("{number}{unsure}"));
    }
    if unsure {
        disc(painter, place(0), radius, PALE, "?");
    }
    for (n, &set) in (usize::from(unsure)..).zip(sets) {
        set_mark(painter, place(n), radius, (set, &label(set)), settings.palette);
    }
}

/// Makes every card a widget of its own, named for screen readers and reached by the keyboard, in the
/// order in which one reads. The cards chosen show as pressed. Where hints are asked for no card shows
/// its sets.
pub(crate) fn interact(
    ui: &mut Ui,
    placement: &Placement,
    table: &Table,
    id: Id,
    look: &Look,
) -> Hits {
    let tell_sets = look.mode == Mode::Solve;
    cards(ui, placement, table, id, &Cards { chosen: &look.chosen, tell_sets, focus: None })
}

/// How the cards of a picture are to be treated as widgets.
pub(crate) struct Cards<'a> {
    /// These show as pressed.
    pub(crate) chosen: &'a [usize],
    /// Whether a card under the pointer shows its sets.
    pub(crate) tell_sets: bool,
    /// This one takes the keyboard's focus.
    pub(crate) focus: Option<usize>,
}

/// The same, as somebody else wants it.
pub(crate) fn cards(
    ui: &mut Ui,
    placement: &Placement,
    table: &Table,
    id: Id,
    wanted: &Cards<'_>,
) -> Hits {
    let pointer =
        ui.input(|input| input.pointer.hover_pos()).filter(|&p| placement.room.contains(p));
    let mut hits = Hits::default();
    let top = ui.rect_contains_pointer(placement.room);
    hits.hovered =
        pointer.filter(|_| top).and_then(|p| table.card_at(placement.image_from_window(p)));
    for i in table.reading_order() {
        let corners = placement.quad(&table.cards[i].corners_in_image);
        let rect = bounds(&corners).intersect(placement.room);
        if !rect.is_positive() {
            continue;
        }
        let response = ui.interact(rect, id.with(i), Sense::click());
        response.widget_info(|| {
            WidgetInfo::selected(Role::Button, true, wanted.chosen.contains(&i), table.describe(i))
        });
        if wanted.tell_sets {
            ui.ctx().accesskit_node_builder(response.id, |node| {
                node.set_description(table.sets_in_words(i));
            });
        }
        if wanted.focus == Some(i) {
            response.request_focus();
        }
        if response.has_focus() {
            hits.focused = Some(i);
            // Arrows go from card to card, and to nothing else.
            let arrows = EventFilter {
                horizontal_arrows: true,
                vertical_arrows: true,
                ..Default::default()
            };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
            // As the card lies: two lines, so that one of them is seen on any ground.
            mark_ring_drawn(ui.ctx());
            closed(ui.painter(), offset(&corners, 7.0), 6.0, Color32::BLACK);
            closed(ui.painter(), offset(&corners, 7.0), 3.0, Color32::WHITE);
        }
        if response.clicked() {
            // The rectangles around slanted cards overlap: what counts is the card itself.
            let under = response.interact_pointer_pos().map(|p| placement.image_from_window(p));
            hits.clicked = match under {
                Some(point) => table.card_at(point),
                None => Some(i),
            };
        }
    }
    if let Some(card) = hits.hovered.filter(|&card| table.cards[card].unsure) {
        tell_of(ui, placement, table, card, wanted.tell_sets);
    }
    hits
}

/// Tells something of what lies at a point, in the corner of the room where it covers least of what
/// lies around.
fn tip_in_corner<T>(ui: &Ui, room: Rect, at: Pos2, add: impl FnOnce(&mut Ui) -> T) {
    let (pivot, corner) = match (at.x < room.center().x, at.y < room.center().y) {
        (true, true) => (Align2::RIGHT_BOTTOM, room.right_bottom()),
        (true, false) => (Align2::RIGHT_TOP, room.right_top()),
        (false, true) => (Align2::LEFT_BOTTOM, room.left_bottom()),
        (false, false) => (Align2::LEFT_TOP, room.left_top()),
    };
    let area = Area::new(Id::unique("told-card")).order(Order::Tooltip);
    let inward = corner + (room.center() - corner).normalized() * 12.0;
    let area = area.fixed_pos(inward).pivot(pivot).interactable(false);
    area.show(ui.ctx(), |ui| {
        Frame::popup(ui.style()).show(ui, |ui| {
            ui.set_max_width(TIP_WIDTH.min(0.6 * room.width()));
            add(ui)
        });
    });
}

/// What is known of the unsure card under the pointer. Of a sure card there is nothing to tell.
fn tell_of(ui: &Ui, placement: &Placement, table: &Table, index: usize, with_sets: bool) {
    let card = &table.cards[index];
    let at = bounds(&placement.quad(&card.corners_in_image)).center();
    tip_in_corner(ui, placement.room, at, |ui| {
        ui.strong(table.describe(index));
        let percent = (100.0 * card.confidence).floor();
        ui.label(t!("unsure-at", percent = percent, code = card.card.to_string()));
        if let Some(reading) = &table.readings[index] {
            values_read(ui, table, reading);
        }
        if with_sets {
            ui.weak(table.sets_in_words(index));
        }
    });
}

/// The possible values of each property that is not clear.
fn values_read(ui: &mut Ui, table: &Table, reading: &Reading) {
    let deck = table.deck();
    for (property, values) in Property::ALL.into_iter().zip(reading.values) {
        let possible = (0..3).filter(|&value| values[value] >= 0.005);
        let words: Vec<String> = possible
            .map(|value| {
                let percent = (100.0 * values[value]).round();
                t!("value-percent", value = names::value(&deck, property, value), percent = percent)
            })
            .collect();
        if words.len() > 1 {
            let (property, values) = (names::property(property), words.join(", "));
            ui.weak(t!("property-values", property = property, values = values));
        }
    }
}

/// Points out a card: a thick outline and its number.
pub(crate) fn point_out(painter: &Painter, placement: &Placement, table: &Table, card: usize) {
    let Some(read) = table.cards.get(card) else { return };
    let corners = placement.quad(&read.corners_in_image);
    closed(painter, corners, 9.0, RIM);
    closed(painter, corners, 5.0, CHOSEN);
    let center = bounds(&corners).center();
    disc(painter, center, 16.0, CHOSEN, &table.numbers[card].to_string());
}

/// A line of words on a dark ground in the middle of a picture's lower edge.
pub(crate) fn caption(painter: &Painter, room: Rect, text: &str) {
    let font = FontId::proportional(17.0);
    let galley = painter.layout_no_wrap(text.to_owned(), font, Color32::WHITE);
    let size = galley.size() + vec2(28.0, 16.0);
    let center = room.center_bottom() - vec2(0.0, size.y / 2.0 + 12.0);
    let rect = Align2::CENTER_CENTER.anchor_size(center, size);
    painter.rect_filled(rect, 10.0, Color32::from_black_alpha(200));
    painter.galley(rect.center() - galley.size() / 2.0, galley, Color32::WHITE);
}

//! The strip of thumbnails: only those in view are kept, and made.

use super::library::Entry;
use super::signs;
use super::theme::{CHOSEN, RIM};
use eframe::egui::{
    Align2, Color32, ColorImage, Context, CornerRadius, FontId, Rect, Role, ScrollArea, Sense,
    Stroke, StrokeKind, TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Thumbnails kept: several screens of them. Each takes at most 230 KB.
const MOST_THUMBS: usize = 240;
/// From one thumbnail to the next.
const GAP: f32 = 8.0;

/// What the strip says of a photo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many sets there are.
    pub sets: usize,
    /// How many cards are unsure.
    pub unsure: usize,
    /// Whether a person has looked it through.
    pub corrected: bool,
}

/// The thumbnails and where the strip stands.
#[derive(Default)]
pub struct Strip {
    thumbs: HashMap<usize, (TextureHandle, u64)>,
    without: HashSet<usize>,
    frame: u64,
    /// Scroll so that this one is seen.
    go_to: Option<usize>,
    /// Scroll there, in points: for measuring.
    pub scroll_to: Option<f32>,
}

/// What is needed for the part of the strip that is in view, and what was pressed.
pub struct Shown {
    /// Thumbnails that are missing, those in view first.
    pub missing: Vec<usize>,
    /// What is in view.
    pub in_view: Range<usize>,
    /// The photo that was pressed.
    pub pressed: Option<usize>,
}

impl Strip {
    /// Sees to it that a photo is in view.
    pub fn reveal(&mut self, index: usize) {
        self.go_to = Some(index);
    }

    /// Takes a thumbnail; the one seen longest ago makes room.
    pub fn put(&mut self, ctx: &Context, index: usize, thumb: Result<ColorImage, String>) {
        let Ok(thumb) = thumb else {
            self.without.insert(index);
            return;
        };
        while self.thumbs.len() >= MOST_THUMBS {
            let oldest = self.thumbs.iter().min_by_key(|(_, (_, seen))| *seen).map(|(&i, _)| i);
            oldest.and_then(|i| self.thumbs.remove(&i));
        }
        let texture = ctx.load_texture("thumb", thumb, TextureOptions::LINEAR);
        self.thumbs.insert(index, (texture, self.frame));
    }

    /// A photo's thumbnail, if it is kept.
    pub fn thumb(&self, index: usize) -> Option<&TextureHandle> {
        self.thumbs.get(&index).map(|(texture, _)| texture)
    }

    /// Shows the strip in all the room there is.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        entries: &[Entry],
        summaries: &[Option<Summary>],
        current: usize,
    ) -> Shown {
        self.frame += 1;
        let room = ui.available_size();
        // The scroll bar lies below.
        let height = (room.y - 12.0).max(40.0);
        let item = vec2(((height - 20.0) * 4.0 / 3.0).max(48.0), height);
        let step = item.x + GAP;
        let width = (step * entries.len() as f32 - GAP).max(0.0);
        let mut area = ScrollArea::horizontal().auto_shrink([false, false]).id_salt("strip");
        if let Some(index) = self.go_to.take() {
            let middle = index as f32 * step + item.x / 2.0 - room.x / 2.0;
            area = area.horizontal_scroll_offset(middle.clamp(0.0, (width - room.x).max(0.0)));
        }
        if let Some(offset) = self.scroll_to {
            area = area.horizontal_scroll_offset(offset.clamp(0.0, (width - room.x).max(0.0)));
        }
        let output = area.show_viewport(ui, |ui, viewport| {
            ui.set_min_size(vec2(width, height));
            let first = (viewport.min.x / step).floor().max(0.0) as usize;
            let last = ((viewport.max.x / step).ceil().max(0.0) as usize).min(entries.len());
            let in_view = first.min(last)..last;
            let mut pressed = None;
            for i in in_view.clone() {
                let min = ui.min_rect().min + vec2(i as f32 * step, 0.0);
                let rect = Rect::from_min_size(min, item);
                if self.item(ui, rect, i, &entries[i], summaries[i], i == current) {
                    pressed = Some(i);
                }
            }
            (in_view, pressed)
        });
        let (in_view, pressed) = output.inner;
        let screen = in_view.len();
        let near =
            in_view.start.saturating_sub(screen / 2)..(in_view.end + screen).min(entries.len());
        let lacks = |&i: &usize| !self.thumbs.contains_key(&i) && !self.without.contains(&i);
        let beyond = near.filter(|i| !in_view.contains(i));
        let missing = in_view.clone().chain(beyond).filter(lacks).collect();
        Shown { missing, in_view, pressed }
    }

    fn item(
        &mut self,
        ui: &Ui,
        rect: Rect,
        index: usize,
        entry: &Entry,
        summary: Option<Summary>,
        selected: bool,
    ) -> bool {
        let response = ui.interact(rect, ui.scope_id().with(("photo", index)), Sense::click());
        let name = entry.path.file_name().unwrap_or(entry.path.as_os_str()).to_string_lossy();
        let failed = matches!(entry.found, Some(Err(_)));
        response.widget_info(|| {
            let says = words(summary, failed);
            WidgetInfo::selected(Role::Button, true, selected, format!("{name}: {says}"))
        });
        let painter = ui.painter();
        let visuals = ui.style().interact_selectable(&response, selected);
        let picture = Rect::from_min_size(rect.min, rect.size() - vec2(0.0, 20.0));
        let radius = CornerRadius::same(6);
        painter.rect_filled(picture, radius, ui.visuals().widgets.inactive.weak_bg_fill);
        if let Some((texture, seen)) = self.thumbs.get_mut(&index) {
            *seen = self.frame;
            paint_filling(painter, texture, picture);
        } else if self.without.contains(&index) || failed {
            let color = ui.visuals().error_fg_color;
            signs::cross(painter, picture.center(), 28.0, color);
        } else {
            let color = ui.visuals().weak_text_color();
            painter.text(
                picture.center(),
                Align2::CENTER_CENTER,
                "…",
                FontId::proportional(24.0),
                color,
            );
        }
        if selected || response.hovered() || response.has_focus() {
            let color =
                if selected { ui.visuals().selection.bg_fill } else { visuals.bg_stroke.color };
            let line = Stroke::new(if selected { 3.0 } else { 2.0 }, color);
            painter.rect_stroke(picture, radius, line, StrokeKind::Outside);
        }
        if let Some(summary) = summary {
            badges(ui, picture, summary);
        }
        let font = FontId::proportional(12.0);
        let color = if selected {
            ui.visuals().strong_text_color()
        } else {
            ui.visuals().weak_text_color()
        };
        let galley = {
            let mut job =
                eframe::egui::text::LayoutJob::simple_singleline(name.to_string(), font, color);
            job.wrap.max_width = rect.width();
            job.wrap.max_rows = 1;
            job.wrap.break_anywhere = true;
            painter.layout_job(job)
        };
        let at = pos2(rect.center().x - galley.size().x / 2.0, picture.max.y + 3.0);
        painter.galley(at, galley, color);
        response.clicked()
    }
}

/// The middle of a picture, filling a rectangle.
fn paint_filling(painter: &eframe::egui::Painter, texture: &TextureHandle, rect: Rect) {
    let size = texture.size_vec2();
    let scale = (rect.width() / size.x).max(rect.height() / size.y);
    let part = rect.size() / (size * scale);
    let uv = Rect::from_center_size(pos2(0.5, 0.5), part);
    painter.add(
        eframe::egui::epaint::RectShape::filled(rect, CornerRadius::same(6), Color32::WHITE)
            .with_texture(texture.id(), uv),
    );
}

fn badges(ui: &Ui, picture: Rect, summary: Summary) {
    let painter = ui.painter();
    let badge = |corner: Align2, text: &str, fill: Color32, ink: Color32| {
        let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(13.0), ink);
        let size = Vec2::new(galley.size().x + 12.0, 19.0);
        let at = corner.pos_in_rect(&picture.shrink(4.0));
        let rect = corner.anchor_size(at, size);
        painter.rect_filled(rect, CornerRadius::same(9), fill);
        painter.galley(rect.center() - galley.size() / 2.0, galley, ink);
    };
    let text = match summary.sets {
        0 => "no set".to_owned(),
        1 => "1 set".to_owned(),
        n => format!("{n} sets"),
    };
    badge(Align2::RIGHT_BOTTOM, &text, RIM.gamma_multiply(0.85), Color32::WHITE);
    if summary.unsure > 0 {
        badge(Align2::LEFT_TOP, "?", CHOSEN, RIM);
    }
    if summary.corrected {
        let center = picture.right_top() + vec2(-14.0, 14.0);
        painter.circle_filled(center, 10.0, super::theme::GOOD);
        signs::tick(painter, center, 13.0, Color32::WHITE);
    }
}

fn words(summary: Option<Summary>, failed: bool) -> String {
    let Some(summary) = summary else {
        return if failed { "cannot be read" } else { "not read yet" }.to_owned();
    };
    let mut words = match summary.sets {
        0 => "no set".to_owned(),
        1 => "1 set".to_owned(),
        n => format!("{n} sets"),
    };
    match summary.unsure {
        0 => {}
        1 => words += ", 1 card unsure",
        n => words += &format!(", {n} cards unsure"),
    }
    if summary.corrected {
        words += ", labelled";
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_what_is_seen_stays() {
        let ctx = Context::default();
        let mut strip = Strip::default();
        for i in 0..3 * MOST_THUMBS {
            strip.frame = i as u64;
            // The first one is always in view.
            if let Some((_, seen)) = strip.thumbs.get_mut(&0) {
                *seen = i as u64;
            }
            strip.put(&ctx, i, Ok(ColorImage::filled([8, 6], Color32::RED)));
        }
        assert_eq!(strip.thumbs.len(), MOST_THUMBS);
        assert!(strip.thumb(0).is_some() && strip.thumb(1).is_none());
        strip.put(&ctx, 9_999, Err("is cut off".into()));
        assert!(strip.without.contains(&9_999));
    }

    #[test]
    fn a_photo_is_described_in_words() {
        let summary = Summary { sets: 3, unsure: 1, corrected: false };
        assert_eq!(words(Some(summary), false), "3 sets, 1 card unsure");
        assert_eq!(words(None, true), "cannot be read");
        assert_eq!(words(None, false), "not read yet");
    }
}

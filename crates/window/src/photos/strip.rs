//! The photos that are open: what is known of each, and the strip of their thumbnails, of which only those in
//! view are kept, and made.

use crate::photos::library::{Entry, Found, Library};
use crate::shared::theme::{CHOSEN, RIM};
use crate::shared::words::{Word, t};
use crate::{
    photos::corrections::Corrections,
    shared::{reasons::Reason, table::Table, verdict},
};
use eframe::egui::{
    Align2, Color32, ColorImage, Context, CornerRadius, FontId, Rect, Role, ScrollArea, Sense,
    Stroke, StrokeKind, TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use setsight_photo::source::ListError;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

/// A deck is taught from so many photos at most.
const MOST_TAUGHT: usize = 30;

/// The open photos.
#[derive(Default)]
pub struct Shelf {
    /// What threads read of them.
    pub(crate) library: Option<Library>,
    /// Their thumbnails.
    pub(crate) strip: Strip,
    /// What the strip says of each.
    pub(crate) summaries: Vec<Option<Summary>>,
    /// The one that is looked at.
    pub current: usize,
    /// The photo before, if the last edit was that all its cards are right: undo leads back to it.
    pub(crate) passed: Option<usize>,
    /// Which photos the strip shows, by what is known of them.
    pub(crate) filter: Filter,
    /// Their places, in order.
    pub(crate) in_strip: Vec<usize>,
    /// Photos whose summaries are to be made anew.
    pub(crate) to_summarise: VecDeque<usize>,
    /// People's corrections of their cards.
    pub(crate) corrections: Corrections,
    /// Why what was opened gives no photos, where there are none.
    pub(crate) no_photos: Vec<ListError>,
}

impl Shelf {
    /// The photo that is looked at: its path and what was found in it.
    pub fn current(&self) -> Option<(&Path, Option<&Found>)> {
        let entry = self.library.as_ref()?.entries.get(self.current)?;
        let found = entry.found.as_ref().and_then(|found| found.as_ref().ok());
        Some((&entry.path, found))
    }

    /// The same, once it has been read.
    pub(crate) fn found(&self) -> Option<(&Path, &Found)> {
        let (path, found) = self.current()?;
        Some((path, found?))
    }

    /// The same, and people's corrections.
    pub(crate) fn current_mut(&mut self) -> Option<(&Path, &Found, &mut Corrections)> {
        let entry = self.library.as_ref()?.entries.get(self.current)?;
        let found = entry.found.as_ref()?.as_ref().ok()?;
        Some((&entry.path, found, &mut self.corrections))
    }

    /// The photos from the one that is looked at on; not more than a deck is taught from.
    pub(crate) fn some_paths(&self) -> Vec<PathBuf> {
        let entries = self.library.iter().flat_map(|library| &library.entries);
        entries.skip(self.current).take(MOST_TAUGHT).map(|entry| entry.path.clone()).collect()
    }

    /// How many photos are open, and how many of them have been read.
    pub fn progress(&self) -> (usize, usize) {
        self.library.as_ref().map_or((0, 0), |library| (library.entries.len(), library.read))
    }

    /// How many photos a person has checked.
    pub(crate) fn checked(&self) -> usize {
        self.summaries.iter().flatten().filter(|summary| summary.checked).count()
    }

    /// Whether it is a picture that lies in no file.
    pub(crate) fn is_pasted(&self) -> bool {
        self.library.as_ref().is_some_and(Library::is_pasted)
    }

    /// All photos that have been read, with their cards and sets as corrected.
    pub(crate) fn all_read(&mut self) -> Vec<(PathBuf, Found, Table)> {
        let Some(library) = &self.library else { return Vec::new() };
        let mut all = Vec::new();
        for entry in &library.entries {
            if let Some(Ok(found)) = &entry.found {
                let (table, _) = self.corrections.table(&entry.path, found);
                all.push((entry.path.clone(), found.clone(), table));
            }
        }
        all
    }

    /// Says anew in the strip what is known of a photo.
    pub(crate) fn summarise(&mut self, index: usize) {
        let entry = self.library.as_ref().and_then(|library| library.entries.get(index));
        let Some(entry) = entry else { return };
        let Some(Ok(found)) = &entry.found else { return };
        let (table, corrected) = self.corrections.table(&entry.path, found);
        let (cards, sets, unsure) = (table.cards.len(), table.sets.len(), table.unsure());
        let checked = table.checked;
        self.summaries[index] = Some(Summary { cards, sets, unsure, corrected, checked });
    }

    /// Which photos the strip shows: the one that is looked at always.
    pub(crate) fn fill_strip(&mut self) {
        let (filter, current) = (self.filter, self.current);
        self.in_strip.clear();
        self.in_strip.extend(
            self.summaries
                .iter()
                .enumerate()
                .filter(|&(i, summary)| {
                    filter == Filter::All
                        || i == current
                        || summary.is_some_and(|s| filter.shows(&s))
                })
                .map(|(i, _)| i),
        );
    }

    /// The first or last photo of the strip for which this holds.
    pub(crate) fn in_strip_where(
        &mut self,
        wanted: impl Fn(usize, usize) -> bool,
        first: bool,
    ) -> Option<usize> {
        self.fill_strip();
        let mut fits = self.in_strip.iter().copied().filter(|&at| wanted(at, self.current));
        if first { fits.next() } else { fits.next_back() }
    }

    /// The next photo with a card that is unsure, or the one before; round and round.
    pub(crate) fn unsure(&self, forward: bool) -> Option<usize> {
        let count = self.summaries.len();
        (1..count)
            .map(|step| {
                let step = if forward { step } else { count - step };
                (self.current + step) % count
            })
            .find(|&i| self.summaries[i].is_some_and(|s| s.unsure > 0 && !s.checked))
    }

    /// Tells the threads what is in view.
    pub(crate) fn want(&self, missing: &[usize], in_view: &[usize]) {
        let Some(library) = &self.library else { return };
        let first =
            in_view.iter().copied().filter(|&i| library.entries[i].found.is_none()).collect();
        library.want_in_view(missing.to_vec(), first);
    }
}

/// Thumbnails kept: several screens of them. Each takes at most 230 KB.
const MOST_THUMBS: usize = 240;
/// From one thumbnail to the next.
const GAP: f32 = 8.0;

/// What the strip says of a photo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) cards: usize,
    pub(crate) sets: usize,
    /// How many cards are unsure.
    pub(crate) unsure: usize,
    /// Whether a person has changed anything.
    pub(crate) corrected: bool,
    /// Whether a person has said that all its cards are right.
    pub(crate) checked: bool,
}

/// Which photos are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Filter {
    #[default]
    All,
    /// Those with a card that is unsure.
    Unsure,
    /// Those without a set.
    NoSet,
    /// Those in which a person has changed something.
    Corrected,
    /// Those that nobody has checked yet.
    ToCheck,
}

impl Filter {
    pub(crate) const ALL: [Self; 5] =
        [Self::All, Self::Unsure, Self::NoSet, Self::Corrected, Self::ToCheck];

    /// Its name on a button.
    pub(crate) const fn word(self) -> Word {
        match self {
            Self::All => Word("filter-every"),
            Self::Unsure => Word("filter-unsure"),
            Self::NoSet => Word("filter-no-set"),
            Self::Corrected => Word("filter-corrected"),
            Self::ToCheck => Word("filter-to-check"),
        }
    }

    /// What it shows.
    pub(crate) const fn help(self) -> Word {
        match self {
            Self::All => Word("filter-every-help"),
            Self::Unsure => Word("filter-unsure-help"),
            Self::NoSet => Word("filter-no-set-help"),
            Self::Corrected => Word("filter-corrected-help"),
            Self::ToCheck => Word("filter-to-check-help"),
        }
    }

    pub(crate) fn shows(self, summary: &Summary) -> bool {
        match self {
            Self::All => true,
            Self::Unsure => summary.unsure > 0,
            Self::NoSet => summary.sets == 0,
            Self::Corrected => summary.corrected,
            Self::ToCheck => !summary.checked,
        }
    }
}

/// What the strip is given to show.
pub(crate) struct Photographs<'a> {
    pub(crate) entries: &'a [Entry],
    /// What is known of each.
    pub(crate) summaries: &'a [Option<Summary>],
    /// The places of those that are shown, in order.
    pub(crate) shown: &'a [usize],
    /// The one that is looked at.
    pub(crate) current: usize,
    /// Whether the number of sets is shown.
    pub(crate) tell_sets: bool,
}

/// The thumbnails and where the strip stands.
#[derive(Default)]
pub(crate) struct Strip {
    thumbs: HashMap<usize, (TextureHandle, u64)>,
    without: HashSet<usize>,
    frame: u64,
    /// Scroll so that this one is seen.
    go_to: Option<usize>,
}

/// What is needed for the part of the strip that is in view, and what was pressed.
pub(crate) struct Shown {
    /// Thumbnails that are missing, those in view first.
    pub(crate) missing: Vec<usize>,
    pub(crate) in_view: Vec<usize>,
    pub(crate) pressed: Option<usize>,
}

impl Strip {
    /// Sees to it that a photo is in view.
    pub(crate) fn reveal(&mut self, index: usize) {
        self.go_to = Some(index);
    }

    /// Takes a thumbnail; the one seen longest ago makes room.
    pub(crate) fn put(&mut self, ctx: &Context, index: usize, thumb: Result<ColorImage, Reason>) {
        let Ok(thumb) = thumb else {
            self.without.insert(index);
            return;
        };
        while self.thumbs.len() >= MOST_THUMBS {
            let oldest =
                self.thumbs.iter().min_by_key(|(_, (_, last_shown))| *last_shown).map(|(&i, _)| i);
            oldest.and_then(|i| self.thumbs.remove(&i));
        }
        let texture = ctx.load_texture("thumb", thumb, TextureOptions::LINEAR);
        self.thumbs.insert(index, (texture, self.frame));
    }

    /// A photo's thumbnail, if it is kept.
    pub(crate) fn thumb(&self, index: usize) -> Option<&TextureHandle> {
        self.thumbs.get(&index).map(|(texture, _)| texture)
    }

    /// Shows the strip in all the room there is.
    pub(crate) fn show(&mut self, ui: &mut Ui, photos: &Photographs<'_>) -> Shown {
        let places = photos.shown;
        self.frame += 1;
        let room = ui.available_size();
        // The scroll bar lies below.
        let height = (room.y - 12.0).max(40.0);
        let item = vec2(((height - 20.0) * 4.0 / 3.0).max(48.0), height);
        let step = item.x + GAP;
        let width = (step * places.len() as f32 - GAP).max(0.0);
        let mut area = ScrollArea::horizontal().auto_shrink([false, false]).id_salt("strip");
        let go_to = self.go_to.take().and_then(|index| places.binary_search(&index).ok());
        if let Some(place) = go_to {
            let middle = place as f32 * step + item.x / 2.0 - room.x / 2.0;
            area = area.horizontal_scroll_offset(middle.clamp(0.0, (width - room.x).max(0.0)));
        }
        let output = area.show_viewport(ui, |ui, viewport| {
            ui.set_min_size(vec2(width, height));
            let first = (viewport.min.x / step).floor().max(0.0) as usize;
            let last = ((viewport.max.x / step).ceil().max(0.0) as usize).min(places.len());
            let in_view = first.min(last)..last;
            let mut pressed = None;
            for place in in_view.clone() {
                let min = ui.min_rect().min + vec2(place as f32 * step, 0.0);
                let rect = Rect::from_min_size(min, item);
                if self.item(ui, rect, places[place], photos) {
                    pressed = Some(places[place]);
                }
            }
            (in_view, pressed)
        });
        let (in_view, pressed) = output.inner;
        let screen = in_view.len();
        let near =
            in_view.start.saturating_sub(screen / 2)..(in_view.end + screen).min(places.len());
        let beyond = near.filter(|place| !in_view.contains(place));
        let missing = in_view
            .clone()
            .chain(beyond)
            .map(|place| places[place])
            .filter(|&i| !self.thumbs.contains_key(&i) && !self.without.contains(&i))
            .collect();
        Shown { missing, in_view: places[in_view].to_vec(), pressed }
    }

    fn item(&mut self, ui: &Ui, rect: Rect, index: usize, photos: &Photographs<'_>) -> bool {
        let (entry, summary) = (&photos.entries[index], photos.summaries[index]);
        let (selected, tell_sets) = (index == photos.current, photos.tell_sets);
        let response = ui.interact(rect, ui.scope_id().with(("photo", index)), Sense::click());
        let name = entry.path.file_name().unwrap_or(entry.path.as_os_str()).to_string_lossy();
        let failed = matches!(entry.found, Some(Err(_)));
        response.widget_info(|| {
            let says = words(summary, failed, tell_sets);
            let name = t!("thumbnail", name = name.as_ref(), words = says);
            WidgetInfo::selected(Role::Button, true, selected, name)
        });
        let painter = ui.painter();
        let visuals = ui.style().interact_selectable(&response, selected);
        let picture = Rect::from_min_size(rect.min, rect.size() - vec2(0.0, 20.0));
        let radius = CornerRadius::same(6);
        painter.rect_filled(picture, radius, ui.visuals().widgets.inactive.weak_bg_fill);
        if let Some((texture, last_shown)) = self.thumbs.get_mut(&index) {
            *last_shown = self.frame;
            paint_filling(painter, texture, picture);
        } else if self.without.contains(&index) || failed {
            let color = ui.visuals().error_fg_color;
            verdict::cross(painter, picture.center(), 28.0, color);
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
            badges(ui, picture, summary, tell_sets);
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

/// A few letters on a ground in a corner of a thumbnail.
fn badge(
    painter: &eframe::egui::Painter,
    (picture, corner): (Rect, Align2),
    text: &str,
    (fill, ink): (Color32, Color32),
) {
    let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(13.0), ink);
    let size = Vec2::new(galley.size().x + 12.0, 19.0);
    let at = corner.pos_in_rect(&picture.shrink(4.0));
    let rect = corner.anchor_size(at, size);
    painter.rect_filled(rect, CornerRadius::same(9), fill);
    painter.galley(rect.center() - galley.size() / 2.0, galley, ink);
}

fn badges(ui: &Ui, picture: Rect, summary: Summary, tell_sets: bool) {
    let painter = ui.painter();
    if tell_sets {
        let ground = RIM.gamma_multiply(0.85);
        let words = sets_in_words(summary);
        badge(painter, (picture, Align2::RIGHT_BOTTOM), &words, (ground, Color32::WHITE));
    }
    if summary.unsure > 0 {
        badge(painter, (picture, Align2::LEFT_TOP), "?", (CHOSEN, RIM));
    }
    if summary.checked {
        let center = picture.right_top() + vec2(-14.0, 14.0);
        painter.circle_filled(center, 10.0, crate::shared::theme::GOOD);
        verdict::tick(painter, center, 13.0, Color32::WHITE);
    }
}

fn sets_in_words(summary: Summary) -> String {
    match (summary.cards, summary.sets) {
        (0, _) => t!("thumbnail-no-cards"),
        (_, 0) => t!("thumbnail-no-set"),
        (_, sets) => t!("count-sets", n = sets),
    }
}

fn words(summary: Option<Summary>, failed: bool, tell_sets: bool) -> String {
    let Some(summary) = summary else {
        return if failed { t!("thumbnail-failed") } else { t!("thumbnail-unread") };
    };
    let sets = tell_sets.then(|| sets_in_words(summary));
    let unsure = (summary.unsure > 0).then(|| t!("thumbnail-unsure", n = summary.unsure));
    let state = match summary {
        Summary { checked: true, .. } => Some(t!("checked")),
        Summary { corrected: true, .. } => Some(t!("corrected")),
        _ => None,
    };
    let words: Vec<String> = [sets, unsure, state].into_iter().flatten().collect();
    if words.is_empty() { t!("thumbnail-read") } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thumbnails_are_bounded_and_visible_ones_stay() {
        let ctx = Context::default();
        let mut strip = Strip::default();
        for i in 0..3 * MOST_THUMBS {
            strip.frame = i as u64;
            // The first one is always in view.
            if let Some((_, last_shown)) = strip.thumbs.get_mut(&0) {
                *last_shown = i as u64;
            }
            strip.put(&ctx, i, Ok(ColorImage::filled([8, 6], Color32::RED)));
        }
        assert_eq!(strip.thumbs.len(), MOST_THUMBS);
        assert!(strip.thumb(0).is_some() && strip.thumb(1).is_none());
        strip.put(&ctx, 9_999, Err(Reason::Fault));
        assert!(strip.without.contains(&9_999));
    }

    #[test]
    fn a_photo_is_described_in_words() {
        let summary = Summary { cards: 12, sets: 3, unsure: 1, corrected: true, checked: false };
        assert_eq!(words(Some(summary), false, true), "3 sets, 1 card unsure, corrected");
        let done = Summary { unsure: 0, checked: true, ..summary };
        assert_eq!(words(Some(done), false, false), "checked", "nothing of sets");
        let bare = Summary { cards: 0, sets: 0, unsure: 0, corrected: false, checked: false };
        assert_eq!(words(Some(bare), false, true), "no cards");
        assert_eq!(words(None, true, true), "cannot be read");
        assert_eq!(words(None, false, true), "not read yet");
    }
}

//! Boards to print: what is asked before, with a picture of the first sheet; and the page that is written.

use super::{DealTab, SAVE_BOARDS, Source, fresh_seed};
use crate::{
    photos::export::write_page,
    shared::{
        card_face::{self, ASPECT},
        names, pages,
        settings::Settings,
        tab::{AppContext, Command},
        theme::bordered,
        words::t,
    },
};
use eframe::egui::{
    Align2, Button, Color32, DragValue, FontId, Rect, Role, Sense, Stroke, StrokeKind, TextEdit,
    Ui, WidgetInfo, vec2,
};
use setsight_eval::drawn_card::{BOARD_CARDS, Paper, SHEET_MARGIN_MM, SheetWords, Sheets, boards};
use setsight_game::cards::{Deck, Property};
use setsight_game::{game::Deal, sets::Verdict};
use std::path::Path;

/// So many boards are printed unless the user says otherwise, on one sheet.
const BOARDS: usize = 4;
/// A school's worth of boards.
const MOST_BOARDS: usize = 200;
/// Most width of the picture of a sheet in points, and its most height in times the window's.
const PICTURE: (f32, f32) = (420.0, 0.34);

/// What the user has chosen so far.
pub(super) struct Printing {
    count: usize,
    sheets: Sheets,
    /// That of the first deal; deals of a file have none.
    number: Option<String>,
    title: String,
}

impl Printing {
    /// For the deal of a tab and those of the next numbers, or the deals of its file.
    pub(super) fn new(tab: &DealTab) -> Self {
        let number = match &tab.source {
            Source::Given if tab.has_deals() => None,
            Source::Daily(day) => Some(day.seed()),
            _ => Some(tab.number.unwrap_or_else(fresh_seed)),
        };
        let count = if number.is_some() { BOARDS } else { tab.deals.len() };
        let sheets = Sheets { per_sheet: BOARDS, paper: Some(Paper::A4), answers_apart: false };
        let number = number.map(|number| number.to_string());
        Self { count, sheets, number, title: t!("sheet-task") }
    }

    /// The first deals that are printed, each with its name; none while the number is no number.
    fn deals(&self, given: &[Deal], most: usize) -> Vec<(String, Deal)> {
        let count = self.count.min(most);
        let deals: Vec<(u64, Deal)> = match &self.number {
            None => (1..).zip(given.iter().take(count).cloned()).collect(),
            Some(number) => {
                let first = number.trim().parse::<u64>().ok();
                let numbers = first.into_iter().flat_map(|n| n..n.saturating_add(count as u64));
                numbers.map(|n| (n, Deal::random(n))).collect()
            }
        };
        let named = deals.into_iter();
        named.map(|(n, deal)| (t!("deal-number", n = n.to_string()), deal)).collect()
    }

    /// Fields for all of it.
    fn fields(&mut self, ui: &mut Ui, given: usize) {
        let most = if self.number.is_some() { MOST_BOARDS } else { given };
        ui.horizontal_wrapped(|ui| {
            let label = ui.label(t!("boards-count"));
            ui.add(DragValue::new(&mut self.count).range(1..=most)).labelled_by(label.id);
            ui.label(t!("boards-per-sheet"));
            for per_sheet in [1, 2, 4] {
                let name = t!("boards-on-a-sheet", n = per_sheet);
                let chosen = self.sheets.per_sheet == per_sheet;
                let button = ui.add(Button::selectable(chosen, per_sheet.to_string()));
                if button.accessible_name(&name).clicked() {
                    self.sheets.per_sheet = per_sheet;
                }
            }
            ui.label(t!("boards-paper"));
            for paper in Paper::ALL {
                let chosen = self.sheets.paper == Some(paper);
                if ui.add(Button::selectable(chosen, paper.name())).clicked() {
                    self.sheets.paper = Some(paper);
                }
            }
        });
        let field = |ui: &mut Ui, word: String, text: &mut String, width: f32| {
            let label = ui.label(word);
            let field = TextEdit::singleline(text).desired_width(width.min(ui.available_width()));
            bordered(ui, |ui| ui.add(field)).labelled_by(label.id);
        };
        ui.horizontal_wrapped(|ui| {
            if let Some(number) = &mut self.number {
                field(ui, t!("boards-number"), number, 90.0);
            }
            field(ui, t!("boards-title"), &mut self.title, 240.0);
        });
        let (sheets, alone) = (self.count.div_ceil(self.sheets.per_sheet), self.sheets.is_single());
        ui.add_enabled_ui(alone, |ui| {
            let mut apart = self.sheets.are_answers_apart();
            if ui.checkbox(&mut apart, t!("boards-apart")).changed() {
                self.sheets.answers_apart = apart;
            }
        });
        ui.weak(match self.sheets.are_answers_apart() {
            true => t!("boards-pages", n = sheets),
            false => t!("boards-backs", n = sheets),
        });
    }

    /// The first sheet as it will be printed.
    fn picture(&self, ui: &mut Ui, deals: &[(String, Deal)], settings: &Settings) {
        let paper_mm = self.sheets.paper.unwrap_or(Paper::A4).size_mm();
        let (rows, columns) = (self.sheets.per_sheet.min(2), self.sheets.per_sheet.div_ceil(2));
        let [short, long] = paper_mm.map(|mm| mm as f32);
        let size_mm = if rows > columns { vec2(short, long) } else { vec2(long, short) };
        let most =
            vec2(PICTURE.0.min(ui.available_width()), PICTURE.1 * ui.ctx().content_rect().height());
        let scale = (most / size_mm).min_elem();
        let (rect, response) = ui.allocate_exact_size(size_mm * scale, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, t!("boards-first-sheet")));
        ui.painter().rect_filled(rect, 0.0, Color32::WHITE);
        ui.painter().rect_stroke(rect, 0.0, Stroke::new(1.0, Color32::GRAY), StrokeKind::Outside);
        let inside = rect.shrink(SHEET_MARGIN_MM as f32 * scale);
        let gap = 8.0 * scale;
        let cell = (inside.size() + vec2(gap, gap)) / vec2(columns as f32, rows as f32);
        for (place, (name, deal)) in deals.iter().take(self.sheets.per_sheet).enumerate() {
            let at = vec2((place % columns) as f32, (place / columns) as f32) * cell;
            let cell = Rect::from_min_size(inside.min + at, cell - vec2(gap, gap));
            let painter = ui.painter_at(cell);
            let (head, small) = (format!("{name}: {}", self.title), rows == 2 && columns == 2);
            let font = FontId::proportional(4.2 * scale);
            painter.text(cell.min, Align2::LEFT_TOP, head, font, Color32::BLACK);
            let between = vec2(3.0, if small { 3.8 } else { 7.4 }) * scale;
            let width = (cell.width() - 3.0 * between.x) / 4.0;
            let step = vec2(width, width / ASPECT) + between;
            let top = cell.min + vec2(0.0, if small { 11.0 } else { 14.0 } * scale);
            for (i, &card) in deal.cards()[..BOARD_CARDS].iter().enumerate() {
                let min = top + vec2((i % 4) as f32, (i / 4) as f32) * step;
                card_face::paint(&painter, card_face::rect_at(min, width), card, settings);
            }
        }
    }
}

impl DealTab {
    /// Asks how boards are to be printed.
    pub(super) fn printing_page(&mut self, app: &mut AppContext) {
        let Some(mut printing) = self.printing.take() else { return };
        let answer = pages::modal(&app.ctx, "boards", 560.0, |ui| {
            ui.heading(t!("boards-heading"));
            printing.fields(ui, self.deals.len());
            let deals = printing.deals(&self.deals, printing.sheets.per_sheet);
            ui.vertical_centered(|ui| printing.picture(ui, &deals, app.settings()));
            ui.horizontal_wrapped(|ui| {
                let save = ui.add_enabled(!deals.is_empty(), Button::new(t!("boards-save")));
                (save.clicked(), ui.button(t!("cancel")).clicked())
            })
            .inner
        });
        let (save, cancel) = answer.inner;
        if save {
            app.commands.push(Command::Ask(SAVE_BOARDS, t!("boards-file")));
        }
        if !cancel && !answer.should_close() {
            self.printing = Some(printing);
        }
    }

    /// Writes sheets of the boards and of their sets.
    pub(super) fn print_boards(&mut self, path: &Path, app: &mut AppContext) {
        let Some(printing) = self.printing.take() else { return };
        let deck = Deck::classic();
        let words = SheetWords {
            task: printing.title.clone(),
            blanks: [t!("sheet-name"), t!("sheet-date"), t!("sheet-sets")],
            next: t!("sheet-next"),
            color: &|color| names::value(&deck, Property::Color, color as usize),
            count: &|n| t!("count-sets", n = n),
            why: &|verdict| relations_in_words(&deck, verdict),
        };
        let deals = printing.deals(&self.deals, usize::MAX);
        app.say(write_page(path, &boards(&words, &deals, printing.sheets)));
    }
}

/// Each property of three cards with what they show of it.
fn relations_in_words(deck: &Deck, verdict: &Verdict) -> Vec<String> {
    let all = Property::ALL.into_iter().zip(verdict.relations);
    all.map(|(property, relation)| {
        let values = names::relation(deck, property, relation);
        t!("property-values", property = names::property(property), values = values)
    })
    .collect()
}

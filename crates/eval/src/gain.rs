//! The gain of a training: results before and after, on held-out photos and on drawn tables that
//! detect a loss elsewhere; as a table and as a page with the cards that changed.

use crate::{Figures, PhotoOutcome, evaluate_photo, html};
use maud::{Markup, html};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use setsight_files::{
    small_file::{MAX_DATA_BYTES, read_text},
    whole_file::write_whole,
};
use setsight_labels::{LabelledPhoto, compare};
use setsight_photo::{
    encode::{self, JPEG_QUALITY},
    labels::{CardLabel, SaidBy},
    source::{self, MemoryBudget},
};
use setsight_scenes::{Scene, suite::Suite};
use setsight_vision::{CardImage, CardOutline, Pipeline, Trace};
use std::{
    fmt::{self, Display},
    io,
    path::Path,
};

/// Number of drawn tables from each part of the hard suite.
const GUARDS: usize = 5;

/// A count before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// With the initial models.
    pub before: usize,
    pub after: usize,
}

/// Counts over some pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub cards: usize,
    /// Claimed correctly.
    pub right: Change,
    /// Claimed as another card, or claimed where no card lies.
    pub wrong: Change,
    /// Found but not claimed.
    pub unsure: Change,
    /// Not found.
    pub missed: Change,
}

impl Counts {
    fn new(before: &Figures, after: &Figures) -> Self {
        let change =
            |count: fn(&Figures) -> usize| Change { before: count(before), after: count(after) };
        Self {
            cards: before.cards,
            right: change(|f| f.right),
            wrong: change(|f| f.wrong + f.false_claims),
            unsure: change(|f| f.unsure),
            missed: change(|f| f.missed),
        }
    }

    /// The gain in cards: a wrong claim costs as much as three unclaimed cards.
    pub(crate) fn gain(&self) -> i64 {
        let more = |change: &Change| change.after as i64 - change.before as i64;
        more(&self.right) - 3 * more(&self.wrong)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// More cards are right than before.
    Better,
    /// No gain and no loss.
    Same,
    /// More was lost than gained.
    Worse,
    /// There were no held-out photos to measure on.
    Unknown,
}

/// A card with a different outcome than before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardChange {
    /// The photo's file, as its labels name it.
    pub file: String,
    /// Index of the label in that photo.
    pub label: usize,
    pub code: String,
    /// The outcome before: `right`, `wrong`, `unsure` or `missed`.
    pub before: String,
    pub after: String,
}

/// The gain of a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    pub verdict: Verdict,
    /// On held-out photos, each read by networks that were not trained on its scene.
    pub kept_aside: Counts,
    pub drawn: Counts,
    pub changes: Vec<CardChange>,
    /// Number of held-out photos.
    pub photos: usize,
}

/// Measures the gain on photos, each with the pipeline that was not trained on it, and on drawn tables
/// with the one that is to be used.
pub fn measure(
    photos: &[(&LabelledPhoto, &Pipeline)],
    before: &Pipeline,
    after: &Pipeline,
) -> anyhow::Result<Worth> {
    let (mut was, mut is) = (Figures::default(), Figures::default());
    let mut changes = Vec::new();
    let budget = MemoryBudget::default();
    for (photo, untrained_on_it) in photos {
        let (one, outcome_before) = evaluate(before, photo, &budget)?;
        let (other, outcome_after) = evaluate(untrained_on_it, photo, &budget)?;
        was.add(&one);
        is.add(&other);
        changes.extend(changed(photo, &outcome_before, &outcome_after));
    }
    let kept_aside = Counts::new(&was, &is);
    let drawn = guard(before, after)?;
    let verdict = if photos.is_empty() { Verdict::Unknown } else { verdict(&kept_aside, &drawn) };
    Ok(Worth { verdict, kept_aside, drawn, changes, photos: photos.len() })
}

/// Compares the gain on the person's cards with the loss on drawn ones, both as a share of the
/// cards. A loss of up to one hundredth of the drawn cards may be chance.
fn verdict(kept_aside: &Counts, drawn: &Counts) -> Verdict {
    let share = |gain: i64, cards: usize| gain as f64 / cards.max(1) as f64;
    let lost = -share(drawn.gain(), drawn.cards);
    match kept_aside.gain() {
        gain if lost > 0.01 && lost >= share(gain, kept_aside.cards) => Verdict::Worse,
        gain if gain > 0 => Verdict::Better,
        0 => Verdict::Same,
        _ => Verdict::Worse,
    }
}

fn evaluate(
    pipeline: &Pipeline,
    photo: &LabelledPhoto,
    budget: &MemoryBudget,
) -> anyhow::Result<(Figures, PhotoOutcome)> {
    let result = evaluate_photo(std::slice::from_ref(pipeline), photo, budget, false)?.remove(0);
    Ok((result.figures, result.outcome))
}

fn changed(photo: &LabelledPhoto, before: &PhotoOutcome, after: &PhotoOutcome) -> Vec<CardChange> {
    let changes = photo.label.cards.iter().enumerate().filter_map(|(label, card)| {
        let code = card.code.to_string();
        let [before, after] =
            [before, after].map(|outcome| outcome.verdict_of(&code).unwrap_or("missed").to_owned());
        let file = photo.label.file.clone();
        (before != after).then_some(CardChange { file, label, code, before, after })
    });
    changes.collect()
}

/// Runs both pipelines on the same drawn tables of the hard suite.
fn guard(before: &Pipeline, after: &Pipeline) -> anyhow::Result<Counts> {
    let parts = Suite::Hard.parts();
    let tables: Vec<_> =
        parts.iter().flat_map(|part| (0..GUARDS.min(part.count)).map(move |i| (part, i))).collect();
    let read = tables
        .into_par_iter()
        .map(|(part, index)| read_drawn(part.draw(index)?, [before, after]))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let (mut was, mut is) = (Figures::default(), Figures::default());
    for (before, after) in read {
        was.add(&before);
        is.add(&after);
    }
    Ok(Counts::new(&was, &is))
}

fn read_drawn(scene: Scene, pipelines: [&Pipeline; 2]) -> anyhow::Result<(Figures, Figures)> {
    let labels: Vec<CardLabel> = scene
        .cards
        .iter()
        .map(|card| CardLabel {
            code: card.card,
            center: card.corners_in_image.center(),
            corners: Some(card.corners_in_image),
            said_by: SaidBy::Person,
        })
        .collect();
    let [before, after] = pipelines.map(|pipeline| -> anyhow::Result<Figures> {
        let table = pipeline.read(&scene.image, &mut Trace::default())?.table;
        let matched = compare(&labels, &table.cards);
        Ok(Figures::of_photo(&labels, &table, &matched))
    });
    Ok((before?, after?))
}

/// Name of the results file, in the folder of the models.
pub(crate) const WORTH: &str = "worth.json";
/// Name of the page.
pub const PAGE: &str = "worth.html";
/// Maximum number of cards on the page.
const SHOWN: usize = 120;

impl Verdict {
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::Better => "Better: more of your cards are found or read rightly than before.",
            Self::Same => "No better: what was kept aside is read as before.",
            Self::Worse => "Worse: more was lost than gained.",
            Self::Unknown => "Not measured: nothing could be kept aside.",
        }
    }
}

impl Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<28}{:>8}{:>8}", "", "before", "after")?;
        for (name, rows) in parts(self) {
            writeln!(f, "{name}")?;
            for (word, Change { before, after }) in rows {
                writeln!(f, "  {word:<26}{before:>8}{after:>8}")?;
            }
        }
        write!(f, "{}", self.verdict.sentence())
    }
}

/// A name for each part that was measured, and its rows.
fn parts(worth: &Worth) -> Vec<(String, Vec<(&'static str, Change)>)> {
    let Worth { kept_aside, drawn, .. } = worth;
    let read = |counts: &Counts| {
        vec![
            ("right", counts.right),
            ("wrong", counts.wrong),
            ("unsure", counts.unsure),
            ("not found", counts.missed),
        ]
    };
    let aside = format!("{} photos kept aside", worth.photos);
    let parts = [
        (aside, kept_aside.cards, read(kept_aside)),
        ("drawn tables".to_owned(), drawn.cards, read(drawn)),
    ];
    parts
        .into_iter()
        .filter(|(_, cards, _)| *cards > 0)
        .map(|(name, cards, rows)| (format!("{name}, {cards} cards"), rows))
        .collect()
}

/// The files that [`write()`] writes, but for pictures.
pub const FILES: [&str; 2] = [WORTH, PAGE];

/// Writes `worth.json` and `worth.html`, with pictures of the cards that changed in `worth/`.
pub fn write(folder: &Path, worth: &Worth, photos: &[&LabelledPhoto]) -> io::Result<()> {
    let pictures = folder.join("worth");
    std::fs::create_dir_all(&pictures)?;
    let mut cards = Vec::new();
    for (n, change) in worth.changes.iter().take(SHOWN).enumerate() {
        let name = format!("{n:03}.jpg");
        let picture = picture(change, photos);
        if let Some(bytes) = &picture {
            write_whole(&pictures.join(&name), bytes)?;
        }
        cards.push(figure(change, picture.is_some().then_some(&name)));
    }
    let rest = worth.changes.len().saturating_sub(SHOWN);
    let body = html! {
        h1 { (worth.verdict.sentence()) }
        table {
            tr { @for head in ["", "", "before", "after"] { th { (head) } } }
            @for (name, rows) in parts(worth) {
                @for (word, Change { before, after }) in rows {
                    "\n"
                    tr {
                        td { (name) }
                        td { (word) }
                        td { (before) }
                        td { (after) }
                    }
                }
            }
        }
        h2 { "Cards that changed" }
        @for card in &cards { (card) "\n" }
        @if rest > 0 { p { "and " (rest) " more" } }
    };
    let page = html::page("Before and after", STYLE, &body).into_string();
    write_whole(&folder.join(PAGE), page.as_bytes())?;
    let mut json = serde_json::to_string_pretty(worth)?;
    json.push('\n');
    write_whole(&folder.join(WORTH), json.as_bytes())
}

/// A figure of a changed card; `picture` is the name of its picture, if there is one.
fn figure(change: &CardChange, picture: Option<&String>) -> Markup {
    let CardChange { file, code, before, after, .. } = change;
    html! {
        figure class=(if after == "right" { "won" } else { "lost" }) {
            @if let Some(name) = picture {
                img src={ "worth/" (name) } width="144" height="96" alt="";
            }
            figcaption { (code) ": " (before) " \u{2192} " (after) br; small { (file) } }
        }
    }
}

const STYLE: &str = "body{font:16px sans-serif;margin:2em}td,th{padding:.2em 1em;text-align:left}\
figure{display:inline-block;margin:.5em;padding:.5em;border-left:6px solid #b33}figure.won{border-color:#2a7}";

/// The card in the photo; `None` if its corners are unknown.
fn picture(change: &CardChange, photos: &[&LabelledPhoto]) -> Option<Vec<u8>> {
    let photo = photos.iter().find(|photo| photo.label.file == change.file)?;
    let loaded = source::load_photo(&photo.path).ok()?;
    let label = photo.label.cards_in(&loaded).into_iter().nth(change.label)?;
    let outline = CardOutline::at(label.corners?);
    let image = CardImage::rectify(&loaded.frame, &outline).pixels;
    encode::jpeg(&image, JPEG_QUALITY).ok()
}

/// The results stored in a folder of models; `None` if there are none.
pub fn of_folder(folder: &Path) -> Option<Worth> {
    serde_json::from_str(&read_text(&folder.join(WORTH), MAX_DATA_BYTES).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_claim_outweighs_two_right_ones() {
        let change = |before, after| Change { before, after };
        let counts = |right, wrong| Counts { cards: 30, right, wrong, ..Counts::default() };
        assert_eq!(counts(change(20, 22), change(0, 1)).gain(), -1);
        assert_eq!(counts(change(20, 20), change(4, 1)).gain(), 9);
        let none = change(0, 0);
        let drawn = Counts { cards: 400, right: change(390, 380), ..Counts::default() };
        let verdict = |kept_aside: Counts, drawn: &Counts| verdict(&kept_aside, drawn);
        assert_eq!(verdict(counts(change(20, 25), none), &drawn), Verdict::Better);
        assert_eq!(verdict(counts(change(20, 20), none), &drawn), Verdict::Worse, "nothing for it");
        assert_eq!(verdict(counts(change(20, 20), none), &Counts::default()), Verdict::Same);
        assert_eq!(verdict(counts(change(20, 19), none), &Counts::default()), Verdict::Worse);
    }
}

//! The gain of a training: results before and after, on held-out photos and on drawn tables that
//! detect a loss elsewhere. Which cards changed is the [comparison](crate::Comparison) of `eval --baseline`.

use crate::{Comparison, Figures, PhotoOutcome, evaluate_photo};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use setsight_files::{
    small_file::{MAX_DATA_BYTES, read_text},
    whole_file::write_atomic,
};
use setsight_labels::{LabelledPhoto, compare};
use setsight_photo::{
    labels::{CardLabel, LabelledBy},
    source::MemoryBudget,
};
use setsight_scenes::{Scene, suite::Suite};
use setsight_vision::{Pipeline, Trace};
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

impl Change {
    const fn difference(&self) -> i64 {
        self.after as i64 - self.before as i64
    }
}

impl Counts {
    fn rows(&self) -> Vec<(&'static str, Change)> {
        vec![
            ("right", self.right),
            ("wrong", self.wrong),
            ("unsure", self.unsure),
            ("not found", self.missed),
        ]
    }

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
        self.right.difference() - 3 * self.wrong.difference()
    }

    /// Whether the counts before and after differ by so few cards, one or a hundredth of them, that it may be
    /// chance.
    fn is_chance(&self) -> bool {
        let changed = [self.right, self.wrong].map(|change| change.difference().unsigned_abs());
        changed.into_iter().all(|cards| cards <= (self.cards as u64 / 100).max(1))
    }

    fn gain_share(&self) -> f64 {
        self.gain() as f64 / self.cards.max(1) as f64
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// More cards are right than before.
    Better,
    /// No gain and no loss, or one that may be chance.
    Same,
    /// More was lost than gained.
    Worse,
    /// There were no held-out photos to measure on.
    Unknown,
}

/// The gain of a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    pub verdict: Verdict,
    /// On held-out photos, each read by networks that were not trained on its scene.
    pub kept_aside: Counts,
    pub drawn: Counts,
    /// Which held-out cards changed; only where it was measured.
    #[serde(skip)]
    pub cards: Comparison,
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
    let (mut outcomes_before, mut outcomes_after) = (Vec::new(), Vec::new());
    let budget = MemoryBudget::default();
    for (photo, untrained_on_it) in photos {
        let (one, outcome_before) = evaluate(before, photo, &budget)?;
        let (other, outcome_after) = evaluate(untrained_on_it, photo, &budget)?;
        was.add(&one);
        is.add(&other);
        outcomes_before.push(outcome_before);
        outcomes_after.push(outcome_after);
    }
    let kept_aside = Counts::new(&was, &is);
    let drawn = guard(before, after)?;
    let verdict = if photos.is_empty() { Verdict::Unknown } else { verdict(&kept_aside, &drawn) };
    let cards = Comparison::of_photos(&outcomes_before, &outcomes_after);
    Ok(Worth { verdict, kept_aside, drawn, cards, photos: photos.len() })
}

fn evaluate(
    pipeline: &Pipeline,
    photo: &LabelledPhoto,
    budget: &MemoryBudget,
) -> anyhow::Result<(Figures, PhotoOutcome)> {
    let result = evaluate_photo(std::slice::from_ref(pipeline), photo, budget, false)?.remove(0);
    Ok((result.figures, result.outcome))
}

/// Compares the gain on the person's cards with the loss on drawn ones, both as a share of the
/// cards. A loss of up to one hundredth of the drawn cards may be chance, and so may a difference of one card or
/// a hundredth of the person's.
fn verdict(kept_aside: &Counts, drawn: &Counts) -> Verdict {
    let lost = -drawn.gain_share();
    match kept_aside.gain() {
        _ if lost > 0.01 && lost >= kept_aside.gain_share() => Verdict::Worse,
        _ if kept_aside.is_chance() => Verdict::Same,
        gain if gain > 0 => Verdict::Better,
        0 => Verdict::Same,
        _ => Verdict::Worse,
    }
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
            labelled_by: LabelledBy::Person,
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
pub const WORTH: &str = "worth.json";

impl Verdict {
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::Better => "Better: more of your cards are now found or read correctly.",
            Self::Same => {
                "As good: what was kept aside is read as before, or differs by what may be chance."
            }
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
        write!(f, "{}{}", self.cards.card_lists(""), self.verdict.sentence())
    }
}

/// A name for each part that was measured, and its rows.
fn parts(worth: &Worth) -> Vec<(String, Vec<(&'static str, Change)>)> {
    let Worth { kept_aside, drawn, .. } = worth;
    let aside = format!("{} photos kept aside", worth.photos);
    let parts = [
        (aside, kept_aside.cards, kept_aside.rows()),
        ("drawn tables".to_owned(), drawn.cards, drawn.rows()),
    ];
    parts
        .into_iter()
        .filter(|(_, cards, _)| *cards > 0)
        .map(|(name, cards, rows)| (format!("{name}, {cards} cards"), rows))
        .collect()
}

/// Writes `worth.json`.
pub fn write(folder: &Path, worth: &Worth) -> io::Result<()> {
    let mut json = serde_json::to_string_pretty(worth)?;
    json.push('\n');
    write_atomic(&folder.join(WORTH), json.as_bytes())
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
        assert_eq!(verdict(counts(change(20, 17), none), &Counts::default()), Verdict::Worse);
        // One card of many may be chance, whatever it was taken for before.
        for (before, after) in [(150, 151), (151, 150)] {
            let wrong = change(6 - (before - 150), 6 - (after - 150));
            let kept_aside = Counts { cards: 156, ..counts(change(before, after), wrong) };
            assert_eq!(verdict(kept_aside, &Counts::default()), Verdict::Same);
        }
    }
}

//! What a conversion takes, changes and leaves out, and why.

use std::collections::BTreeMap;
use std::fmt;

/// What is not taken as it stands in the labels, in the order in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Oddity {
    /// Photos whose EXIF data turn them.
    Turned,
    /// Photos whose labels are in shares of the picture, in a form that has pixels.
    InShares,
    /// Objects whose corners lay outside of the picture.
    Clipped,
    /// Files and folders that cannot be read, such as a link to what is gone.
    Unreadable,
    /// Photos without labels.
    Unlabelled,
    /// Photos that a project lists and that nobody labelled.
    NotAnnotated,
    /// Labels of photos that the file does not list.
    ImageGone,
    /// Objects of classes that the user leaves out.
    NoCard,
    /// Objects that nobody gave a label.
    NoClass,
    /// Objects that were labelled before at the same place.
    Twice,
    /// Objects without area.
    NoArea,
    /// What is said of a whole photo of cards.
    OfWholePhoto,
}

impl Oddity {
    /// What becomes of it, and what it is.
    fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::Turned => (
                "changed",
                "photos turned by what their EXIF data say: their labels were taken to speak of them \
                 as viewers show them",
            ),
            Self::InShares => {
                ("changed", "photos whose places are shares of the picture, not pixels")
            }
            Self::Clipped => {
                ("changed", "objects with corners outside of the picture, moved to its edge")
            }
            Self::Unreadable => ("left out", "files and folders that cannot be read"),
            Self::Unlabelled => ("left out", "photos without labels"),
            Self::NotAnnotated => (
                "left out",
                "photos that nobody labelled (skipped, not annotated or only predicted)",
            ),
            Self::ImageGone => ("left out", "labels of photos that the file does not list"),
            Self::NoCard => ("left out", "objects of classes that are no card"),
            Self::NoClass => {
                ("left out", "objects without a label; their photos count as unchecked")
            }
            Self::Twice => ("left out", "objects labelled before at the same place"),
            Self::NoArea => {
                ("left out", "objects without area; photos of nothing else count as unchecked")
            }
            Self::OfWholePhoto => ("left out", "choices and texts about a whole photo"),
        }
    }
}

/// How often each oddity occurs, and where first.
#[derive(Debug, Default)]
pub(super) struct Account(BTreeMap<Oddity, (usize, String)>);

impl Account {
    pub(super) fn add(&mut self, oddity: Oddity, at: impl FnOnce() -> String) {
        self.0.entry(oddity).or_insert_with(|| (0, at())).0 += 1;
    }

    pub(super) fn extend(&mut self, others: Self) {
        for (oddity, (count, at)) in others.0 {
            self.0.entry(oddity).or_insert((0, at)).0 += count;
        }
    }
}

/// A line for each.
impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (oddity, (count, at)) in &self.0 {
            let (fate, what) = oddity.told();
            write!(f, "\n{}, such as {at}", line(fate, *count, what))?;
        }
        Ok(())
    }
}

/// A line of the table: what becomes of how many things of a kind.
pub(super) fn line(fate: &str, count: usize, what: &str) -> String {
    format!("{fate:<8} {count:>6}  {what}")
}

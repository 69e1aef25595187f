//! Which card each class in labels means.

use super::draft::{DraftCrop, DraftPhoto};
use super::settle::SettleError;
use setsight_game::cards::Card;
use std::collections::BTreeMap;

/// The classes in the labels.
pub(super) struct Classes {
    /// The card of each class; `None` for classes that are left out or name no card.
    pub cards: BTreeMap<String, Option<Card>>,
    /// Classes that name no card: how often they occur, where first, and the reason.
    strange: BTreeMap<String, (usize, String, String)>,
}

impl Classes {
    pub(super) fn of(
        drafts: &[DraftPhoto],
        crops: &[DraftCrop],
        leave_out: &[String],
    ) -> Result<Self, SettleError> {
        let mut uses: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for draft in drafts {
            for mark in draft.marks.iter().filter(|mark| !mark.class.is_empty()) {
                let at = || format!("{}: {}", draft.told_in.display(), mark.at);
                uses.entry(mark.class.clone()).or_insert_with(|| (0, at())).0 += 1;
            }
        }
        for crop in crops {
            uses.entry(crop.class.clone()).or_insert_with(|| (0, crop.at.clone())).0 += 1;
        }
        if let Some(class) = leave_out.iter().find(|class| !uses.contains_key(*class)) {
            let classes = uses.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(SettleError::NoSuchClass { class: class.clone(), classes });
        }
        let mut classes = Self { cards: BTreeMap::new(), strange: BTreeMap::new() };
        for (class, (count, at)) in uses {
            let card = (!leave_out.contains(&class)).then(|| Card::from_name(&class));
            if let Some(Err(why)) = &card {
                classes.strange.insert(class.clone(), (count, at, why.to_string()));
            }
            classes.cards.insert(class, card.and_then(Result::ok));
        }
        Ok(classes)
    }

    pub(super) fn problem(&self) -> Option<String> {
        let of = |(class, (count, at, why)): (&String, &(usize, String, String))| {
            format!("\n  {class} (used {count} times): {why}; first in {at}")
        };
        let strange: String = self.strange.iter().map(of).collect();
        (!strange.is_empty()).then(|| {
            format!(
                "classes that name no card:{strange}\n  expected a code such as 2spd or a name such \
                 as \"two striped purple diamonds\"; rename them, or leave out what is no card with \
                 --leave-out CLASS"
            )
        })
    }
}

//! Which card each class in labels means.

use super::draft::{DraftCrop, DraftPhoto};
use super::settle::SettleError;
use setsight_game::cards::Card;
use std::collections::BTreeMap;

/// The classes in the labels.
pub(super) struct Classes {
    /// The card of each class; `None` for classes that are left out or name no card.
    pub cards: BTreeMap<String, Option<Card>>,
    /// The only class, if it says that something is a card and not which one.
    pub only_card: Option<String>,
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
        let kept: Vec<&String> = uses.keys().filter(|class| !leave_out.contains(class)).collect();
        let only_card = match kept.as_slice() {
            [class] if crops.is_empty() && says_only_card(class) => Some((*class).clone()),
            _ => None,
        };
        let mut classes = Self { only_card, cards: BTreeMap::new(), strange: BTreeMap::new() };
        for (class, (count, at)) in uses {
            let is_a_card = !leave_out.contains(&class) && classes.only_card.is_none();
            let card = is_a_card.then(|| Card::from_name(&class));
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
        let hint = if self.strange.keys().any(|class| says_only_card(class)) {
            "\n  Labels that say only where cards lie are kept if they are the only ones: convert them \
             apart from the others"
        } else {
            ""
        };
        (!strange.is_empty()).then(|| {
            format!(
                "classes that name no card:{strange}\n  expected a code such as 2spd or a name such \
                 as \"two striped purple diamonds\"; rename them, or leave out what is no card with \
                 --leave-out CLASS{hint}"
            )
        })
    }
}

/// Whether a class says that something is a card, and not which: data for a detector have it.
fn says_only_card(class: &str) -> bool {
    ["card", "cards"].contains(&class.trim().to_lowercase().as_str())
}

//! What the board makes of one frame: the network's reading of each card.

use super::board::{self, Framed};
use super::measure::{card_of, int8_logits};
use super::{folder::SOURCES, net::Net};
use setsight_game::cards::Card;
use setsight_nets::reader;

/// A card of a frame as the board reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The likeliest card.
    pub card: Card,
    /// Whether the board would write it with a question mark: by the limits of its script, or
    /// because another card of the frame is read as the same.
    pub unsure: bool,
}

/// The cards of a frame by one reading each. The board sums several frames, and weighs ink and the
/// rest of the table besides.
pub fn seen(net: &Net, framed: &Framed) -> Vec<Seen> {
    let mut cards: Vec<Seen> = framed
        .corners
        .iter()
        .map(|corners| {
            let logits = int8_logits(net, &board::card(&framed.frame, corners).network_input());
            Seen { card: card_of(&logits), unsure: is_unsure(&logits) }
        })
        .collect();
    let sure: Vec<Card> = cards.iter().filter(|seen| !seen.unsure).map(|seen| seen.card).collect();
    for seen in &mut cards {
        seen.unsure |= sure.iter().filter(|card| **card == seen.card).count() > 1;
    }
    cards
}

/// Whether logits are too weak for the script `card_reader.py`.
fn is_unsure(logits: &[f32]) -> bool {
    let margin = (0..reader::PROPERTIES)
        .map(|p| {
            let mut three = [logits[3 * p], logits[3 * p + 1], logits[3 * p + 2]];
            three.sort_by(f32::total_cmp);
            three[2] - three[1]
        })
        .fold(f32::INFINITY, f32::min);
    let card = logits[reader::CARD];
    margin < limit("MARGIN")
        || card < limit("SURE_LOGIT")
        || (margin < limit("WEAK_MARGIN") && card < limit("WEAK_LOGIT"))
}

/// A limit as the board's script has it.
fn limit(name: &str) -> f32 {
    let scripts = SOURCES.iter().flat_map(|(_, text)| text.lines());
    let mut values = scripts.filter_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
    values.next().and_then(|value| value.parse().ok()).expect("a number in the script")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_the_script_decide() {
        let logits = |margin: f32, card: f32| {
            let mut logits = vec![0.0; reader::OUTPUTS];
            (0..reader::PROPERTIES).for_each(|p| logits[3 * p] = margin);
            logits[reader::CARD] = card;
            logits
        };
        let (margin, card) = (limit("MARGIN"), limit("SURE_LOGIT"));
        let (weak_margin, weak_card) = (limit("WEAK_MARGIN"), limit("WEAK_LOGIT"));
        assert!(!is_unsure(&logits(weak_margin + 0.1, card + 0.1)));
        assert!(!is_unsure(&logits(margin + 0.1, weak_card + 0.1)));
        assert!(is_unsure(&logits(margin - 0.1, 9.0)));
        assert!(is_unsure(&logits(9.0, card - 0.1)));
        assert!(is_unsure(&logits(margin + 0.1, card + 0.1)));
    }
}

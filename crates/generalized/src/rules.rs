//! The parameters of a game (values, properties and sets), and the definition of a set.

/// A card: its values as digits in base v, with the first property the most significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(pub u64);

/// Maximum number of values of a property, because a value is stored in a byte.
pub const MAX_VALUES: u64 = 255;

/// Why the parameters are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum RulesError {
    /// No values, and so no cards.
    #[error("0 values: a property without values makes no card; use 1 or more")]
    NoValues,
    /// No properties, and so at most one blank card.
    #[error("0 properties: all cards would be one and the same; use 1 or more")]
    NoProperties,
    /// Too many values.
    #[error("{0} values: a value is kept in a byte; use {MAX_VALUES} or fewer")]
    TooManyValues(u64),
    /// The number of cards overflows.
    #[error(
        "{values} values and {properties} properties: {values}^{properties} cards are more than \
         can be counted (2^64 - 1); use fewer of either"
    )]
    DeckTooLarge { values: u64, properties: u64 },
    /// No sets to find.
    #[error("0 sets to find: the game would be over before it begins; use 1 or more")]
    NoSets,
    /// More sets than the deck can be split into.
    #[error(
        "{sets} sets to find: the deck of {deck} cards holds no more than {most} sets of \
         {values} cards; use {most} or fewer"
    )]
    TooManySets { sets: u64, deck: u64, values: u64, most: u64 },
}

/// Why a text is no card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{code:?} is not a card: expected {properties} values from 0 to {highest}, such as {example}"
)]
pub struct CodeError {
    code: String,
    properties: u32,
    highest: u32,
    example: String,
}

/// The parameters of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    values: u32,
    properties: u32,
    sets: u64,
    deck: u64,
}

impl Rules {
    /// A game with this number of values per property, properties per card, and sets to find.
    ///
    /// # Errors
    /// The first invalid parameter.
    pub fn new(values: u64, properties: u64, sets: u64) -> Result<Self, RulesError> {
        if values == 0 {
            return Err(RulesError::NoValues);
        }
        if properties == 0 {
            return Err(RulesError::NoProperties);
        }
        if values > MAX_VALUES {
            return Err(RulesError::TooManyValues(values));
        }
        let too_large = RulesError::DeckTooLarge { values, properties };
        let properties = u32::try_from(properties).map_err(|_| too_large)?;
        let deck = values.checked_pow(properties).ok_or(too_large)?;
        let most = deck / values;
        match sets {
            0 => Err(RulesError::NoSets),
            _ if sets > most => Err(RulesError::TooManySets { sets, deck, values, most }),
            _ => Ok(Self { values: values as u32, properties, sets, deck }),
        }
    }

    /// v: number of values of a property, and of cards in a set; 1 to 255.
    #[inline]
    pub const fn values(&self) -> usize {
        self.values as usize
    }

    /// p: number of properties of a card, at least 1.
    #[inline]
    pub const fn properties(&self) -> usize {
        self.properties as usize
    }

    /// n: number of sets to find, 1 to v^(p-1).
    #[inline]
    pub const fn sets(&self) -> u64 {
        self.sets
    }

    /// Number of cards in the deck: v^p.
    #[inline]
    pub const fn deck(&self) -> u64 {
        self.deck
    }

    /// Number of sets in the deck, ((v! + v)^p - v^p) / v! for v > 1; `None` from 2^128 on.
    pub fn sets_of_deck(&self) -> Option<u128> {
        let v = u128::from(self.values);
        if v == 1 {
            return Some(1);
        }
        // Another property leaves a set its v! orders of different values and v of equal ones, and
        // makes one of each card taken v times.
        let mut sets = 1u128;
        let mut deck = v;
        for _ in 1..self.properties {
            let orders = (1..=v).try_fold(1u128, u128::checked_mul)?;
            sets = orders.checked_add(v)?.checked_mul(sets)?.checked_add(deck)?;
            deck = deck.checked_mul(v)?;
        }
        Some(sets)
    }

    /// Number of cards on the first board: v*p, or the whole deck if that is smaller.
    #[inline]
    pub fn first_board(&self) -> usize {
        let wanted = u64::from(self.values) * u64::from(self.properties);
        wanted.min(self.deck) as usize
    }

    /// The values of a card (each 0 to v-1), the first property first.
    #[inline]
    pub fn values_of(&self, card: Card) -> impl ExactSizeIterator<Item = u8> {
        let v = u64::from(self.values);
        let mut weight = self.deck;
        let mut rest = card.0;
        (0..self.properties()).map(move |_| {
            weight /= v;
            let value = rest / weight;
            rest %= weight;
            value as u8
        })
    }

    /// The card with these values, the first property first.
    pub fn card(&self, values: impl IntoIterator<Item = u8>) -> Card {
        let v = u64::from(self.values);
        Card(values.into_iter().fold(0, |index, value| index * v + u64::from(value)))
    }

    /// The only card that can complete v - 1 cards, for more than two values: alike where they are
    /// alike, else of the least value that none of them has.
    pub fn completing(&self, cards: &[Card]) -> Card {
        let rows: Vec<Vec<u8>> = cards.iter().map(|&card| self.values_of(card).collect()).collect();
        self.card((0..self.properties()).map(|property| {
            let has = |value: u8| rows.iter().any(|row| row[property] == value);
            let alike = rows.iter().all(|row| row[property] == rows[0][property]);
            let least = (0..self.values as u8).find(|&value| !has(value)).unwrap_or(0);
            if alike { rows[0][property] } else { least }
        }))
    }

    /// The card as it is written: its values as digits up to ten values, as numbers with dots above.
    /// The only card of one value has its first 64.
    pub fn code(&self, card: Card) -> String {
        // It may have a million properties.
        const SHOWN: usize = 64;
        let values: Vec<String> =
            self.values_of(card).take(SHOWN).map(|value| value.to_string()).collect();
        let more = if self.properties() > SHOWN { "..." } else { "" };
        values.join(if self.values <= 10 { "" } else { "." }) + more
    }

    /// The card that is written so, see [`Self::code`].
    ///
    /// # Errors
    /// No card of this deck is.
    pub fn card_of_code(&self, code: &str) -> Result<Card, CodeError> {
        if self.values == 1 && code == self.code(Card(0)) {
            return Ok(Card(0));
        }
        let parts: Vec<&str> = if self.values <= 10 {
            code.split("").filter(|part| !part.is_empty()).collect()
        } else {
            code.split('.').collect()
        };
        let values: Option<Vec<u8>> = parts
            .iter()
            .map(|part| part.parse().ok().filter(|&value| value < self.values as u8))
            .collect();
        let values = values.filter(|values| values.len() == self.properties());
        let values = values.ok_or_else(|| CodeError {
            code: code.chars().take(80).collect(),
            properties: self.properties,
            highest: self.values - 1,
            example: self.code(Card(self.deck - 1)),
        })?;
        Ok(self.card(values))
    }

    /// Whether these cards are a set: v different cards of the deck that are all equal or all
    /// different in every property. Written for clarity, because the checker relies on it.
    pub fn is_set(&self, cards: &[Card]) -> bool {
        let distinct = |items: &[u64]| {
            let mut sorted = items.to_vec();
            sorted.sort_unstable();
            sorted.windows(2).all(|pair| pair[0] != pair[1])
        };
        let indices: Vec<u64> = cards.iter().map(|c| c.0).collect();
        if cards.len() != self.values()
            || !distinct(&indices)
            || indices.iter().any(|&i| i >= self.deck)
        {
            return false;
        }
        let rows: Vec<Vec<u8>> = cards.iter().map(|&c| self.values_of(c).collect()).collect();
        (0..self.properties()).all(|property| {
            let column: Vec<u64> = rows.iter().map(|row| u64::from(row[property])).collect();
            column.iter().all(|&value| value == column[0]) || distinct(&column)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_cannot_be_is_refused_with_the_reason() {
        for (v, p, n, reason) in [
            (0, 4, 1, "0 values"),
            (3, 0, 1, "0 properties"),
            (3, 4, 0, "0 sets"),
            (3, 4, 28, "no more than 27 sets of 3"),
            (1, 1, 2, "no more than 1 sets"),
            (256, 2, 1, "255 or fewer"),
            (3, 41, 1, "3^41 cards"),
            (2, 64, 1, "2^64 cards"),
            (3, u64::MAX, 1, "more than can be counted"),
        ] {
            let error = Rules::new(v, p, n).unwrap_err().to_string();
            assert!(error.contains(reason), "{v} {p} {n}: {error}");
        }
    }

    #[test]
    fn the_largest_decks_are_counted() {
        assert_eq!(Rules::new(3, 40, 1).unwrap().deck(), 12_157_665_459_056_928_801);
        assert_eq!(Rules::new(2, 63, 1 << 62).unwrap().deck(), 1 << 63);
        let one = Rules::new(1, 1_000_000, 1).unwrap();
        assert_eq!((one.deck(), one.first_board()), (1, 1));
        assert_eq!(Rules::new(3, 4, 27).unwrap().first_board(), 12);
    }

    #[test]
    fn the_ordinary_deck_holds_1080_sets() {
        let rules = Rules::new(3, 4, 1).unwrap();
        let mut count = 0;
        for a in 0..81 {
            for b in a + 1..81 {
                count += (b + 1..81).filter(|&c| rules.is_set(&[a, b, c].map(Card))).count();
            }
        }
        assert_eq!(count, 1080);
    }

    #[test]
    fn what_completes_cards_is_the_card_of_a_set_that_they_lack() {
        let rules = Rules::new(4, 3, 1).unwrap();
        let deck: Vec<Card> = (0..64).map(Card).collect();
        let mut sets = 0;
        crate::sets_of_board(&rules, &deck, &crate::Budget::unlimited(), &mut |set: &[Card]| {
            sets += 1;
            (0..4).all(|i| rules.completing(&[&set[..i], &set[i + 1..]].concat()) == set[i])
        })
        .unwrap();
        assert_eq!(sets, 912);
    }

    #[test]
    fn one_card_or_any_two_are_a_set_of_one_or_two_values() {
        assert!(Rules::new(1, 7, 1).unwrap().is_set(&[Card(0)]));
        let two = Rules::new(2, 3, 1).unwrap();
        assert!((0..8).all(|a| (0..8).all(|b| two.is_set(&[Card(a), Card(b)]) == (a != b))));
        assert!(!two.is_set(&[Card(0), Card(8)]), "no card of the deck");
    }

    #[test]
    fn the_sets_of_a_deck_are_counted_as_far_as_numbers_go() {
        let sets = |v, p| Rules::new(v, p, 1).unwrap().sets_of_deck();
        // The formula where nothing overflows.
        for (v, p) in [(2, 7), (3, 4), (4, 5), (5, 4), (6, 6), (8, 3)] {
            let orders: u128 = (1..=u128::from(v)).product();
            let (v_128, p_32) = (u128::from(v), p as u32);
            let formula = ((orders + v_128).pow(p_32) - v_128.pow(p_32)) / orders;
            assert_eq!(sets(v, p), Some(formula), "({v}, {p})");
        }
        assert_eq!(sets(3, 4), Some(1080));
        assert_eq!((sets(255, 1), sets(255, 2)), (Some(1), None));
        assert_eq!(sets(2, 63), Some((1 << 62) * ((1 << 63) - 1)));
        assert!(sets(3, 40).is_some() && sets(4, 31).is_none());
    }

    #[test]
    fn what_is_no_card_is_refused_with_an_example() {
        let code = |v, p, text: &str| Rules::new(v, p, 1).unwrap().card_of_code(text);
        assert_eq!(code(3, 4, "0120"), Ok(Card(15)));
        assert_eq!(code(12, 2, "11.3"), Ok(Card(135)));
        for (v, p, text) in [
            (3, 4, "0123"),
            (3, 4, "012"),
            (3, 4, ""),
            (3, 4, "01200"),
            (3, 4, "0é20"),
            (12, 2, "113"),
        ] {
            let error = code(v, p, text).unwrap_err().to_string();
            let expected =
                if v == 3 { "4 values from 0 to 2, such as 2222" } else { "such as 11.11" };
            assert!(error.contains(expected), "{error}");
        }
        assert_eq!(code(1, 100_000, &format!("{}...", "0".repeat(64))), Ok(Card(0)));
        // 256 does not fit a byte, and 255 is no value of 255.
        assert!(code(255, 2, "256.0").is_err() && code(255, 2, "255.0").is_err());
    }

    proptest! {
        #[test]
        fn values_make_the_card_again(v in 1u64..=12, p in 1u64..=9, seed: u64) {
            let rules = Rules::new(v, p, 1).unwrap();
            let card = Card(seed % rules.deck());
            let values: Vec<u8> = rules.values_of(card).collect();
            prop_assert_eq!(values.len() as u64, p);
            prop_assert!(values.iter().all(|&value| u64::from(value) < v));
            prop_assert_eq!(rules.card(values), card);
            prop_assert_eq!(rules.card_of_code(&rules.code(card)), Ok(card));
        }
    }
}

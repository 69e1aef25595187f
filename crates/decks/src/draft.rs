//! A deck that is being learnt: the cards that photos show, their groups, and a person's corrections;
//! and messages about the photos and the names of decks.

use crate::checks::{self, LearnError};
use crate::group::{self, DeckCard, Groups, UserLabel};
use crate::{checks::DeckPhoto, print};
use setsight_files::printable::{self, counted};
use setsight_game::cards::{DECK_SIZE, Deck, Property};
use std::fmt;

/// A deck that is being learnt.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    photos: Vec<DeckPhoto>,
    /// The cards of the sharp photos, and for each of them its place and a person's corrections.
    cards: Vec<DeckCard>,
    places: Vec<Place>,
    labels: Vec<UserLabel>,
    /// None while too few cards are seen.
    groups: Option<Groups>,
    confirmed: Vec<Property>,
}

#[derive(Clone, Debug)]
pub struct DraftCard<'a> {
    pub place: &'a Place,
    /// How many symbols it has, 1 to 3.
    pub number: usize,
    groups: Option<[usize; 3]>,
}

#[derive(Clone, Debug)]
pub struct Learnt {
    pub deck: Deck,
    /// How many different cards it was learnt from.
    pub cards: usize,
    /// What was left out and what may be wrong.
    pub notes: Vec<Note>,
}

impl Draft {
    /// The deck that these photos show together.
    pub fn from_photos(photos: impl IntoIterator<Item = DeckPhoto>) -> Self {
        let mut draft = Self::default();
        for photo in photos {
            draft.take(photo);
        }
        draft.group();
        draft
    }

    /// Takes in one more photo; a blurred one only so that it can be reported. A photo of the same name
    /// is replaced.
    pub fn add(&mut self, photo: DeckPhoto) {
        self.take_out(&photo.name);
        self.take(photo);
        self.group();
    }

    /// Takes a photo out again.
    pub fn remove(&mut self, photo: &str) {
        self.take_out(photo);
        self.group();
    }

    fn take(&mut self, photo: DeckPhoto) {
        if !photo.is_blurred() {
            let number = self.photos.len();
            for card in &photo.cards {
                let place = Place { photo: photo.name.clone(), row: card.row, column: card.column };
                self.places.push(place);
                self.cards.push(DeckCard { photo: number, measured: card.measured.clone() });
                self.labels.push(UserLabel::default());
            }
        }
        self.photos.push(photo);
    }

    fn take_out(&mut self, photo: &str) {
        let Some(number) = self.photos.iter().position(|other| other.name == photo) else { return };
        self.photos.remove(number);
        for card in (0..self.cards.len()).rev() {
            match self.cards[card].photo {
                of if of == number => self.remove_card(card),
                of if of > number => self.cards[card].photo -= 1,
                _ => {}
            }
        }
    }

    fn remove_card(&mut self, card: usize) {
        self.cards.remove(card);
        self.places.remove(card);
        self.labels.remove(card);
        // Cards of the photos that came last may not be grouped yet.
        if let Some(groups) = self.groups.as_mut().filter(|groups| card < groups.shapes.len()) {
            groups.remove(card);
        }
    }

    /// Groups all cards. Existing groups keep their numbers, and a person's corrections hold.
    fn group(&mut self) {
        let one_fill = group::has_one_fill(&self.cards);
        if self.cards.len() < needed(one_fill) {
            self.groups = None;
            return;
        }
        let mut groups = group::group(&self.cards, one_fill);
        match &self.groups {
            Some(before) if before.one_fill == one_fill => groups.numbered_like(before),
            _ => print::in_order(&self.cards, &mut groups),
        }
        if self.labels.iter().flatten().any(Option::is_some) {
            groups = group::regroup(&self.cards, groups, &self.labels);
        }
        self.groups = Some(groups);
    }

    /// Corrects the outline, fill or ink of a card: 0 to 2, as the groups are numbered. The likeliest
    /// values of the other cards may change with it.
    pub fn put(&mut self, place: &Place, property: Property, value: usize) {
        let Some(card) = self.card_at(place) else { return };
        let Some(groups) = self.groups.take() else { return };
        if let Some(label) = self.labels[card].get_mut(label_index(property)) {
            *label = Some(value);
        }
        self.groups = Some(group::regroup(&self.cards, groups, &self.labels));
    }

    /// Leaves out a card that is of another deck, or should not be learnt from.
    pub fn leave_out(&mut self, place: &Place) {
        if let Some(card) = self.card_at(place) {
            self.remove_card(card);
            self.group();
        }
    }

    /// Confirms that the groups of a property are three values, however alike two of them look.
    pub fn confirm(&mut self, property: Property) {
        self.confirmed.push(property);
    }

    fn card_at(&self, place: &Place) -> Option<usize> {
        self.places.iter().position(|at| at == place)
    }

    pub fn cards(&self) -> impl Iterator<Item = DraftCard<'_>> {
        self.places.iter().enumerate().map(|(i, place)| DraftCard {
            place,
            number: self.cards[i].measured.number,
            groups: self.groups.as_ref().map(|groups| groups.of_card(i)),
        })
    }

    /// Whether all cards have one fill, hence the deck 27 cards.
    pub fn has_one_fill(&self) -> bool {
        self.groups.as_ref().is_some_and(|groups| groups.one_fill)
    }

    /// The deck as it is drawn by the groups that there are, whether or not they are in order; none
    /// while too few cards are seen. `tell` is called with the part that is done, 0 to 1, on several
    /// threads.
    pub fn drawn(&self, name: &str, tell: &(dyn Fn(f64) + Sync)) -> Option<Deck> {
        self.groups.as_ref().map(|groups| print::deck(&self.cards, groups, name, tell))
    }

    /// How many different cards are seen, and what was left out or may be wrong.
    pub fn check(&self) -> Result<(usize, Vec<Note>), LearnError> {
        let mut notes = self.notes();
        if self.cards.is_empty() {
            return Err(LearnError::NoCards { photos: self.photos.len(), notes });
        }
        let place = |i: usize| self.places[i].clone();
        let one_fill = group::has_one_fill(&self.cards);
        let (of, needed) = (size(one_fill), needed(one_fill));
        let Some(groups) = &self.groups else {
            return Err(LearnError::TooFew { found: self.cards.len(), of, needed, notes });
        };
        checks::values(&self.cards, groups, of, &self.confirmed, &place)?;
        checks::often_enough(&self.cards, groups, &place)?;
        let (cards, copies) = checks::copies(&self.cards, groups, &place)?;
        if cards < needed {
            return Err(LearnError::TooFew { found: cards, of, needed, notes });
        }
        if let Some((a, b)) = copies.first() {
            let (first, second) = (place(*a), place(*b));
            notes.push(Note::SeenTwice { first, second, more: copies.len() - 1 });
        }
        if cards < of {
            notes.push(Note::NotSeen { cards: of - cards, of });
        }
        Ok((cards, notes))
    }

    fn notes(&self) -> Vec<Note> {
        let notes = self.photos.iter().filter_map(|photo| {
            let name = photo.name.clone();
            if photo.is_blurred() {
                Some(Note::Blurred { photo: name })
            } else {
                (photo.unclear > 0).then_some(Note::Unclear { photo: name, cards: photo.unclear })
            }
        });
        notes.collect()
    }

    /// The deck. `tell` is called with the part that is done, 0 to 1, on several threads.
    pub fn learn(&self, name: &str, tell: &(dyn Fn(f64) + Sync)) -> Result<Learnt, LearnError> {
        let (cards, notes) = self.check()?;
        let deck = self.drawn(name, tell).expect("groups that were checked");
        Ok(Learnt { deck, cards, notes })
    }
}

impl DraftCard<'_> {
    /// Its value of a property, 0 to 2, as the groups are numbered; none while too few cards are
    /// seen.
    pub fn value(&self, property: Property) -> Option<usize> {
        match property {
            Property::Number => Some(self.number - 1),
            _ => Some(self.groups?[label_index(property)]),
        }
    }
}

/// Index of a property in [`UserLabel`] and [`Groups::of_card`]; beyond them for the number, which is
/// counted.
const fn label_index(property: Property) -> usize {
    match property {
        Property::Shape => 0,
        Property::Shading => 1,
        Property::Color => 2,
        Property::Number => 3,
    }
}

/// How many cards a deck has.
const fn size(one_fill: bool) -> usize {
    if one_fill { DECK_SIZE / 3 } else { DECK_SIZE }
}

/// How many must be seen: so many show every value on a handful, and a deck that comes in screens of
/// twelve is complete enough after two. Of a deck of 27 it is two thirds.
const fn needed(one_fill: bool) -> usize {
    if one_fill { 18 } else { 24 }
}

/// Where a card lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The photo's name.
    pub photo: String,
    /// Its row in the photo, from 1.
    pub row: usize,
    /// Its place in the row, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "card {} of row {} in {}", self.column, self.row, self.photo)
    }
}

/// What was left out, or may be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    Blurred { photo: String },
    Unclear { photo: String, cards: usize },
    SeenTwice { first: Place, second: Place, more: usize },
    NotSeen { cards: usize, of: usize },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blurred { photo } => write!(
                f,
                "{photo} is blurred and was left out; take it again, closer and with a steady hand"
            ),
            Self::Unclear { photo, cards } => write!(
                f,
                "{photo}: on {} no symbols are seen clearly; glare, a shadow or another card may be in the way",
                counted(*cards, "card")
            ),
            Self::SeenTwice { first, second, more } => {
                write!(f, "seen in two photos: {first} is {second}")?;
                if *more > 0 { write!(f, ", and {more} more") } else { Ok(()) }
            }
            Self::NotSeen { cards, of } => {
                write!(f, "{cards} of {of} cards are not seen; the deck is learnt from the others")
            }
        }
    }
}

/// Why a deck cannot have a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("it means another deck; give yours a name of its own")]
    Taken,
    #[error("a deck's name has 1 to 60 characters on one line")]
    Malformed,
}

/// Whether a name is free, and labels and readings can carry it.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let taken = Deck::NAMES.contains(&name)
        || ["auto", "unknown", "invented"].contains(&name)
        || name.starts_with("invented-");
    if taken {
        return Err(NameError::Taken);
    }
    if name.trim().is_empty() || printable::line(name) != name || name.chars().count() > 60 {
        return Err(NameError::Malformed);
    }
    Ok(())
}

/// What the values of a property are called here: outlines, fills, inks.
pub const fn values_of(property: Property) -> &'static str {
    match property {
        Property::Number => "numbers",
        Property::Shading => "fills",
        Property::Color => "inks",
        Property::Shape => "outlines",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{checks::SeenCard, group::tests::deck};
    use setsight_photo::geometry::Quad;

    /// The 27 cards of one symbol of an invented deck once for each number, in three photos.
    fn photos() -> Vec<DeckPhoto> {
        let (cards, _) = deck();
        let photos = (1..=3).map(|number| {
            let cards = cards.iter().enumerate().map(|(i, card)| {
                let mut measured = card.measured.clone();
                measured.number = number;
                let corners_in_image = Quad::rectangle(96.0, 64.0);
                SeenCard { row: i / 9 + 1, column: i % 9 + 1, corners_in_image, measured }
            });
            DeckPhoto { name: format!("{number}.jpg"), cards: cards.collect(), unclear: 0 }
        });
        photos.collect()
    }

    fn values(draft: &Draft) -> Vec<[Option<usize>; 3]> {
        let properties = [Property::Shape, Property::Shading, Property::Color];
        draft.cards().map(|card| properties.map(|property| card.value(property))).collect()
    }

    #[test]
    fn photos_come_and_go() {
        let [first, second, third] = <[DeckPhoto; 3]>::try_from(photos()).unwrap();
        let mut few = first.clone();
        few.cards.truncate(23);
        let draft = Draft::from_photos([few]);
        assert!(values(&draft).iter().flatten().all(Option::is_none));
        assert!(matches!(draft.check(), Err(LearnError::TooFew { found: 23, needed: 24, .. })));
        let mut draft = Draft::from_photos([first]);
        // No card has two symbols, or three.
        let seldom = draft.check().unwrap_err();
        assert!(
            matches!(seldom, LearnError::Seldom { property: Property::Number, found: 0, .. }),
            "{seldom}"
        );
        draft.add(second.clone());
        let two = values(&draft);
        draft.add(third.clone());
        draft.remove("3.jpg");
        assert_eq!(values(&draft), two);
        assert!(matches!(draft.check(), Err(LearnError::Seldom { .. })));
        let mut a_few = third.clone();
        a_few.cards.truncate(4);
        draft.add(a_few);
        let (cards, notes) = draft.check().unwrap();
        assert_eq!((cards, notes), (58, vec![Note::NotSeen { cards: 23, of: 81 }]));
        draft.add(third);
        assert_eq!(draft.check().unwrap(), (81, Vec::new()));
        // The groups keep their numbers.
        assert_eq!(values(&draft)[..54], two);
        draft.add(second);
        assert_eq!((draft.check().unwrap().0, draft.photos.len()), (81, 3));
        draft.remove("1.jpg");
        let places: Vec<&str> = draft.cards().map(|card| card.place.photo.as_str()).collect();
        assert_eq!(places.len(), 54);
        assert!(!places.contains(&"1.jpg"));
    }

    #[test]
    fn corrections_stay_when_photos_are_added() {
        let mut photos = photos();
        let third = photos.pop().unwrap();
        let mut draft = Draft::from_photos(photos);
        let card = draft.cards().next().unwrap();
        let (place, ink) = (card.place.clone(), card.value(Property::Color).unwrap());
        let other = (ink + 1) % 3;
        draft.put(&place, Property::Color, other);
        let ink_of = |draft: &Draft| draft.cards().next().unwrap().value(Property::Color);
        assert_eq!(ink_of(&draft), Some(other));
        draft.add(third);
        assert_eq!(ink_of(&draft), Some(other));
        draft.put(&place, Property::Color, ink);
        assert_eq!(draft.check().unwrap().0, 81);
        draft.leave_out(&place);
        assert_eq!(draft.check().unwrap().0, 80);
    }

    #[test]
    fn two_values_that_look_alike_are_two_if_a_person_says_so() {
        let mut photos = photos();
        for card in photos.iter_mut().flat_map(|photo| &mut photo.cards) {
            let measured = &mut card.measured;
            // Green becomes nearly the first ink, and its light wholly.
            if measured.ink[1] < -20.0 {
                measured.ink = [44.0 - measured.blur_px, 50.0, 30.0];
                measured.light = [0.6, 0.1, 0.1];
            }
        }
        let mut draft = Draft::from_photos(photos);
        let Err(LearnError::Alike { property, .. }) = draft.check() else {
            panic!("{:?}", draft.check())
        };
        assert_eq!(property, Property::Color);
        draft.confirm(property);
        assert!(!matches!(draft.check(), Err(LearnError::Alike { .. })));
    }
}

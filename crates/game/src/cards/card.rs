//! A card and its four properties.

use std::fmt;

/// Number of cards in the deck: one for each combination of the four properties.
pub const DECK_SIZE: usize = 81;
/// Most cards of one table, three decks: far above any, and few enough sets (at most 29,160) to list.
pub const MAX_ON_TABLE: usize = 3 * DECK_SIZE;

/// Long side of a card in millimetres.
pub const CARD_LONG_MM: f64 = 89.0;
/// Short side of a card in millimetres.
pub const CARD_SHORT_MM: f64 = 57.0;

macro_rules! property {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $letter:literal, $word:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant,)* }

        impl $name {
            /// All three values, in the order of the deck (and of every index in this crate).
            pub const ALL: [Self; 3] = [$(Self::$variant,)*];

            /// Position in [`Self::ALL`], 0 to 2.
            #[inline]
            pub const fn index(self) -> usize { self as usize }

            /// The value at `index` (0 to 2).
            ///
            /// # Panics
            /// If `index` is above 2.
            #[inline]
            pub const fn from_index(index: usize) -> Self { Self::ALL[index] }

            /// Its character in a card's code.
            pub const fn letter(self) -> char { match self { $(Self::$variant => $letter,)* } }

            /// The value whose character is `letter`, in either case.
            pub fn from_letter(letter: char) -> Option<Self> {
                let letter = letter.to_ascii_lowercase();
                Self::ALL.into_iter().find(|v| v.letter() == letter)
            }

            /// Its word in a card's name, in the singular.
            pub const fn word(self) -> &'static str { match self { $(Self::$variant => $word,)* } }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.word()) }
        }
    };
}

property! {
    /// How many symbols a card shows.
    Number {
        /// One symbol.
        One = '1', "one";
        /// Two symbols.
        Two = '2', "two";
        /// Three symbols.
        Three = '3', "three";
    }
}
property! {
    /// How the symbols are filled.
    Shading {
        /// Solid colour.
        Filled = 'f', "filled";
        /// Outline only.
        Open = 'o', "open";
        /// Thin stripes inside the outline.
        Striped = 's', "striped";
    }
}
property! {
    /// The colour of the symbols.
    Color {
        /// Green.
        Green = 'g', "green";
        /// Purple.
        Purple = 'p', "purple";
        /// Red.
        Red = 'r', "red";
    }
}
property! {
    /// The outline of the symbols.
    Shape {
        /// A rhombus standing on its point.
        Diamond = 'd', "diamond";
        /// A stadium: two straight sides, two round ends.
        Oval = 'o', "oval";
        /// The wavy shape.
        Squiggle = 's', "squiggle";
    }
}

/// The four properties, in the order of a code's characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// See [`Number`].
    Number,
    /// See [`Shading`].
    Shading,
    /// See [`Color`].
    Color,
    /// See [`Shape`].
    Shape,
}

impl Property {
    /// All four, in the order of a code's characters.
    pub const ALL: [Self; 4] = [Self::Number, Self::Shading, Self::Color, Self::Shape];

    /// Its name in a sentence.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Shading => "shading",
            Self::Color => "colour",
            Self::Shape => "shape",
        }
    }

    /// The word of the value with this index (0 to 2).
    ///
    /// # Panics
    /// If `value` is above 2.
    pub const fn value_word(self, value: usize) -> &'static str {
        match self {
            Self::Number => Number::from_index(value).word(),
            Self::Shading => Shading::from_index(value).word(),
            Self::Color => Color::from_index(value).word(),
            Self::Shape => Shape::from_index(value).word(),
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A card of the deck. Cards are ordered by number, then shading, colour and shape.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card {
    /// How many symbols.
    pub number: Number,
    /// How they are filled.
    pub shading: Shading,
    /// Their colour.
    pub color: Color,
    /// Their outline.
    pub shape: Shape,
}

impl Card {
    /// Position in the deck, 0 to 80: the four value indices as base-3 digits, the number first.
    #[inline]
    pub const fn index(self) -> usize {
        ((self.number.index() * 3 + self.shading.index()) * 3 + self.color.index()) * 3
            + self.shape.index()
    }

    /// The card at an index of the deck.
    ///
    /// # Panics
    /// If `index` is above 80.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < DECK_SIZE, "a deck holds 81 cards");
        Self {
            number: Number::from_index(index / 27),
            shading: Shading::from_index(index / 9 % 3),
            color: Color::from_index(index / 3 % 3),
            shape: Shape::from_index(index % 3),
        }
    }

    /// The index (0 to 2) of the card's value of one property.
    #[inline]
    pub const fn value(self, property: Property) -> usize {
        match property {
            Property::Number => self.number.index(),
            Property::Shading => self.shading.index(),
            Property::Color => self.color.index(),
            Property::Shape => self.shape.index(),
        }
    }

    /// The deck in index order.
    pub fn deck() -> impl ExactSizeIterator<Item = Self> + Clone {
        (0..DECK_SIZE).map(Self::from_index)
    }

    /// Its long name: "two striped purple diamonds".
    pub fn name(self) -> String {
        let plural = if self.number == Number::One { "" } else { "s" };
        format!("{} {} {} {}{plural}", self.number, self.shading, self.color, self.shape)
    }
}

/// The 4-character code, such as `2spd`.
impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}{}{}",
            self.number.letter(),
            self.shading.letter(),
            self.color.letter(),
            self.shape.letter()
        )
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

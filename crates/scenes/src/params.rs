//! Ranges for everything random in a scene, and named sets of ranges.

use super::{background::Material, table::Layout};
use setsight_game::cards::Deck;
use setsight_photo::print::dice::{Dice, Span};
use std::{f64::consts::TAU, sync::Arc};

/// A kind of table: what makes it hard to read, one cause at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A tidy grid on a mid-toned table, even light, seen from above
    Plain,
    /// A wooden table
    Wood,
    /// White cards on a white table
    White,
    /// A black table
    Black,
    /// Patterned cloth
    Cloth,
    /// Other things on the table: papers, phones, coins, card backs, playing cards
    Clutter,
    /// Cards at any angle, not touching
    Scatter,
    /// Cards side by side without a gap
    Touching,
    /// Cards that partly cover each other
    Overlap,
    /// Up to twenty cards thrown on one another, at least half of each card's symbols in view
    Heap,
    /// Seen at a flat angle
    Perspective,
    /// Cards cut by the border of the picture
    Edge,
    /// Hard and soft shadows across the cards
    Shadow,
    /// The light of warm lamps, poorly balanced
    Warm,
    /// Too little light: noise and dull colours
    Dim,
    /// Reflections that bleach symbols
    Glare,
    /// Out of focus or shaken
    Blur,
    /// Cards 45 to 80 pixels long
    Small,
    /// Any of these together
    Mixed,
    /// A violet or otherwise tinted picture, its channels mixed as by a cheap webcam
    Violet,
    /// An orange lamp from one side, a blue window from the other
    TwoLamps,
    /// Rings, boxes, arrows and words that somebody drew on the picture
    Writing,
    /// Papers, boxes and screens with printed signs that look like symbols
    Print,
    /// A game on a screen: copied, or photographed with glare and moire
    Screen,
}

impl Kind {
    /// The kinds that weights are fitted on. New kinds come after them in [`Self::ALL`], so that a
    /// fit with the same seed draws the same tables.
    pub const FITTED_ON: &[Self] = Self::ALL.split_at(19).0;

    /// All kinds, in the order of `--help`.
    pub const ALL: [Self; 24] = [
        Self::Plain,
        Self::Wood,
        Self::White,
        Self::Black,
        Self::Cloth,
        Self::Clutter,
        Self::Scatter,
        Self::Touching,
        Self::Overlap,
        Self::Heap,
        Self::Perspective,
        Self::Edge,
        Self::Shadow,
        Self::Warm,
        Self::Dim,
        Self::Glare,
        Self::Blur,
        Self::Small,
        Self::Mixed,
        Self::Violet,
        Self::TwoLamps,
        Self::Writing,
        Self::Print,
        Self::Screen,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        self.name_and_help().0
    }

    /// Its name on the command line, and what makes its tables hard to read.
    pub const fn name_and_help(self) -> (&'static str, &'static str) {
        match self {
            Self::Plain => {
                ("plain", "A tidy grid on a mid-toned table, even light, seen from above")
            }
            Self::Wood => ("wood", "A wooden table"),
            Self::White => ("white", "White cards on a white table"),
            Self::Black => ("black", "A black table"),
            Self::Cloth => ("cloth", "Patterned cloth"),
            Self::Clutter => (
                "clutter",
                "Other things on the table: papers, phones, coins, card backs, playing cards",
            ),
            Self::Scatter => ("scatter", "Cards at any angle, not touching"),
            Self::Touching => ("touching", "Cards side by side without a gap"),
            Self::Overlap => ("overlap", "Cards that partly cover each other"),
            Self::Heap => (
                "heap",
                "Up to twenty cards thrown on one another, at least half of each card's symbols in view",
            ),
            Self::Perspective => ("perspective", "Seen at a flat angle"),
            Self::Edge => ("edge", "Cards cut by the border of the picture"),
            Self::Shadow => ("shadow", "Hard and soft shadows across the cards"),
            Self::Warm => ("warm", "The light of warm lamps, poorly balanced"),
            Self::Dim => ("dim", "Too little light: noise and dull colours"),
            Self::Glare => ("glare", "Reflections that bleach symbols"),
            Self::Blur => ("blur", "Out of focus or shaken"),
            Self::Small => ("small", "Cards 45 to 80 pixels long"),
            Self::Mixed => ("mixed", "Any of these together"),
            Self::Violet => (
                "violet",
                "A violet or otherwise tinted picture, its channels mixed as by a cheap webcam",
            ),
            Self::TwoLamps => {
                ("two-lamps", "An orange lamp from one side, a blue window from the other")
            }
            Self::Writing => {
                ("writing", "Rings, boxes, arrows and words that somebody drew on the picture")
            }
            Self::Print => {
                ("print", "Papers, boxes and screens with printed signs that look like symbols")
            }
            Self::Screen => {
                ("screen", "A game on a screen: copied, or photographed with glare and moire")
            }
        }
    }
}

/// The source of a table's deck.
#[derive(Clone, Debug, PartialEq)]
pub enum DeckChoice {
    Known(Arc<Deck>),
    /// A random deck that no edition prints, different on each table.
    Invented,
}

/// Ranges for everything random in a scene. Angles are in radians, lengths as their names say.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Width and height of the picture.
    pub size_px: (u32, u32),
    /// Minimum and maximum number of cards; each card occurs at most once.
    pub cards: (usize, usize),
    /// Number of tables of the series over which one deck is dealt, in one printing; `cards` is then
    /// ignored.
    pub full_deck: Option<usize>,
    /// The decks, with weights; all cards of a table are of one deck.
    pub decks: Vec<(DeckChoice, f64)>,
    /// Probability that the picture and its labels are mirrored left to right.
    pub mirrored: f64,
    pub layouts: Vec<(Layout, f64)>,
    /// The materials of the table, with weights.
    pub materials: Vec<(Material, f64)>,
    /// A white table's reflectance relative to the cards'.
    pub white_table: Span,
    /// Minimum and maximum number of other things on the table.
    pub distractors: (usize, usize),
    /// How much the print varies between decks, 0 (not at all) to 1.
    pub variety: f64,
    /// Height of a card's ends above its middle, in millimetres; negative if the middle is higher.
    pub curl_mm: Span,
    /// Fraction of the picture that the cards fill, along its tighter side.
    pub fill: Span,
    /// Range of a card's long side in the picture, if it is fixed; `fill` is then a maximum.
    pub long_side_px: Option<Span>,
    /// Angle between the line of sight and the table's normal.
    pub tilt: Span,
    /// Rotation of the camera about the line of sight.
    pub roll: Span,
    /// Focal length in picture widths.
    pub focal: Span,
    /// Radial distortion of the lens at the picture's corner, as a fraction of the radius.
    pub distortion: Span,
    /// Colour temperature of the lamp in kelvin.
    pub kelvin: Span,
    /// Fraction of the lamp's colour that the white balance removes.
    pub balance: Span,
    /// Linear value of a perfect white in full light; 1 clips.
    pub exposure: Span,
    /// Unevenness of the light: roughly the fraction lost at the far end.
    pub falloff: Span,
    /// Darkening of the picture's corners, as a fraction.
    pub vignette: Span,
    /// Depth of the shadow of a card, 0 to 1.
    pub card_shadow: Span,
    /// Probability of a shadow across the cards.
    pub cast_shadow: f64,
    /// Probability that such shadows are many small ones: leaves, fingers, a blind.
    pub dappled: f64,
    /// Fraction of the light that such a shadow removes.
    pub cast_depth: Span,
    /// Probability of a reflection of the lamp in the cards.
    pub glare: f64,
    /// Brightness of the reflection relative to white paper.
    pub glare_strength: Span,
    /// Defocus as a fraction of a card's long side (standard deviation of a Gaussian).
    pub defocus: Span,
    /// Length of motion blur as a fraction of a card's long side.
    pub motion: Span,
    /// Noise at white, as a fraction of white (standard deviation); dark parts get relatively more.
    pub noise: Span,
    /// Probability of demosaicing artefacts, which give fine stripes false colours.
    pub mosaic: f64,
    /// Strength of the camera's sharpening.
    pub sharpen: Span,
    /// Saturation; 1 leaves it unchanged.
    pub saturation: Span,
    /// JPEG quality, 1 to 100.
    pub jpeg: Span,
    /// Minimum fraction of a card's symbols in view; cards below it are removed from the table.
    pub symbols_in_view: f64,
    /// Whether cards with too little in view stay on the table; `symbols_in_view` then only limits
    /// how much cards cover each other when they are laid.
    pub keep_all: bool,
    /// Offset of the camera's aim from the cards, as a fraction of the picture (standard
    /// deviation).
    pub aim_off: f64,
    /// Probability of a stack of cards, face up, beside the others: the top of a deck or of the
    /// sets that somebody won. It does not count as on the table.
    pub stack: f64,
    /// Probability that another thing may lie under cards.
    pub decoys_under: f64,
    /// Probability that another thing is one that resembles a card.
    pub false_friends: f64,
    /// Minimum and maximum number of things over cards.
    pub covers: (usize, usize),
    /// Wear of the cards' edges, 0 (new) to 1.
    pub wear: Span,
    /// Range of the width of a symbol's outline in millimetres, if it is fixed.
    pub outline_mm: Option<Span>,
    /// Range of the inked fraction of the stripes, if it is fixed.
    pub duty: Option<Span>,
    /// Deviation of the light's colour from a black body, as a fraction (standard deviation).
    pub tint: f64,
    /// Stray light in the lens over the whole picture, as a fraction of white.
    pub haze: Span,
    /// Blur of the chroma beyond that of the luma, in pixels (standard deviation of a Gaussian).
    /// Files store chroma at half the resolution, and denoising blurs it further. Thin lines turn
    /// grey.
    pub chroma_px: Span,
    /// Whether the table's grain is drawn for every second pixel only and interpolated between:
    /// saves a third of the time of a small picture.
    pub coarse_table: bool,
    /// Colour casts beyond those of one lamp.
    pub cast: CastParams,
    /// Minimum and maximum number of marks drawn on the picture: rings, boxes, arrows, words.
    pub annotations: (usize, usize),
    /// Minimum and maximum number of printed things on the table with signs that resemble symbols.
    pub flyers: (usize, usize),
    /// Probability that a screen ([`Kind::Screen`]) is photographed rather than copied.
    pub photographed: f64,
    /// Probability that a screen shows cards that the deck has not, among others or alone.
    pub strange: f64,
    /// How often a screen is drawn as few apps draw it (small symbols or pairs set wide, full symbols paler
    /// than their outline, cards without a border), relative to what training wants, 0 to 1.
    pub odd: f64,
    /// The requested kind, as a tag for the labels.
    pub asked: Kind,
}

impl Params {
    /// The ranges of a kind, at 1280x960 with the classic deck.
    #[expect(clippy::too_many_lines, reason = "a catalogue with an arm for each kind")]
    pub fn for_kind(kind: Kind) -> Self {
        let mut p = Self {
            size_px: (1280, 960),
            cards: (12, 12),
            full_deck: None,
            decks: vec![(DeckChoice::Known(Deck::classic()), 1.0)],
            mirrored: 0.0,
            layouts: vec![(Layout::Grid, 1.0)],
            materials: vec![(Material::Wood, 2.0), (Material::Felt, 1.0)],
            white_table: Span::new(0.94, 1.05),
            distractors: (0, 0),
            variety: 0.6,
            curl_mm: Span::new(-0.3, 0.8),
            fill: Span::new(0.78, 0.94),
            long_side_px: None,
            tilt: Span::new(0.0, 0.2),
            roll: Span::new(-0.06, 0.06),
            focal: Span::new(0.85, 1.3),
            distortion: Span::new(-0.015, 0.015),
            kelvin: Span::new(4_200.0, 7_000.0),
            balance: Span::new(0.75, 1.0),
            exposure: Span::new(0.8, 1.0),
            falloff: Span::new(0.05, 0.3),
            vignette: Span::new(0.0, 0.12),
            card_shadow: Span::new(0.2, 0.6),
            cast_shadow: 0.0,
            dappled: 0.0,
            cast_depth: Span::new(0.3, 0.6),
            glare: 0.0,
            glare_strength: Span::new(0.3, 1.0),
            defocus: Span::new(0.0, 0.003),
            motion: Span::only(0.0),
            noise: Span::new(0.004, 0.012),
            mosaic: 0.0,
            sharpen: Span::new(0.0, 0.4),
            saturation: Span::new(0.95, 1.2),
            jpeg: Span::new(82.0, 95.0),
            symbols_in_view: 0.5,
            keep_all: false,
            aim_off: 0.0,
            stack: 0.0,
            decoys_under: 0.0,
            false_friends: 0.0,
            covers: (0, 0),
            wear: Span::only(0.0),
            outline_mm: None,
            duty: None,
            tint: 0.015,
            haze: Span::only(0.0),
            chroma_px: Span::only(0.0),
            coarse_table: false,
            cast: CastParams::NONE,
            annotations: (0, 0),
            flyers: (0, 0),
            photographed: 0.0,
            strange: 0.0,
            odd: 1.0,
            asked: kind,
        };
        match kind {
            Kind::Plain => {}
            Kind::Wood => p.materials = vec![(Material::Wood, 1.0)],
            Kind::White => p.materials = vec![(Material::White, 1.0)],
            Kind::Black => p.materials = vec![(Material::Black, 1.0)],
            Kind::Cloth => p.materials = vec![(Material::Cloth, 1.0)],
            Kind::Clutter => {
                p.materials = all_materials();
                p.distractors = (6, 14);
                p.fill = Span::new(0.55, 0.75);
            }
            Kind::Scatter => {
                p.layouts = vec![(Layout::Scatter, 1.0)];
                p.materials = all_materials();
            }
            Kind::Touching => {
                p.layouts = vec![(Layout::Touching, 1.0)];
                p.materials = all_materials();
            }
            Kind::Overlap => {
                p.layouts = vec![(Layout::Overlap, 1.0)];
                p.materials = all_materials();
            }
            Kind::Heap => {
                p.cards = (20, 20);
                p.layouts = vec![(Layout::Heap, 1.0)];
                p.materials =
                    vec![(Material::Black, 1.0), (Material::Wood, 1.0), (Material::White, 1.0)];
            }
            Kind::Perspective => {
                p.materials = all_materials();
                p.tilt = Span::new(0.7, 1.0);
                p.roll = Span::new(-0.25, 0.25);
            }
            Kind::Edge => {
                p.materials = all_materials();
                p.cards = (12, 21);
                p.fill = Span::new(1.04, 1.2);
            }
            Kind::Shadow => {
                p.materials = all_materials();
                p.cast_shadow = 1.0;
                p.cast_depth = Span::new(0.45, 0.8);
            }
            Kind::Warm => {
                p.materials = all_materials();
                p.kelvin = Span::new(2_300.0, 3_200.0);
                p.balance = Span::new(0.35, 0.75);
            }
            Kind::Dim => {
                p.materials = all_materials();
                p.exposure = Span::new(0.06, 0.2);
                p.noise = Span::new(0.015, 0.035);
                p.kelvin = Span::new(2_600.0, 5_000.0);
                p.saturation = Span::new(0.6, 1.0);
            }
            Kind::Glare => {
                p.materials = all_materials();
                p.glare = 1.0;
                p.glare_strength = Span::new(0.8, 2.2);
            }
            Kind::Blur => {
                p.materials = all_materials();
                p.defocus = Span::new(0.006, 0.016);
                p.motion = Span::new(0.0, 0.03);
            }
            Kind::Small => {
                p.size_px = (640, 480);
                p.materials = all_materials();
                p.long_side_px = Some(Span::new(45.0, 80.0));
                p.fill = Span::only(0.97);
                p.noise = Span::new(0.008, 0.025);
                p.mosaic = 0.5;
                p.jpeg = Span::new(60.0, 88.0);
            }
            Kind::Mixed => p = p.mixed(),
            Kind::Violet => {
                p.materials = all_materials();
                p.cast = CastParams {
                    gain: 0.06,
                    cross_talk: 0.07,
                    violet: 1.0,
                    fringe: Span::new(0.0, 0.004),
                    ..CastParams::NONE
                };
                p.saturation = Span::new(0.8, 1.3);
                // White must stay below clipping, or it would hide the tint.
                p.exposure = Span::new(0.5, 0.95);
            }
            Kind::TwoLamps => {
                p.materials = all_materials();
                p.cast = CastParams { two_lamps: 1.0, cross_talk: 0.03, ..CastParams::NONE };
                p.balance = Span::new(0.8, 1.0);
            }
            Kind::Writing => {
                p.materials = all_materials();
                p.annotations = (3, 12);
            }
            Kind::Print => {
                p.materials = all_materials();
                p.flyers = (3, 7);
                p.distractors = (0, 3);
                p.fill = Span::new(0.5, 0.7);
            }
            Kind::Screen => {
                p.photographed = 0.25;
                p.glare = 0.5;
                p.glare_strength = Span::new(0.05, 0.5);
                p.tilt = Span::new(0.0, 0.5);
                p.roll = Span::new(-0.15, 0.15);
                p.noise = Span::new(0.004, 0.02);
                p.chroma_px = Span::new(0.4, 1.5);
                p.jpeg = Span::new(45.0, 95.0);
            }
        }
        p
    }

    pub(super) fn deck(&self, dice: &mut Dice) -> Arc<Deck> {
        let places: Vec<(usize, f64)> =
            self.decks.iter().enumerate().map(|(i, (_, weight))| (i, *weight)).collect();
        match &self.decks[dice.pick(&places)].0 {
            DeckChoice::Known(deck) => Arc::clone(deck),
            DeckChoice::Invented => Arc::new(Deck::invented(dice.bits())),
        }
    }

    fn mixed(self) -> Self {
        Self {
            cards: (1, 21),
            layouts: vec![
                (Layout::Grid, 4.0),
                (Layout::Scatter, 2.0),
                (Layout::Touching, 1.0),
                (Layout::Overlap, 1.5),
                (Layout::Heap, 1.5),
            ],
            materials: all_materials(),
            white_table: Span::new(0.85, 1.08),
            distractors: (0, 8),
            variety: 1.0,
            curl_mm: Span::new(-1.0, 2.0),
            fill: Span::new(0.55, 1.05),
            tilt: Span::new(0.0, 0.9),
            roll: Span::new(-TAU / 2.0, TAU / 2.0),
            focal: Span::new(0.75, 1.6),
            distortion: Span::new(-0.04, 0.04),
            kelvin: Span::new(2_300.0, 9_000.0),
            balance: Span::new(0.4, 1.0),
            exposure: Span::new(0.3, 1.25),
            falloff: Span::new(0.02, 0.8),
            vignette: Span::new(0.0, 0.35),
            card_shadow: Span::new(0.05, 0.75),
            cast_shadow: 0.3,
            cast_depth: Span::new(0.2, 0.75),
            glare: 0.3,
            glare_strength: Span::new(0.2, 2.0),
            defocus: Span::new(0.0, 0.01),
            motion: Span::new(0.0, 0.012),
            noise: Span::new(0.002, 0.03),
            mosaic: 0.3,
            sharpen: Span::new(0.0, 0.9),
            saturation: Span::new(0.6, 1.35),
            jpeg: Span::new(45.0, 95.0),
            ..self
        }
    }
}

/// The strength of casts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastParams {
    /// Standard deviation of the natural logarithm of each channel's gain.
    pub gain: f64,
    /// Standard deviation of the fraction that a channel takes from each of the others.
    pub cross_talk: f64,
    /// Probability of a violet picture, as from a missing infrared filter.
    pub violet: f64,
    /// Probability that the table lies between an orange lamp and a blue window.
    pub two_lamps: f64,
    /// Magnification of red relative to green, and reduction of blue, as a fraction of the distance
    /// from the picture's centre. 0.002 is two pixels at the corner of a large photo.
    pub fringe: Span,
}

impl CastParams {
    pub const NONE: Self =
        Self { gain: 0.0, cross_talk: 0.0, violet: 0.0, two_lamps: 0.0, fringe: Span::only(0.0) };
}

/// The materials of the mixed kinds.
pub(super) fn all_materials() -> Vec<(Material, f64)> {
    vec![
        (Material::Wood, 1.0),
        (Material::White, 1.0),
        (Material::Black, 1.0),
        (Material::Cloth, 1.0),
        (Material::Felt, 0.5),
        (Material::Mottled, 1.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_ranges_and_one_name() {
        for kind in Kind::ALL {
            let p = Params::for_kind(kind);
            assert_eq!(p.asked, kind);
            assert!(p.cards.0 <= p.cards.1 && p.cards.1 <= setsight_game::cards::DECK_SIZE);
            let same = Kind::ALL.into_iter().filter(|other| other.name() == kind.name());
            assert_eq!(same.count(), 1, "{kind:?}");
        }
    }
}

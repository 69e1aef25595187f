//! The stages from a photo to its sets, and the one place that composes them.
//!
//! [`read_photo`] reads a photo; a [`PhotoReader`] keeps the networks for many. Whoever decides more names
//! a finder, a reader, a deck and weights in a [`ReadingPlan`], which builds a [`Pipeline`]. Its stages, in
//! the order in which a photo passes them:
//!
//! | stage | takes | gives |
//! |---|---|---|
//! | `find` | a frame | [`CardOutline`]s: where cards may lie |
//! | `rectify` | a frame and outlines | [`CardImage`]s: straight, balanced on their own white |
//! | `facts` | the cards' images | [`TableFacts`]: screen, edition, mirror, colours |
//! | `classify` | images and facts | [`Reading`]s: probabilities of each card's values |
//! | `board` | outlines and readings | each card of the deck at most once |
//! | sets | the sure cards | a [`TableReading`] |
//!
//! A [`Trace`] observes them. [`output`] draws and writes a result; [`parts`] is what training and
//! measuring need of the stages' insides.

#![warn(unreachable_pub)]

pub mod batch;
mod board;
mod choice;
mod classify;
mod compose;
mod copies;
mod data;
mod find;
mod layout;
mod overlap;
mod overlay;
mod plan;
mod planes;
mod probability;
mod probable;
mod reading;
mod record;
mod rectify;
mod refiner;
mod stage_pictures;
mod table;
mod table_reading;
mod trace;
mod warning;

pub use choice::{FinderChoice, FinderError, ReaderChoice, Step};
pub use compose::{CardsRead, Pipeline, PipelineError, PipelineOutput};
pub use plan::{PlanError, ReadingPlan};
pub use reading::{PhotoReader, PhotoReading, ReadError, ReadErrorKind, ReadOptions, read_photo};
pub use table_reading::TableReading;
pub use trace::{StageTime, Trace};

// What a result is made of, and what passes between the stages.
pub use classify::alike::Class;
pub use copies::sets_of;
pub use data::{CardImage, CardOutline, Guess, ReadCard, Reading};
pub use image;
pub use probable::ProbableSet;
pub use table::{Colors, Mirrored, TableFacts};
pub use warning::Warning;

/// A result as a picture, as JSON, CSV and text.
pub mod output {
    pub use crate::overlay::Style;
    pub use crate::record::{CSV_HEADER, Record, line_of};
    pub use crate::stage_pictures::PictureFolder;

    /// Cards in the order in which people read them.
    pub mod layout {
        pub use crate::layout::rows;
    }
    /// What is drawn on a picture.
    pub mod overlay {
        pub use crate::overlay::{
            SET_COLORS, Style, draw, offset, outline, set_color, text_centred,
        };
    }
}

/// What training, measuring and the project's other crates need of the stages' insides.
pub mod parts {
    pub use crate::choice::{learned, shared_refiner};
    pub use crate::classify::reader::{Cards, FirstLook, Reader};

    /// The board: the cards of a table, weighed together.
    pub mod board {
        pub use crate::board::{Board, BoardCard, Calibration, Params, Repeats};
    }
    /// The classical reader.
    pub mod classical {
        pub use crate::classify::classical::ClassicalReader;
        pub use crate::classify::classical::features::Features;
        pub use crate::classify::classical::model::quadratic;
        pub use crate::classify::classical::template::Masks;
    }
    /// The evidence that an outline is a card.
    pub mod evidence {
        pub use crate::find::learned::evidence::{FEATURES, NAMES, Weights, log_odds};
    }
    /// The default reader's evidence of a card, before it is joined.
    pub mod fused {
        pub use crate::classify::drawing::Drawing;
        pub use crate::classify::fused::{
            ClassifierOutputs, Escalation, Others, ask, least_lead, said_of_card, said_of_property,
        };
    }
    /// The reader network.
    pub mod neural {
        pub use crate::classify::neural::{NeuralReader, input_of, reading_of};
    }
    /// The reader of a deck by its file.
    pub mod taught {
        pub use crate::classify::taught::{
            FILL_FEATURES, Face, HEIGHT, Mask, Measured, PATCH, PATCH_HEIGHT, PATCH_WIDTH, WIDTH,
            fill_point, lab,
        };

        /// What is measured of drawn cards.
        pub mod drawn {
            pub use crate::classify::taught::drawn::{measure, measure_blurred};
        }
    }
    /// Finders of cards.
    pub mod find {
        pub use crate::find::{CardFinder, FindError, Learned, classical};
    }
    /// The finder network's maps, and the cards in them.
    pub mod finder {
        pub use crate::find::learned::Params;
        pub use crate::find::learned::decode::{Candidate, cards};
        pub use crate::find::learned::network::{FinderNetwork, Input, Maps};
    }
    /// The weights of the fused reader.
    pub mod fusion {
        pub use crate::classify::fusion::{
            CLASSIFIERS, CardWeights, ClassifierWeights, DrawingWeights, EvidenceWeights, Fusion,
            PropertyWeights,
        };
    }
    /// Mirrored pictures.
    pub mod mirror {
        pub use crate::table::{in_a_mirror, turned_back};
    }
    /// Outlines that share a part.
    pub mod overlap {
        pub use crate::overlap::{is_same_place, shared_area};
    }
    /// The plane in which the cards lie.
    pub mod plane {
        pub use crate::find::plane::{Pose, SizeField, TablePlane};
    }
    /// Logits and probabilities.
    pub mod probability {
        pub use crate::probability::{logistic, sigmoid};
    }
    /// Straightened cards.
    pub mod rectify {
        pub use crate::rectify::{from_crop, rectify, rectify_drawn, straightened};
    }
    /// The refiner network's input and answer.
    pub mod refiner {
        pub use crate::refiner::{
            Answer, RefinerNetwork, classify, context_crop, input_of, outline_in_short_sides,
        };
    }
    /// Copies of screens.
    pub mod screens {
        pub use crate::table::screens::{
            FEATURES, NAMES, ScreenWeights, Weights, features, is_likely,
        };
    }
}

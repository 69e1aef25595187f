//! Training of the networks.
//!
//! [`train`] trains a [`Task`] and keeps the run on disk, so that it can be stopped and resumed.
//! [`parts`] has the task of each network, the fusion's fit and the training on one's own cards.
//!
//! | file | what it holds |
//! |---|---|
//! | `net` | a network as a plan: its first weights, its pass with gradients, its graph |
//! | `convolution` | convolutions and their gradients |
//! | `layers` | the numbers of a batch, with their shape; the other layers and the losses, with their gradients |
//! | `optimiser` | updates weights from gradients |
//! | `checkpoint` | the weights that a run starts from, and the run saved on disk, from which it can resume |
//! | `run` | the loop: batches, steps, validation, early stopping; how it reports progress |
//! | `classical` | the constants of the classical reader |
//! | `fuse` | the fusion of both classifiers' evidence, and the threshold for a claim |
//! | `reader` | the card classifier and its training data |
//! | `finder` | the card detector and its training data |
//! | `refiner` | the network that classifies context crops and corrects outlines |
//!
//! The networks are chains of few kinds of layers. Each layer brings its gradient, so no general
//! differentiation is needed. The weights, the optimiser and the checkpoints are plain arrays, so a run can be
//! stopped and resumed bit for bit.

#![warn(unreachable_pub)]
#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

mod adapt;
mod checkpoint;
mod classical;
mod convolution;
mod finder;
mod fuse;
mod layers;
mod net;
mod optimiser;
mod reader;
mod refiner;
mod run;

pub use checkpoint::{CheckpointError, First};
pub use layers::Tensor;
pub use net::{Plan, run_graph};
pub use optimiser::Schedule;
pub use run::{
    CHECKPOINT, CONFIG, Ended, Entry, Keeping, Settings, Task, TrainError, Trained, Validation,
    best_weights, train,
};

/// The trainable parts, one module each.
pub mod parts {
    /// The constants of the classical reader.
    pub mod classical {
        pub use crate::classical::fit;
    }
    /// The finder and its drawn tables.
    pub mod finder {
        pub use crate::finder::scenes::{draw, draw_covered};
        pub use crate::finder::{
            BATCH, Finder, Options, SCENES, SIZE_PX, VALIDATE_EVERY, VALIDATION_SCENES, plan,
            settings,
        };
    }
    /// The fusion of the classifiers' evidence.
    pub mod fuse {
        pub use crate::fuse::{
            AuxiliaryTables, Drawn, MOST_WRONG, MOST_WRONG_ON_SCREENS, Networks, Source, crops,
            drawn, fit_company, fit_is_screen, fit_joint, fit_likeness, fit_outlines, fit_places,
            prints, prints_on_photos, score_crops_as_usual,
        };
    }
    /// Training on a person's cards.
    pub mod adapt {
        pub use crate::adapt::photos::{
            LEAST_CARDS, LEAST_SCENES, PhotoError, TrainingPhoto, gather, scenes,
        };
        pub use crate::adapt::training::{
            FILES, Finder, Networks, Reader, file, finder_steps, folds, join, reader_in, tables,
            tables_fingerprint, write_models,
        };
    }
    pub mod reader {
        pub use crate::reader::augment::{Augment, augment, augment_on_screen};
        pub use crate::reader::sample::Group;
        pub use crate::reader::{BATCH, ReaderTask, fingerprint, large_plan, plan};

        /// Crops of drawn tables.
        pub mod drawn {
            pub use crate::reader::drawn::{Tables, VERSION, crops};
        }
        /// Groups of crops kept on disk.
        pub mod crop_cache {
            pub use crate::reader::drawn::{read, write};
        }
        pub mod labelled_crops {
            pub use crate::reader::labelled_crops::{Source, check_classes, sources};
        }
    }
    pub mod refiner {
        pub use crate::refiner::{
            LEAST_IN_VIEW, Refiner, SIZE_PX, STEPS, VALIDATE_EVERY, VALIDATION_TABLES,
            negatives::Found, plan, settings,
        };
    }
}

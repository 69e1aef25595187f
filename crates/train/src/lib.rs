//! Training of the networks.
//!
//! | file | what it holds |
//! |---|---|
//! | [`net`] | a network as a plan: its first weights, its pass with gradients, its graph |
//! | [`convolution`] | convolutions and their gradients |
//! | [`layers`] | the other layers and their gradients |
//! | [`loss`] | losses and their gradients |
//! | [`tensor`] | the numbers of a batch, with their shape |
//! | [`weights`] | named arrays of numbers |
//! | [`optimiser`] | updates weights from gradients |
//! | [`checkpoint`] | a run saved on disk, from which it can resume |
//! | [`run`] | the loop: batches, steps, validation, early stopping |
//! | [`first`] | the weights that a run starts from |
//! | [`curve`] | how a run reports progress: a display, a table, a picture |
//! | [`fuse`] | the fusion of both classifiers' evidence, and the threshold for a claim |
//! | [`reader`] | the card classifier and its training data |
//! | [`finder`] | the card detector and its training data |
//! | [`refiner`] | the network that classifies context crops and corrects outlines |
//!
//! The three networks are chains of few kinds of layers, so that each layer brings its gradient and no
//! general differentiation is needed. The weights, the optimiser and the checkpoints are plain arrays,
//! so that a run can be stopped and resumed bit for bit.

pub mod adapt;
pub mod checkpoint;
pub mod convolution;
pub mod curve;
pub mod finder;
pub mod first;
pub mod fuse;
pub mod layers;
pub mod loss;
pub mod net;
pub mod newton;
pub mod optimiser;
pub mod reader;
pub mod refiner;
pub mod run;
pub mod tensor;
pub mod weights;

pub use run::{Ended, Task, Validation};

//! Training of the networks.
//!
//! | file | what it holds |
//! |---|---|
//! | [`net`] | a network as a plan: its first weights, its pass in burn, its graph |
//! | [`convolution`] | convolutions and their gradients on the processor |
//! | [`weights`] | named arrays of numbers |
//! | [`optimiser`] | from gradients to better weights |
//! | [`checkpoint`] | a run on disk, to go on from |
//! | [`run`] | the loop: batches, steps, validation, early stopping |
//! | [`first`] | what a run begins with |
//! | [`curve`] | what the run tells of itself: a display, a table, a picture |
//! | [`fuse`] | how both readers' evidence is joined, and when it is enough |
//! | [`reader`] | the network that reads a card, and what it learns from |
//! | [`finder`] | the network that finds cards, and the tables it learns from |
//! | [`refiner`] | the network that judges their outlines |
//!
//! burn computes a network and its gradients; the weights, the optimiser and the checkpoints are
//! plain numbers of ours, so that a run can be stopped and taken up bit for bit and no file depends
//! on burn's formats.

pub mod checkpoint;
pub mod convolution;
pub mod curve;
pub mod finder;
pub mod first;
pub mod fuse;
pub mod net;
pub mod newton;
pub mod optimiser;
pub mod reader;
pub mod refiner;
pub mod run;
pub mod weights;

pub use run::{Ended, Task, Validation};

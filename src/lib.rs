//! setsight reads a table of SET cards from a photo, finds the sets and shows them.
//!
//! A photo goes through these stages, in this order; each can be called alone:
//!
//! | stage | in | out |
//! |---|---|---|
//! | [`pipeline::source`] | a file | [`pipeline::Frame`] |
//! | [`pipeline::segment`] or [`pipeline::find`] | [`pipeline::Frame`] | [`pipeline::CardOutline`]s |
//! | [`pipeline::rectify`] | an outline and its frame | [`pipeline::CardImage`] |
//! | [`pipeline::classify`] | card images | [`pipeline::Reading`]s |
//! | [`pipeline::board`] | readings | [`pipeline::board::Board`] |
//! | [`sets`] | the board's cards | [`sets::Set`]s |
//! | [`pipeline::overlay`] | all of it | a picture |
//!
//! [`cards`], [`sets`], [`general`] and [`game`] know nothing of pictures and build with
//! `--no-default-features`.

#[cfg(feature = "window")]
pub mod app;
pub mod cards;
pub mod cli;
pub mod game;
pub mod general;
pub mod json;
#[cfg(feature = "plots")]
pub mod plot;
mod printable;
pub mod sets;

#[cfg(feature = "vision")]
pub mod avi;
#[cfg(feature = "vision")]
pub mod dataset;
#[cfg(feature = "vision")]
pub mod eval;
#[cfg(feature = "export")]
pub mod export;
#[cfg(all(feature = "window", feature = "export"))]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "vision")]
pub mod geometry;
#[cfg(feature = "vision")]
pub mod html;
#[cfg(feature = "vision")]
pub mod live;
#[cfg(feature = "vision")]
pub mod model;
#[cfg(feature = "train")]
pub mod own;
#[cfg(feature = "vision")]
pub mod pipeline;
#[cfg(feature = "vision")]
pub mod render;
#[cfg(feature = "train")]
pub mod train;
pub mod whole_file;

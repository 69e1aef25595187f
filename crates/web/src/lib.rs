//! Reads tables in a browser: [`Reader`] photos, [`Follower`] live pictures.
//!
//! What is wrong is told by a word, for which the page has sentences in its languages. Here is no
//! decision about reading: [`setsight_vision`] and [`setsight_track`] read as they do everywhere.

mod bytes;
mod follower;
mod reader;

pub use follower::Follower;
pub use reader::Reader;

#[cfg(target_arch = "wasm32")]
mod binding;

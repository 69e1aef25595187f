//! The window: photos of tables, their sets, and what people do with them.
//!
//! All of it is plain state that is drawn anew for each frame ([`Window`]); what takes long is done
//! by threads in the background ([`library`]) and read by an [`eye::Eye`]. [`open()`] puts it into a
//! window of the system.

pub mod card_face;
#[cfg(target_os = "linux")]
mod clipboard;
mod correct;
mod correct_panel;
mod corrections;
pub mod deal;
mod dialogs;
mod export;
pub mod eye;
mod folder_export;
mod fonts;
pub mod game;
mod guide;
mod history;
pub mod keys;
mod labels;
mod learn;
pub mod library;
pub mod live;
pub mod look;
pub mod look_panel;
mod measure;
mod names;
mod new_deck;
pub mod overlay;
mod pages;
mod photos;
pub mod picture;
pub mod placement;
pub mod play;
mod reasons;
mod rules;
mod runner;
pub mod scores;
#[cfg(target_os = "linux")]
mod screen;
pub mod settings;
mod signs;
mod stages;
mod strip;
pub mod table;
pub mod theme;
#[cfg(test)]
mod two_programs;
mod used_deck;
mod verdict;
mod watched;
pub mod watchers;
mod welcome;
mod window;
pub mod words;

pub use live::LiveTab;
pub use photos::Task;
pub use runner::{LiveOptions, Options, Show, open};
pub use window::{Page, Tab, Window};

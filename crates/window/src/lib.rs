//! The window: photos of tables, their sets, and what people do with them.
//!
//! [`open()`] puts a [`Window`] into one of the system's. It is plain state that is drawn anew for
//! each frame; what takes long is done by threads in the background, and photos are read by an
//! [`Eye`], so that a test drives all of it without a screen and with a reader of its own.

#![warn(unreachable_pub)]
// A name of the program's own crates need not be said twice.
#![allow(missing_docs)]

mod deal;
mod deck;
mod live;
mod phones;
mod photos;
mod runner;
mod shared;
mod tabs;
mod window;

pub use deal::DealTab;
pub use deal::game::{deals_of, is_file_of_deals};
pub use deal::play::Phase;
pub use live::LiveTab;
pub use photos::{Photos, Task};
pub use runner::{LiveOptions, Options, Show, open};
pub use shared::look::Mode;
pub use shared::settings;
pub use shared::tab::{Eye, PipelineEye};
pub use shared::words::Language;
pub use window::{Page, Window};

/// The tabs in the order of the bar. The first is seen first.
const TABS: &[shared::tab::TabSpec] = &[photos::TAB, deal::TAB, live::TAB, deck::TAB];

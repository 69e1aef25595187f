//! Tracks cards over time: each keeps its identity from frame to frame, and its readings add up.
//!
//! Most frames change little, so most frames are only *followed*: a few patches give the table's
//! motion ([`motion`]), every card moves with it, and a thumbnail of each card ([`grey`]) shows
//! whether its picture has changed. Finder and reader run on one frame in several, and the reader
//! only on cards that need it. Such a *detection* takes longer than a frame. [`Tracker::ask`]
//! requests it at one frame, [`detect()`] may run it on another thread, and [`Tracker::apply_detections`]
//! applies its results at a later frame, moved by the table's motion in between.
//!
//! | event | how it is recognised, and the result |
//! |---|---|
//! | nothing | the thumbnails agree: the card is not read again |
//! | the camera moves | one homography moves all cards |
//! | a hand covers a card | its thumbnail changes, its place is unlike the table: it is kept |
//! | a card is taken | the place resembles the table and is still: the card is removed |
//! | a card is replaced | its thumbnail differs for a while, and it is read as another card |
//! | a card is pushed elsewhere | it vanishes and the same card appears: it keeps its identity |
//! | pictures come too slowly to be followed | each is detected, the cards' readings say where they lie |
//! | the focus hunts | the patches lose texture: readings get little weight |
//!
//! Only the frames' own times count, never the clock: the same frames give the same cards.

#![warn(unreachable_pub)]

mod card;
pub mod counter;
mod detect;
mod evidence;
mod grey;
mod motion;
mod table_tracker;
mod tracker;

pub use card::Track;
pub use detect::{Detection, Detections, Detector, Request, TrackedCard, detect};
pub use grey::Grey;
pub use table_tracker::{Params, TableTracker, line_of};
pub use tracker::{CardTrack, TrackedTable, Tracker};

//! A camera or a film, read live: a [`Session`] follows the frames of an [`Input`] and tells a
//! [`Sink`] one [`LiveView`] after the other.
//!
//! The modules in the order in which a frame passes them:
//!
//! | module | takes | gives |
//! |---|---|---|
//! | `input` | what the user names: a camera, an address, a film | [`Cameras`] that open it |
//! | [`camera`] | an open source | a [`Shot`](camera::Shot): a frame and its time |
//! | [`system`], [`control`] | a camera of this machine; its size, exposure and focus | shots |
//! | [`network`] | a phone or another network camera, by its address | shots |
//! | [`feed`] | pictures that another part of the program hands in | shots |
//! | [`video`] | a file, a pipe, a folder of pictures | shots with the film's own times |
//! | [`avi`], [`jpeg`], `ffmpeg`, `pictures` | the bytes of a film or a stream | pictures |
//! | [`capture`], [`latest`] | a camera, which is opened again when it fails | its newest shot |
//! | `frames` | a source, on a thread of its own | the newest shot, or every one |
//! | `follow` | a shot | a view, by way of the next three |
//! | [`record`] | a shot and its view | a film with its lines of JSON beside it |
//! | [`watch`] | a frame | the tracked table, with detections on a thread of their own |
//! | [`counter`](setsight_track::counter) | a table | the score of the game |
//! | [`session`], [`view`] | a source, commands, a stop | views for a sink |
//! | [`freeze`] | a view | its line of JSON; its frame on disk |
//! | [`straight`] | a view | the table as seen from straight above |
//!
//! The threads are connected by slots for the newest item ([`latest::Latest`]) or by channels of
//! small capacity, so that no queue grows when one thread is slower than another.

pub mod avi;
pub mod camera;
pub mod capture;
pub mod control;
pub mod feed;
mod ffmpeg;
mod follow;
mod frames;
pub mod freeze;
mod input;
pub mod jpeg;
pub mod latest;
pub mod network;
mod pictures;
pub mod record;
pub mod session;
pub mod straight;
pub mod system;
pub mod video;
pub mod view;
pub mod watch;

pub use camera::{CameraChoice, CameraError, Cameras};
pub use feed::Feed;
pub use ffmpeg::end_all as end_children;
pub use input::{FramePace, Input};
pub use session::{News, Onlooker, Session, Sink};
pub use view::{LiveCommand, LiveSource, LiveView, Notice, Recording, RecordingState};
pub use watch::Watch;

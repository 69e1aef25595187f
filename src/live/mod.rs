//! A camera or a film, read as it runs.
//!
//! | file | what it does |
//! |---|---|
//! | [`camera`] | what gives frames: a trait, cameras, and what can be wrong with them |
//! | [`video`] | frames of a file, each with its own time |
//! | [`capture`] | a camera on a thread of its own: the newest frame only, and connecting again |
//! | [`watch`] | frames to tables: the tracker, and looks on a thread of their own |
//! | [`session`] | capture and watch together, for whoever shows them |
//! | [`counter`] | what happened in the game so far |
//! | [`view`] | a snapshot of all of it |
//! | [`freeze`] | a frame and its line of JSON on disk |
//!
//! Between threads stands a slot for the newest item ([`latest::Latest`]) or a channel with few
//! places: nothing grows when one of them is slower than another.

pub mod camera;
pub mod capture;
pub mod counter;
pub mod freeze;
pub mod latest;
pub mod session;
pub mod video;
pub mod view;
pub mod watch;

pub use camera::{Camera, CameraChoice, CameraError, CameraInfo, Cameras, Shot, SystemCameras};
pub use counter::{Counter, Score};
pub use session::Session;
pub use view::{LiveCommand, LiveSource, LiveView, Notice};
pub use watch::{Pace, Watch, Watched};

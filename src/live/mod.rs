//! A camera or a film, read as it runs.
//!
//! | file | what it does |
//! |---|---|
//! | [`camera`] | what gives frames: a trait, how a camera is chosen, and what can be wrong with it |
//! | [`control`] | what can be set at a camera: size, exposure, focus |
//! | [`system`] | the cameras of this machine |
//! | [`network`] | a phone, or another camera of the network, by its address |
//! | [`video`] | frames of a film, each with its own time: a file, a pipe, a folder |
//! | [`jpeg`], [`pictures`], [`ffmpeg`] | what films and streams are made of |
//! | [`input`] | which of them a user means |
//! | [`capture`] | a camera on a thread of its own: the newest frame only, and connecting again |
//! | [`watch`] | frames to tables: the tracker, and looks on a thread of their own |
//! | [`session`] | capture and watch together, for whoever shows them |
//! | [`counter`] | what happened in the game so far |
//! | [`straight`] | the table as seen from straight above |
//! | [`view`] | a snapshot of all of it |
//! | [`freeze`] | a frame and its line of JSON on disk |
//! | [`record`] | a game as a film, with its lines |
//!
//! Between threads stands a slot for the newest item ([`latest::Latest`]) or a channel with few
//! places: nothing grows when one of them is slower than another.

pub mod camera;
pub mod capture;
pub mod control;
pub mod counter;
pub mod ffmpeg;
pub mod freeze;
pub mod input;
pub mod jpeg;
pub mod latest;
pub mod network;
pub mod pictures;
pub mod record;
pub mod session;
pub mod straight;
pub mod system;
pub mod video;
pub mod view;
pub mod watch;

pub use camera::{Camera, CameraChoice, CameraError, CameraInfo, Cameras, Shot};
pub use control::{CameraOffer, CameraWish};
pub use counter::{Counter, Score};
pub use input::Input;
pub use network::{Address, NetworkCamera};
pub use session::Session;
pub use system::SystemCameras;
pub use video::FilmPlace;
pub use view::{LiveCommand, LiveSource, LiveView, Notice, Recording, RecordingState};
pub use watch::{Pace, Watch, Watched};

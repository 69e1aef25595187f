//! A camera or a film, read live.
//!
//! | file | what it does |
//! |---|---|
//! | [`camera`] | the trait for sources of frames, the choice of a camera, and its errors |
//! | [`control`] | the settings of a camera: size, exposure, focus |
//! | [`system`] | the cameras of this machine |
//! | [`network`] | a phone or another network camera, by its address |
//! | [`video`] | the frames of a film, each with its own time: a file, a pipe, a folder |
//! | [`jpeg`], [`pictures`], [`ffmpeg`] | the parts of films and streams |
//! | [`input`] | the source that the user specifies |
//! | [`capture`] | a camera on its own thread: keeps only the newest frame, and reconnects |
//! | [`watch`] | from frames to tables: the tracker, with detections on their own thread |
//! | [`session`] | capture and watch together, for a user interface |
//! | [`counter`] | counts what has happened in the game |
//! | [`straight`] | the table as seen from straight above |
//! | [`view`] | a snapshot of all of it |
//! | [`freeze`] | writes a frame and its line of JSON to disk |
//! | [`record`] | records a game as a film, with its lines |
//!
//! The threads are connected by slots for the newest item ([`latest::Latest`]) or by channels of
//! small capacity, so that no queue grows when one thread is slower than another.

pub mod avi;
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

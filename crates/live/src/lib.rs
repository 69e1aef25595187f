//! A camera or a film, read live: a [`Session`] follows the frames of an [`Input`] and tells a
//! [`Sink`] one [`LiveView`] after the other.
//!
//! The modules in the order in which a frame passes them:
//!
//! | module | takes | gives |
//! |---|---|---|
//! | `input` | what the user names: a camera, an address, a film | [`Cameras`] that open it |
//! | `camera` | an open source | a [`Shot`](cameras::Shot): a frame and its time |
//! | `system` | a camera of this machine; its size, exposure and focus | shots |
//! | `network` | a phone or another network camera, by its address | shots |
//! | `feed` | pictures that another part of the program hands in | shots |
//! | `video` | a file, a pipe, a folder of pictures | shots with the film's own times |
//! | `avi`, `jpeg`, `ffmpeg`, `pictures` | the bytes of a film or a stream | pictures |
//! | `capture` | a camera, which is opened again when it fails | its newest shot |
//! | `input` | a source, on a thread of its own | the newest shot, or every one |
//! | `follow` | a shot | a view, by way of the next three |
//! | `record` | a shot and its view | a film with its lines of JSON beside it |
//! | `follow` | a frame | the tracked table, with detections on a thread of their own |
//! | [`counter`](setsight_track::counter) | a table | the score of the game |
//! | `session` | a source, commands, a stop | views for a sink |
//! | `record` | a view | its line of JSON; its frame on disk |
//! | `top_view` | a view | the table as seen from straight above |
//!
//! The threads are connected by slots for the newest item ([`Latest`](parts::Latest)) or by channels of
//! small capacity, so that no queue grows when one thread is slower than another.

#![warn(unreachable_pub)]
#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

mod avi;
mod camera;
mod capture;
mod feed;
mod ffmpeg;
mod follow;
mod input;
mod jpeg;
mod network;
mod pictures;
mod record;
mod session;
mod system;
mod top_view;
mod video;

pub use camera::{CameraChoice, CameraError, Cameras};
pub use feed::Feed;
pub use ffmpeg::end_all as end_children;
pub use follow::Watch;
pub use input::{FramePace, Input};
pub use session::{LiveCommand, LiveSource, LiveView, Notice, Recording, RecordingState};
pub use session::{Observer, Session, SessionEvent, Sink};

/// Cameras of this machine and of the network, and what can be set on them.
pub mod cameras {
    pub use crate::camera::{Camera, CameraInfo, CameraOffer, CameraWish, Shot, Span, choose};
    pub use crate::network::{Address, NetworkCamera};
    pub use crate::system::SystemCameras;
}

/// Films: their pictures, their times, and new ones.
pub mod films {
    pub use crate::avi::{AviReader, AviWriter, stamp_of};
    pub use crate::follow::{FILM_PACE, Pace};
    pub use crate::video::{
        FilmCamera, FilmControl, FilmPlace, Rate, Video, VideoError, rate_of_pictures,
    };

    /// Whether a film can be recorded to a path, and where its lines of JSON lie.
    pub mod record {
        pub use crate::record::{check, lines_of};
    }
}

/// What is made of a view.
pub mod views {
    pub use setsight_track::counter::{Counter, Score};

    /// A view as a line of JSON; its frame on disk.
    pub mod snapshot {
        pub use crate::record::{line, save};
    }
    /// The table as seen from straight above.
    pub mod top_view {
        pub use crate::top_view::{top_view_from_image, top_view_of};
    }
}

/// What the page for phones and the tests need of the insides.
pub mod parts {
    pub use crate::capture::{Latest, Taken};
    pub use crate::session::RunningSession;

    /// A camera that is opened again when it fails.
    pub mod capture {
        pub use crate::capture::{Captured, Job, Patience, run};
    }
    /// Pictures in a stream of bytes.
    pub mod jpeg {
        pub use crate::jpeg::{Jpegs, Piece, decode};
    }
}

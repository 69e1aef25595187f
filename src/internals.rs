//! What the project's own program, tests, benches and tools use beyond the front page. None of it is
//! promised to stay; what is not named here is invisible outside of its crate, so that the compiler
//! tells when nothing uses it any more.

#![allow(missing_docs)]

pub use crate::cli::main;

#[cfg(feature = "program")]
pub mod app {
    pub use crate::app::{LiveTab, Page, Tab, Task, Window};
    pub mod eye {
        pub use crate::app::eye::{Eye, PipelineEye};
    }
    pub mod keys {
        pub use crate::app::keys::BINDINGS;
    }
    pub mod look {
        pub use crate::app::look::Mode;
    }
    pub mod play {
        pub use crate::app::play::Phase;
    }
    pub mod settings {
        pub use crate::app::settings::{Brightness, Keeper, Palette};
    }
    pub mod words {
        pub use crate::app::words::Language;
    }
}

#[cfg(feature = "vision")]
pub mod avi {
    pub use crate::avi::{AviReader, AviWriter, stamp_of};
}

#[cfg(feature = "vision")]
pub mod dataset {
    pub use crate::dataset::{
        CROP_LABELS, CardLabel, CropLabel, LabelFile, MATCH_RADIUS, PhotoLabel, SaidBy,
        check_photo_files, read_crop_labels,
    };
    pub mod convert {
        pub use crate::dataset::convert::find;
    }
}

#[cfg(feature = "vision")]
pub mod eval {
    pub use crate::eval::find_photos;
}

#[cfg(feature = "program")]
pub mod export {
    pub mod h7 {
        pub mod board {
            pub use crate::export::h7::board::{Rgb565, frame_photo};
        }
        pub mod crops {
            pub use crate::export::h7::crops::{Crop, drawn, drawn_table, photographed};
        }
        pub mod read_tflite {
            pub use crate::export::h7::read_tflite::read;
        }
        pub mod reference {
            pub use crate::export::h7::reference::run;
        }
    }
    pub mod onnx {
        pub use crate::export::onnx::{decode, encode};
    }
}

/// One function for each parser of foreign data.
#[cfg(feature = "program")]
pub mod fuzzing {
    pub use crate::fuzzing::{
        TARGETS, avi, codes, crop_labels, deals, fusion, mjpeg, onnx, photo, photo_labels,
        settings, tflite,
    };
}

pub mod game {
    pub use crate::game::variant::{Spot, Variant};
}

#[cfg(feature = "vision")]
pub mod geometry {
    pub use crate::geometry::{Point, Quad};
}

#[cfg(feature = "vision")]
pub mod live {
    pub use crate::live::{
        Address, Camera, CameraChoice, CameraError, CameraInfo, CameraOffer, CameraWish, Cameras,
        Counter, FilmPlace, Input, LiveCommand, LiveSource, LiveView, NetworkCamera, Notice, Pace,
        Recording, RecordingState, Score, Session, Shot, SystemCameras, Watch,
    };
    pub mod camera {
        pub use crate::live::camera::{CameraChoice, CameraError, Cameras};
    }
    pub mod capture {
        pub use crate::live::capture::{Captured, Job, Patience, run};
    }
    pub mod control {
        pub use crate::live::control::Span;
    }
    pub mod latest {
        pub use crate::live::latest::{Latest, Taken};
    }
    pub mod video {
        pub use crate::live::video::{FilmCamera, Video, VideoError};
    }
    pub mod watch {
        pub use crate::live::watch::FILM_PACE;
    }
}

#[cfg(feature = "vision")]
pub mod model {
    pub use crate::model::{Kind, Metadata, finder, reader, refiner};
    pub mod graph {
        pub use crate::model::graph::{Conv, Graph, Node, Op};
    }
}

#[cfg(feature = "vision")]
pub mod pipeline {
    pub use crate::pipeline::{
        CardImage, CardOutline, FinderChoice, Frame, Mirrored, Pipeline, PipelineOutput, ReadCard,
        ReaderChoice, Reading, StageClock, StageSink, StageTime, TableFacts, TableReading, learned,
        sets_of, shared_refiner,
    };
    pub mod board {
        pub use crate::pipeline::board::{Board, Params};
    }
    pub mod classify {
        pub mod classical {
            pub use crate::pipeline::classify::classical::ClassicalReader;
            pub mod features {
                pub use crate::pipeline::classify::classical::features::Features;
            }
            pub mod model {
                pub use crate::pipeline::classify::classical::model::{quadratic, quadratic_terms};
            }
            pub mod template {
                pub use crate::pipeline::classify::classical::template::Masks;
            }
        }
        pub mod fusion {
            pub use crate::pipeline::classify::fusion::Fusion;
        }
        pub mod neural {
            pub use crate::pipeline::classify::neural::{NeuralReader, input_of};
        }
    }
    pub mod engine {
        pub use crate::pipeline::engine::{
            CHOICE_VARIABLE, FUSION, LIBRARY_VARIABLE, MANIFEST, Manifest, Models, Network,
            NetworkError, file_of, in_use, library_name, sha256,
        };
    }
    pub mod find {
        pub use crate::pipeline::find::Learned;
        pub mod evidence {
            pub use crate::pipeline::find::evidence::{FEATURES, NAMES, Weights, log_odds};
        }
        pub mod network {
            pub use crate::pipeline::find::network::{FinderNetwork, Input, Maps};
        }
    }
    pub mod finder {
        pub use crate::pipeline::finder::CardFinder;
    }
    pub mod overlap {
        pub use crate::pipeline::overlap::is_same_place;
    }
    pub mod overlay {
        pub use crate::pipeline::overlay::{SET_COLORS, Style, draw};
    }
    pub mod rectify {
        pub use crate::pipeline::rectify::{from_crop, rectify};
    }
    pub mod refiner {
        pub use crate::pipeline::refiner::{RefinerNetwork, classify};
    }
    pub mod segment {
        pub use crate::pipeline::segment::SymbolFinder;
    }
    pub mod source {
        pub use crate::pipeline::source::{
            Photo, SourceError, decode, list_photos, load, load_photo,
        };
    }
    pub mod track {
        pub use crate::pipeline::track::{CardTrack, Eyes, Params, TrackedTable};
    }
}

#[cfg(feature = "vision")]
pub mod plan {
    pub use crate::plan::ReadingPlan;
}

#[cfg(feature = "vision")]
pub mod render {
    pub use crate::render::{DrawnCard, Kind, Params, Scene, render};
    pub mod card {
        pub use crate::render::card::{Print, picture};
    }
    pub mod dice {
        pub use crate::render::dice::{Dice, Purpose};
    }
    pub mod film {
        pub use crate::render::film::{Film, FilmCard, FilmFrame, FilmParams, FrameLabel};
        pub mod photo {
            pub use crate::render::film::photo::{PhotoFilm, PhotoFilmParams};
        }
    }
    pub mod scenes {
        pub use crate::render::scenes::finder;
    }
    pub mod suite {
        pub use crate::render::suite::{Part, Suite};
    }
}

#[cfg(feature = "program")]
pub mod train {
    pub use crate::train::Task;
    pub mod convolution {
        pub use crate::train::convolution::convolve;
    }
    pub mod finder {
        pub use crate::train::finder::{BATCH, Finder, Options, SIZE_PX, plan};
        pub mod scenes {
            pub use crate::train::finder::scenes::draw;
        }
    }
    pub mod first {
        pub use crate::train::first::First;
    }
    pub mod net {
        pub use crate::train::net::{Live, Output, Plan, run_graph};
    }
    pub mod newton {
        pub use crate::train::newton::{Choice, fit};
    }
    pub mod reader {
        pub use crate::train::reader::plan;
    }
    pub mod refiner {
        pub use crate::train::refiner::{LEAST_IN_VIEW, Refiner, plan};
    }
}

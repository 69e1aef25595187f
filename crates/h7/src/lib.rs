//! Export of the reader to the OpenMV Cam H7: its weights quantised to 8-bit integers in a TFLite
//! file, in a folder with everything that the board needs.
//!
//! | part | what it does |
//! |---|---|
//! | `board` | the board's path from a frame to the network's input; what it makes of one frame |
//! | `crops` | cards as the board sees them, drawn or from photographs; inputs and outputs for its self-test |
//! | `float` | the floating-point network with every layer's result; agreement of the quantised network, and accuracy |
//! | `quantise` | calibration and quantisation |
//! | `net` | the quantised network: sizes, operators, multiply-accumulates |
//! | `reference` | inference of the network, bit for bit |
//! | `tflite` | names of the file's parts; writing it |
//! | `folder` | the folder, written completely or not at all, its verification, and what fits the board's flash |
//!
//! The facts about the board come from its firmware's sources (4.5 to 5.0); nothing was measured on
//! a board.

#![warn(unreachable_pub)]
#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

mod board;
mod crops;
mod float;
mod folder;
mod net;
mod quantise;
mod reference;
mod report;
#[cfg(test)]
mod sample;
mod tflite;

pub use board::{BoardReading, read_cards};
pub use crops::Crop;
pub use folder::{Checked, check};
pub use net::Net;

/// An export step by step, as the command line and `tools/h7/verify` need it.
pub mod parts {
    /// The board's frame, and the cards in it.
    pub mod board {
        pub use crate::board::{Framed, Rgb565, card, frame_photo};
    }
    /// Cards as the board sees them.
    pub mod crops {
        pub use crate::crops::{drawn, drawn_table, photographed};
    }
    /// The board's internal flash.
    pub mod flash {
        pub use crate::folder::{LIMIT_SECTORS, SECTOR_BYTES, sectors_of};
    }
    /// The folder: made, then written completely or not at all.
    pub mod folder {
        pub use crate::folder::{
            BOARD, DESK, MODEL, Options, REPORT, check_place, make, on_the_board, write,
        };
    }
    /// The network's inference, bit for bit.
    pub mod reference {
        pub use crate::reference::run;
    }
    pub mod report {
        pub use crate::report::summary;
    }
}

use float::Planes;

/// Maximum size of the TFLite file, which lies in the heap next to the arena.
const FILE_LIMIT_BYTES: usize = 64 * 1024;
/// Maximum size of the arena, which must fit one block of the board's heap.
const ARENA_LIMIT_BYTES: usize = 160 * 1024;
/// Maximum size of one layer's input and output together.
const PEAK_LIMIT_BYTES: usize = 150 * 1024;

/// The quantised input: a picture's values times 255, XOR 0x80, height x width x channels.
fn bytes_of(picture: &Planes) -> Vec<i8> {
    let plane = picture.rows * picture.columns;
    (0..plane * picture.channels)
        .map(|i| {
            let value = picture.values[i % picture.channels * plane + i / picture.channels];
            let byte = (value * 255.0).round().clamp(0.0, 255.0) as u8;
            i8::from_le_bytes([byte ^ 0x80])
        })
        .collect()
}

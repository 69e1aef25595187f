//! Export of the reader to the OpenMV Cam H7: its weights quantised to 8-bit integers in a TFLite
//! file, in a folder with everything that the board needs.
//!
//! | part | what it does |
//! |---|---|
//! | [`board`] | the board's path from a frame to the network's input |
//! | [`crops`] | cards as the board sees them, drawn or from photographs |
//! | [`float`] | the floating-point network with every layer's result |
//! | [`quantise`] | calibration and quantisation |
//! | [`net`] | the quantised network: sizes, operators, multiply-accumulates |
//! | [`reference`](mod@reference) | inference of the file, bit for bit |
//! | `schema`, [`tflite`], [`read_tflite`] | names of the file's parts; writing and reading it |
//! | [`measure`] | agreement of the quantised network, and accuracy |
//! | [`preview`] | what the board makes of one frame |
//! | [`golden`] | inputs and outputs for the board's self-test |
//! | [`flash`] | what fits the board's internal flash |
//! | [`folder`], [`check`] | the folder, written completely or not at all, and its verification |
//!
//! The facts about the board come from its firmware's sources (4.5 to 5.0); nothing was measured on
//! a board.

pub mod board;
pub mod check;
pub mod crops;
pub mod flash;
pub mod float;
pub mod folder;
pub mod golden;
pub mod measure;
pub mod net;
pub mod preview;
pub mod quantise;
pub mod read_tflite;
pub mod reference;
pub mod report;
#[cfg(test)]
mod sample;
mod schema;
pub mod tflite;

use float::Planes;

/// Maximum size of the TFLite file, which lies in the heap next to the arena.
pub const FILE_LIMIT_BYTES: usize = 64 * 1024;
/// Maximum size of the arena, which must fit one block of the board's heap.
pub const ARENA_LIMIT_BYTES: usize = 160 * 1024;
/// Maximum size of one layer's input and output together.
pub const PEAK_LIMIT_BYTES: usize = 150 * 1024;

/// The quantised input: a picture's values times 255, XOR 0x80, height x width x channels.
pub fn bytes_of(picture: &Planes) -> Vec<i8> {
    let plane = picture.rows * picture.columns;
    (0..plane * picture.channels)
        .map(|i| {
            let value = picture.values[i % picture.channels * plane + i / picture.channels];
            let byte = (value * 255.0).round().clamp(0.0, 255.0) as u8;
            i8::from_le_bytes([byte ^ 0x80])
        })
        .collect()
}

//! The reader for the OpenMV Cam H7: the same weights as 8-bit integers in a TFLite file, and a
//! folder with all that the board needs.
//!
//! | part | what it does |
//! |---|---|
//! | [`board`] | the board's way from a frame to the network's input |
//! | [`crops`] | cards as the board sees them, drawn or from photographs |
//! | [`float`] | the network in floating point, with every layer's result |
//! | [`quantise`] | ranges and integers |
//! | [`net`] | the network in integers: sizes, operators, multiply-accumulates |
//! | [`reference`](mod@reference) | what the file computes, bit for bit |
//! | `schema`, [`tflite`], [`read_tflite`] | the names in the file; the file, written and read |
//! | [`measure`] | integers against floats, and both against the truth |
//! | [`golden`] | inputs and outputs for the board's self-test |
//! | [`folder`], [`check`] | the folder, written whole or not at all, and verified |
//!
//! What is known of the board was read in its firmware's sources (4.5 to 5.0); nothing was
//! measured on one.

pub mod board;
pub mod check;
pub mod crops;
pub mod float;
pub mod folder;
pub mod golden;
pub mod measure;
pub mod net;
pub mod quantise;
pub mod read_tflite;
pub mod reference;
pub mod report;
#[cfg(test)]
mod sample;
mod schema;
pub mod tflite;

use float::Planes;

/// Largest TFLite file: it lies in the heap beside the arena.
pub const FILE_LIMIT_BYTES: usize = 64 * 1024;
/// Largest arena: it must fit one block of the board's heap.
pub const ARENA_LIMIT_BYTES: usize = 160 * 1024;
/// Largest input and output of one layer together.
pub const PEAK_LIMIT_BYTES: usize = 150 * 1024;

/// A picture's values times 255, XOR 0x80, height x width x channels: the input in integers.
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

//! The page on which a phone is the camera: a [`Server`] hands it out on the local network, reads
//! the photos that phones send, and follows their live pictures.
//!
//! The modules in the order in which a request passes them:
//!
//! | module | takes | gives |
//! |---|---|---|
//! | `address` | this machine's addresses, or those that the user names | listeners on one port |
//! | `socket` | the data folder | the certificate that is kept there, for HTTPS |
//! | `server` | a connection | a thread that answers one request, within limits |
//! | `socket` | a connection | bytes, each within its time |
//! | `request` | bytes | a head whose host, origin and key are checked, or a 404 |
//! | `sessions` | a phone | one of four sessions, with the game that it left |
//! | `pictures` | a photo | its line of JSON, as `scan` prints it |
//! | `pictures` | JPEGs by WebSocket | a line of JSON for each, as `live` prints it |
//! | `request` | a body | bytes, with the headers that every answer has |
//!
//! Every connection has a thread of its own: there are few, and the limits of each are then plain
//! to see. Nothing is written but the certificate; who wants photos kept does so when a
//! [`ServerEvent`] of them comes.

#![warn(unreachable_pub)]
#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

mod address;
mod pictures;
mod request;
mod server;
mod sessions;
mod socket;

pub use address::{Listen, ListenError};
pub use pictures::Reads;
pub use server::{Options, Server, ServerEvent, StartError};

/// The code of an address, to be scanned from a screen (ISO/IEC 18004).
pub struct Code(qrcode::QrCode);

impl Code {
    /// Modules that must be light around a code.
    pub const MARGIN: usize = 4;

    /// The code; `None` for more bytes than one holds.
    pub fn new(address: &str) -> Option<Self> {
        qrcode::QrCode::with_error_correction_level(address, qrcode::EcLevel::L).ok().map(Self)
    }

    /// For a terminal, two modules in a character: black on white where it shows `colors`, else with the
    /// light ones filled, as most terminals are dark.
    pub fn text(&self, colors: bool) -> String {
        /// Half of what the standard asks for, so that a code and its address fit 24 lines; cameras
        /// need no more.
        const MARGIN: usize = 2;
        let side = self.width();
        let dark: Vec<bool> = self.modules().collect();
        // Outside of the code all is light.
        let filled = |x: usize, y: usize| {
            let place = x.checked_sub(MARGIN).zip(y.checked_sub(MARGIN));
            place.is_some_and(|(x, y)| x < side && y < side && dark[y * side + x]) == colors
        };
        let across = side + 2 * MARGIN;
        let rows = (0..across).step_by(2).map(|y| -> String {
            (0..across).map(|x| half_blocks(filled(x, y), filled(x, y + 1))).collect()
        });
        // Of the 256 colours: black on white, which no theme changes.
        let rows = rows
            .map(|row| if colors { format!("\x1b[38;5;16;48;5;231m{row}\x1b[0m") } else { row });
        rows.collect::<Vec<_>>().join("\n")
    }

    /// Modules on each side, without the margin.
    pub fn width(&self) -> usize {
        self.0.width()
    }

    /// Whether each module is dark, row by row.
    pub fn modules(&self) -> impl Iterator<Item = bool> {
        self.0.to_colors().into_iter().map(|color| color == qrcode::Color::Dark)
    }
}

/// Two modules in a character, by whether the upper and the lower one are filled.
const fn half_blocks(upper: bool, lower: bool) -> char {
    match (upper, lower) {
        (true, true) => '█',
        (true, false) => '▀',
        (false, true) => '▄',
        (false, false) => ' ',
    }
}

//! The page on which a phone is the camera: a [`Server`] hands it out on the local network, reads
//! the photos that phones send, and follows their live pictures.
//!
//! The modules in the order in which a request passes them:
//!
//! | module | takes | gives |
//! |---|---|---|
//! | `address` | this machine's addresses, or those that the user names | listeners on one port |
//! | `certificate` | the data folder | the certificate that is kept there, for HTTPS |
//! | `server` | a connection | a thread that answers one request, within limits |
//! | `socket` | a connection | bytes, each within its time |
//! | `request` | bytes | a head whose host, origin and `key` are checked, or a 404 |
//! | `seats` | a phone | one of four places, with the game that it left |
//! | `photo` | a photo | its line of JSON, as `scan` prints it |
//! | `live` | JPEGs by WebSocket | a line of JSON for each, as `live` prints it |
//! | `answer` | a body | bytes, with the headers that every answer has |
//!
//! Every connection has a thread of its own: there are few, and the limits of each are then plain
//! to see. Nothing is written but the certificate; who wants photos kept does so when [`News`] of
//! them comes.

#![warn(unreachable_pub)]

mod address;
mod answer;
mod certificate;
mod key;
mod live;
mod photo;
mod request;
mod seats;
mod server;
mod socket;

pub use address::{Listen, ListenError};
pub use photo::Reads;
pub use server::{News, Options, Server, StartError};

/// The code of an address, to be scanned from a screen (ISO/IEC 18004).
pub struct Code(qrcode::QrCode);

impl Code {
    /// Modules that must be light around a code.
    pub const MARGIN: usize = 4;

    /// The code; `None` for more bytes than one holds.
    pub fn of(address: &str) -> Option<Self> {
        qrcode::QrCode::with_error_correction_level(address, qrcode::EcLevel::L).ok().map(Self)
    }

    /// For a terminal: two modules in a character, light ones filled, as most terminals are dark.
    pub fn text(&self) -> String {
        use qrcode::render::unicode::Dense1x2;
        let (dark, light) = (Dense1x2::Light, Dense1x2::Dark);
        self.0.render::<Dense1x2>().dark_color(dark).light_color(light).build()
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

//! What film is drawn.

use crate::params::Params;

/// Parameters of a film.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmParams {
    /// Table, deck, light and lens. Its cards and layout are ignored, because a game is played on a
    /// grid; so are its casts, annotations, flyers and mirroring.
    pub scene: Params,
    /// Length in seconds, more than 0.
    pub seconds: f64,
    /// Frames per second, 1 to 120.
    pub fps: f64,
    /// Whether a handheld phone films: camera shake, a rolling shutter with motion blur, and a
    /// hunting exposure.
    pub phone: bool,
}

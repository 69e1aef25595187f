//! The settings of a camera: picture size, exposure and focus.

use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The settings that the user wants. `None` leaves the choice to the camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CameraWish {
    /// Width and height of the pictures, in pixels.
    pub size_px: Option<(u32, u32)>,
    /// Exposure in the camera's own unit, within [`CameraOffer::exposure`].
    pub exposure: Option<i64>,
    /// Focus in the camera's own unit, within [`CameraOffer::focus`].
    pub focus: Option<i64>,
}

/// The settings that a camera offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CameraOffer {
    /// Picture sizes in pixels, smallest first.
    pub sizes_px: Vec<(u32, u32)>,
    /// Range of the exposure, if it can be set.
    pub exposure: Option<Span>,
    /// Range of the focus, if it can be set.
    pub focus: Option<Span>,
}

/// The range of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Smallest value.
    pub least: i64,
    /// Largest value.
    pub most: i64,
    /// Value when the camera was opened.
    pub now: i64,
}

/// Passes settings between the user interface and the thread that reads the camera.
#[derive(Debug, Default)]
pub struct CameraControl {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    wish: CameraWish,
    /// Whether the wish has not been passed to the open camera yet.
    changed: bool,
    offer: CameraOffer,
}

#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "elsewhere cameras are read without controls")
)]
impl CameraControl {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the wish, for now and for whenever the camera is opened again.
    pub(crate) fn set(&self, wish: CameraWish) {
        let mut inner = self.lock();
        inner.changed |= inner.wish != wish;
        inner.wish = wish;
    }

    /// The settings that the camera offers; empty before it is open.
    pub(crate) fn offer(&self) -> CameraOffer {
        self.lock().offer.clone()
    }

    /// Called by the camera's thread when it opens the camera: the current wish.
    pub(crate) fn wish(&self) -> CameraWish {
        let mut inner = self.lock();
        inner.changed = false;
        inner.wish
    }

    /// Called by the camera's thread: the wish, if it has changed.
    pub(crate) fn changed(&self) -> Option<CameraWish> {
        let mut inner = self.lock();
        std::mem::take(&mut inner.changed).then_some(inner.wish)
    }

    /// Called by the camera's thread: publishes the settings that the camera offers.
    pub(crate) fn tell(&self, offer: CameraOffer) {
        self.lock().offer = offer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_new_once_and_holds_when_the_camera_is_opened_again() {
        let control = CameraControl::default();
        assert_eq!(control.changed(), None);
        let wish = CameraWish { focus: Some(40), ..CameraWish::default() };
        control.set(wish);
        control.set(wish);
        assert_eq!((control.changed(), control.changed()), (Some(wish), None));
        assert_eq!(control.wish(), wish);
    }
}

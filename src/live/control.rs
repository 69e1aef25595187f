//! What can be set at a camera: the size of its pictures, exposure and focus.

use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What somebody wants of a camera. `None` leaves it to the camera.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CameraWish {
    /// Width and height of its pictures.
    pub size_px: Option<(u32, u32)>,
    /// In the camera's own unit, within [`CameraOffer::exposure`].
    pub exposure: Option<i64>,
    /// In the camera's own unit, within [`CameraOffer::focus`].
    pub focus: Option<i64>,
}

/// What a camera lets be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CameraOffer {
    /// Sizes of its pictures, smallest first.
    pub sizes_px: Vec<(u32, u32)>,
    /// Where its exposure can be set.
    pub exposure: Option<Span>,
    /// Where its focus can be set.
    pub focus: Option<Span>,
}

/// What a control can be set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The smallest value.
    pub least: i64,
    /// The largest.
    pub most: i64,
    /// What it was when the camera was opened.
    pub now: i64,
}

/// Stands between who wishes and the thread that reads the camera.
#[derive(Debug, Default)]
pub struct CameraControl {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    wish: CameraWish,
    /// Whether the wish is new to the open camera.
    changed: bool,
    offer: CameraOffer,
}

impl CameraControl {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wants this of the camera, now and whenever it is opened again.
    pub fn set(&self, wish: CameraWish) {
        let mut inner = self.lock();
        inner.changed |= inner.wish != wish;
        inner.wish = wish;
    }

    /// What the camera lets be chosen; nothing before it is open.
    pub fn offer(&self) -> CameraOffer {
        self.lock().offer.clone()
    }

    /// For the camera: what is wanted of it when it is opened.
    pub fn wish(&self) -> CameraWish {
        let mut inner = self.lock();
        inner.changed = false;
        inner.wish
    }

    /// For the camera: what is wanted of it, if that is new.
    pub fn changed(&self) -> Option<CameraWish> {
        let mut inner = self.lock();
        std::mem::take(&mut inner.changed).then_some(inner.wish)
    }

    /// For the camera: what it lets be chosen.
    pub fn tell(&self, offer: CameraOffer) {
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

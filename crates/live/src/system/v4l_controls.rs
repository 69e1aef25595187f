//! Sets exposure and focus by Video4Linux's controls, as USB cameras offer them.

use crate::control::{CameraWish, Span};
use v4l::Device;
use v4l::control::{Control, Flags, Value};

// Constants of Linux's v4l2-controls.h.
const EXPOSURE_AUTO: u32 = 0x009a_0901;
const EXPOSURE_ABSOLUTE: u32 = 0x009a_0902;
const FOCUS_ABSOLUTE: u32 = 0x009a_090a;
const FOCUS_AUTO: u32 = 0x009a_090c;
/// Manual exposure, in the menu of `EXPOSURE_AUTO`.
const BY_HAND: i64 = 1;
/// Automatic exposure: complete, or with a fixed aperture. A camera offers one of the two.
const BY_CAMERA: [i64; 2] = [0, 3];

/// The controls of a device.
pub(super) trait Controls {
    /// The range of a control; `None` if the device does not have it.
    fn span(&self, id: u32) -> Option<Span>;
    /// Sets a control; false if the camera refuses.
    fn set(&self, id: u32, value: i64) -> bool;
}

impl Controls for Device {
    fn span(&self, id: u32) -> Option<Span> {
        let all = self.query_controls().ok()?;
        let one = all.iter().find(|c| c.id == id && !c.flags.contains(Flags::DISABLED))?;
        let now = match self.control(id).ok()?.value {
            Value::Integer(value) => value,
            Value::Boolean(value) => value.into(),
            _ => return None,
        };
        Some(Span { least: one.minimum, most: one.maximum, now })
    }

    fn set(&self, id: u32, value: i64) -> bool {
        self.set_control(Control { id, value: Value::Integer(value) }).is_ok()
    }
}

/// The ranges of exposure and focus, if they can be set.
pub(super) fn spans(device: &impl Controls) -> (Option<Span>, Option<Span>) {
    let span = |id| device.span(id).filter(|span| span.least < span.most);
    (span(EXPOSURE_ABSOLUTE), span(FOCUS_ABSOLUTE))
}

/// Applies the user's settings. Controls that are missing or refused stay unchanged.
pub(super) fn apply(device: &impl Controls, wish: &CameraWish) {
    let (exposure, focus) = spans(device);
    // A value only takes effect once automatic control is off.
    if let Some(span) = exposure {
        match wish.exposure {
            Some(value) => {
                device.set(EXPOSURE_AUTO, BY_HAND);
                device.set(EXPOSURE_ABSOLUTE, value.clamp(span.least, span.most));
            }
            None => {
                let _ = BY_CAMERA.iter().any(|&way| device.set(EXPOSURE_AUTO, way));
            }
        }
    }
    if let Some(span) = focus {
        device.set(FOCUS_AUTO, i64::from(wish.focus.is_none()));
        if let Some(value) = wish.focus {
            device.set(FOCUS_ABSOLUTE, value.clamp(span.least, span.most));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// A camera with exposure and, if true, focus. Its automatic exposure offers the fixed aperture
    /// only.
    struct Fake(bool, RefCell<Vec<(u32, i64)>>);

    impl Controls for Fake {
        fn span(&self, id: u32) -> Option<Span> {
            match id {
                EXPOSURE_ABSOLUTE => Some(Span { least: 3, most: 2047, now: 250 }),
                FOCUS_ABSOLUTE if self.0 => Some(Span { least: 0, most: 255, now: 0 }),
                _ => None,
            }
        }

        fn set(&self, id: u32, value: i64) -> bool {
            let taken = (id, value) != (EXPOSURE_AUTO, 0);
            if taken {
                self.1.borrow_mut().push((id, value));
            }
            taken
        }
    }

    #[test]
    fn exposure_and_focus_are_set_by_hand_and_left_to_the_camera() {
        let fake = Fake(true, RefCell::default());
        assert_eq!(spans(&fake).0.unwrap().now, 250);
        apply(&fake, &CameraWish { exposure: Some(9_999), focus: Some(40), size_px: None });
        let asked = fake.1.take();
        let expected =
            [(EXPOSURE_AUTO, 1), (EXPOSURE_ABSOLUTE, 2047), (FOCUS_AUTO, 0), (FOCUS_ABSOLUTE, 40)];
        assert_eq!(asked, expected);
        apply(&fake, &CameraWish::default());
        assert_eq!(fake.1.take(), [(EXPOSURE_AUTO, 3), (FOCUS_AUTO, 1)]);
        let fixed = Fake(false, RefCell::default());
        apply(&fixed, &CameraWish { focus: Some(40), ..CameraWish::default() });
        assert_eq!(fixed.1.take(), [(EXPOSURE_AUTO, 3)], "it has no focus to set");
    }
}

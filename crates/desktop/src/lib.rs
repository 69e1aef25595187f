//! A window of the system, whatever it shows.
//!
//! [`open`] chooses the display, opens the window and runs it. What the window shows is a
//! [`Content`]: it draws each frame. [`Dialogs`] are the system's own file dialogs. All words for
//! the user come from the caller, but for those of a [`Failure`], which are for the terminal.

#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

mod dialogs;
mod fonts;
mod native;
#[cfg(target_os = "linux")]
mod screen;

#[cfg(windows)]
pub use dialogs::alert;
pub use dialogs::{Answer, Dialog, Dialogs, Pick};
pub use native::{Content, Failure, Options, color_image, open};

/// Whether there is a desktop to open a window on: on Linux, whether the environment names a display.
pub fn is_available() -> bool {
    #[cfg(target_os = "linux")]
    return screen::Named::of_process().is_any();
    #[cfg(not(target_os = "linux"))]
    true
}

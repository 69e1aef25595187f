//! Other programs, run in the background.

use std::{ffi::OsStr, process::Command};

/// A command whose program shows nothing of itself: on Windows each program that writes text opens a console
/// window, where the one that starts it has none.
pub fn in_background(program: impl AsRef<OsStr>) -> Command {
    #[cfg_attr(not(windows), allow(unused_mut, reason = "elsewhere programs open no windows"))]
    let mut command = Command::new(program);
    #[cfg(windows)]
    {
        // From WinBase.h.
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NO_WINDOW);
    }
    command
}

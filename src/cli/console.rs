//! Windows' console: who else uses it, and its events.
//!
//! Its three calls are the system's own, which no library of the tree offers in safe code. None of them touches
//! memory of this program but for the numbers that [`is_exclusive`] hands out.

#![allow(unsafe_code, reason = "calls of the system, see above")]

use std::{sync::OnceLock, thread};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, FreeConsole, GetConsoleProcessList, SetConsoleCtrlHandler,
};
use windows_sys::core::BOOL;

/// What is to be done when the program is asked to end.
static STOP: OnceLock<fn()> = OnceLock::new();

/// Whether the console was made for this program alone, as by a double click: it closes with it.
pub fn is_exclusive() -> bool {
    let mut numbers = [0; 2];
    // It writes no more numbers than the room that is passed.
    let count = unsafe { GetConsoleProcessList(numbers.as_mut_ptr(), numbers.len() as u32) };
    count == 1
}

/// Leaves the console, which closes if it is this program's own. What is written from here on is lost.
pub fn leave() {
    unsafe { FreeConsole() };
}

/// Calls `stop`, on a thread of the system's, whenever the user presses Ctrl-C, closes the console, logs out or
/// shuts down. In these last three cases the system ends the program soon after.
pub fn listen(stop: fn()) {
    if STOP.set(stop).is_ok() {
        // Where it refuses, its own way stays: an end at once.
        unsafe { SetConsoleCtrlHandler(Some(heard), 1) };
    }
}

unsafe extern "system" fn heard(event: u32) -> BOOL {
    if let Some(stop) = STOP.get() {
        stop();
    }
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        // The system ends the program when this returns, or some seconds from now. Until then what is in hand can
        // be brought to an end, and the program with it.
        loop {
            thread::park();
        }
    }
    1
}

//! Enter, pressed in the terminal that the command runs in.

/// Whether Enter can be heard: not where stdin is no terminal.
pub fn is_heard() -> bool {
    use std::io::IsTerminal;
    cfg!(unix) && std::io::stdin().is_terminal()
}

/// Whether it was pressed. Waits for nothing, and reads nothing in the background, where the system
/// would stop the program for it (SIGTTIN).
#[cfg(unix)]
pub fn was_pressed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::getpgrp;
    use rustix::termios::tcgetpgrp;
    let stdin = rustix::stdio::stdin();
    // Of what is no terminal there is no such group.
    let is_in_front = || tcgetpgrp(stdin).is_ok_and(|group| group == getpgrp());
    if !is_in_front() {
        return false;
    }
    let mut wanted = [PollFd::new(&stdin, PollFlags::IN)];
    let is_typed = poll(&mut wanted, Some(&Timespec::default())).is_ok()
        && wanted[0].revents().contains(PollFlags::IN);
    // It may have been sent to the background meanwhile.
    if !(is_typed && is_in_front()) {
        return false;
    }
    let mut bytes = [0; 256];
    rustix::io::read(stdin, &mut bytes).is_ok_and(|count| bytes[..count].contains(&b'\n'))
}

/// Elsewhere nobody listens.
#[cfg(not(unix))]
pub fn was_pressed() -> bool {
    false
}

//! Which of the two display systems of Linux the window opens on, chosen before it is opened: the
//! library for windows takes the first one that the environment names, whether or not it answers.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::{ffi::OsStrExt, fs::FileTypeExt, net::UnixStream},
    path::PathBuf,
};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt};
use x11rb::{connection::Connection as _, errors::ConnectError, rust_connection::RustConnection};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System<Connection = RustConnection> {
    /// A compositor, spoken to directly.
    Wayland,
    /// An X server; Xwayland is one too. The connection that has found it is held until the window
    /// has its own: some servers begin anew when their only one ends, and answer nobody meanwhile.
    X11(Connection),
}

/// What the environment names. A value of no characters names nothing.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// `WAYLAND_SOCKET`: the number of an open connection, or anything else that somebody wrote.
    pub wayland_socket: Option<OsString>,
    /// `WAYLAND_DISPLAY`: a socket's path, or its name in the folder below.
    pub wayland_display: Option<OsString>,
    pub runtime_dir: Option<OsString>,
    pub display: Option<OsString>,
    /// `WINIT_X11_SCALE_FACTOR`: how large all is drawn on X11.
    pub x11_scale: Option<OsString>,
}

impl Named {
    /// What this process was started with.
    pub fn of_process() -> Self {
        let value = |name| std::env::var_os(name);
        Self {
            wayland_socket: value("WAYLAND_SOCKET"),
            wayland_display: value("WAYLAND_DISPLAY"),
            runtime_dir: value("XDG_RUNTIME_DIR"),
            display: value("DISPLAY"),
            x11_scale: value("WINIT_X11_SCALE_FACTOR"),
        }
    }

    fn has_wayland(&self) -> bool {
        given(&self.wayland_display).or(given(&self.wayland_socket)).is_some()
    }

    pub fn is_any(&self) -> bool {
        self.has_wayland() || given(&self.display).is_some()
    }

    /// The socket that the library would open for Wayland.
    fn wayland_path(&self) -> Result<PathBuf, String> {
        let name = PathBuf::from(given(&self.wayland_display).unwrap_or_default());
        if name.is_absolute() {
            return Ok(name);
        }
        let shown = name.display();
        match given(&self.runtime_dir).map(PathBuf::from) {
            Some(folder) if folder.is_absolute() => Ok(folder.join(name)),
            Some(folder) => Err(format!(
                "the Wayland display {shown} (WAYLAND_DISPLAY) is not found, because XDG_RUNTIME_DIR is {}, \
                 which is no absolute path",
                folder.display()
            )),
            None => Err(format!(
                "the Wayland display {shown} (WAYLAND_DISPLAY) is not found, because XDG_RUNTIME_DIR is not set"
            )),
        }
    }
}

/// A value with at least one character.
fn given(value: &Option<OsString>) -> Option<&OsStr> {
    value.as_deref().filter(|value| !value.is_empty())
}

/// The display system to open the window on: Wayland before X11, and either only if it answers. The
/// error says why neither can be used.
pub fn choose<Connection>(
    named: &Named,
    wayland: impl FnOnce(&Named) -> Result<(), String>,
    x11: impl FnOnce(&Named) -> Result<Connection, String>,
) -> Result<System<Connection>, String> {
    let has_x11 = given(&named.display).is_some();
    let wayland = named.has_wayland().then(|| wayland(named));
    match wayland {
        Some(Ok(())) => Ok(System::Wayland),
        Some(Err(wayland)) if has_x11 => match x11(named) {
            Ok(connection) => Ok(System::X11(connection)),
            Err(x11) => Err(format!("{wayland}, and {x11}")),
        },
        Some(Err(wayland)) => Err(wayland),
        None if has_x11 => x11(named).map(System::X11),
        None => Err("there is no display (neither WAYLAND_DISPLAY nor DISPLAY is set)".to_owned()),
    }
}

/// Whether a compositor answers, and its libraries are there.
pub fn reaches_wayland(named: &Named) -> Result<(), String> {
    // Set at all, it goes before the display's name, and what it names is used up by one connection:
    // it can be looked at, but not tried.
    if let Some(socket) = &named.wayland_socket {
        let path = PathBuf::from("/proc/self/fd").join(socket);
        let is_number = !socket.is_empty() && socket.as_bytes().iter().all(u8::is_ascii_digit);
        if !is_number || !fs::metadata(path).is_ok_and(|data| data.file_type().is_socket()) {
            return Err(format!(
                "the Wayland connection {:?} (WAYLAND_SOCKET) is not open",
                socket.to_string_lossy()
            ));
        }
    } else {
        let path = named.wayland_path()?;
        UnixStream::connect(&path).map_err(|error| {
            format!(
                "the Wayland display {} (WAYLAND_DISPLAY) does not answer ({error})",
                path.display()
            )
        })?;
    }
    for (is_loaded, library) in [
        (wayland_sys::client::is_lib_available(), "libwayland-client.so.0"),
        (
            wayland_sys::egl::is_lib_available(),
            "libwayland-egl.so.1 (Debian's package libwayland-egl1)",
        ),
    ] {
        if !is_loaded {
            return Err(format!(
                "Wayland cannot be used, because the library {library} is missing"
            ));
        }
    }
    Ok(())
}

/// Width and height of what the desktop's own bars leave of the screen, in points; `None` if
/// it is not stated.
pub fn work_area(connection: &RustConnection) -> Option<(f32, f32)> {
    let root = connection.setup().roots.first()?.root;
    let name = connection.intern_atom(true, b"_NET_WORKAREA").ok()?.reply().ok()?.atom;
    let kind = AtomEnum::CARDINAL;
    let property = connection.get_property(false, root, name, kind, 0, 4).ok()?.reply().ok()?;
    let area: Vec<u32> = property.value32()?.collect();
    let &[_, _, width, height] = area.as_slice() else { return None };
    let (name, kind) = (AtomEnum::RESOURCE_MANAGER, AtomEnum::STRING);
    let property =
        connection.get_property(false, root, name, kind, 0, 1 << 16).ok()?.reply().ok()?;
    let scale = scale_in(&String::from_utf8_lossy(&property.value));
    Some((width as f32 / scale, height as f32 / scale))
}

/// Pixels of the screen per point, as the X resources say.
fn scale_in(resources: &str) -> f32 {
    let dpi = resources
        .lines()
        .find_map(|line| line.strip_prefix("Xft.dpi:")?.trim().parse::<f32>().ok())
        .filter(|dpi| *dpi > 0.0);
    dpi.map_or(1.0, |dpi| dpi / 96.0)
}

/// Whether an X server answers.
pub fn reaches_x11(named: &Named) -> Result<RustConnection, String> {
    // The window's library panics at others.
    if let Some(scale) = given(&named.x11_scale).and_then(OsStr::to_str)
        && !scale.eq_ignore_ascii_case("randr")
        && !scale.parse::<f64>().is_ok_and(|n| n > 0.0 && n.is_normal())
    {
        return Err(format!(
            "WINIT_X11_SCALE_FACTOR is {scale}; expected a number above 0, such as 1.5, or randr"
        ));
    }
    let display = given(&named.display).unwrap_or_default().to_string_lossy();
    match x11rb::connect(Some(&display)) {
        Ok((connection, _)) => Ok(connection),
        Err(ConnectError::SetupFailed(_) | ConnectError::SetupAuthenticate(_)) => {
            Err(format!("the display {display} (DISPLAY) refuses this user (see XAUTHORITY)"))
        }
        Err(_) => Err(format!("the display {display} (DISPLAY) does not answer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: [Option<&str>; 4]) -> Named {
        let [wayland_socket, wayland_display, runtime_dir, display] =
            names.map(|name| name.map(OsString::from));
        Named { wayland_socket, wayland_display, runtime_dir, display, x11_scale: None }
    }

    #[test]
    fn a_scale_at_which_the_library_panics_is_refused() {
        let refusal = |scale: &str| {
            let named = named([None, None, None, Some(":none")]);
            reaches_x11(&Named { x11_scale: Some(scale.into()), ..named }).unwrap_err()
        };
        for scale in ["0", "-1", "nan", "inf", "big"] {
            let expected = format!("WINIT_X11_SCALE_FACTOR is {scale}; expected a number above 0");
            assert!(refusal(scale).starts_with(&expected), "{}", refusal(scale));
        }
        for scale in ["1.5", "RandR", ""] {
            assert!(refusal(scale).contains("does not answer"), "{}", refusal(scale));
        }
    }

    /// The choice where the two systems answer so, and which of them were asked.
    fn chosen(
        names: [Option<&str>; 4],
        wayland: Result<(), &str>,
        x11: Result<(), &str>,
    ) -> (Result<System<()>, String>, [bool; 2]) {
        let (mut asked_wayland, mut asked_x11) = (false, false);
        let choice = choose(
            &named(names),
            |_| {
                asked_wayland = true;
                wayland.map_err(str::to_owned)
            },
            |_| {
                asked_x11 = true;
                x11.map_err(str::to_owned)
            },
        );
        (choice, [asked_wayland, asked_x11])
    }

    #[test]
    fn the_system_that_answers_is_chosen() {
        use System::Wayland;
        let by_x11 = System::X11(());
        let (both, run) = (Some("wayland-0"), Some("/run/user/1"));
        let (no_w, no_x) = (Err("no w"), Err("no x"));
        for (names, wayland, x11, system, asked) in [
            // Both answer: Wayland, and X11 is not even asked.
            ([None, both, run, Some(":0")], Ok(()), Ok(()), Wayland, [true, false]),
            ([Some("5"), None, None, Some(":0")], Ok(()), Ok(()), Wayland, [true, false]),
            ([None, both, run, None], Ok(()), no_x, Wayland, [true, false]),
            ([None, both, run, Some(":0")], Ok(()), no_x, Wayland, [true, false]),
            // Wayland does not.
            ([None, both, run, Some(":0")], no_w, Ok(()), by_x11, [true, true]),
            ([Some("5"), None, run, Some(":0")], no_w, Ok(()), by_x11, [true, true]),
            // Only X11 is named; names of no characters name nothing.
            ([None, None, run, Some(":0")], Ok(()), Ok(()), by_x11, [false, true]),
            ([Some(""), Some(""), run, Some(":0")], Ok(()), Ok(()), by_x11, [false, true]),
        ] {
            assert_eq!(chosen(names, wayland, x11), (Ok(system), asked), "{names:?}");
        }
    }

    #[test]
    fn without_a_screen_the_reasons_are_given() {
        let refusal = |names, wayland, x11| chosen(names, wayland, x11).0.unwrap_err();
        let (no_w, no_x) = (Err("no w"), Err("no x"));
        let nothing = "there is no display (neither WAYLAND_DISPLAY nor DISPLAY is set)";
        assert_eq!(refusal([None; 4], Ok(()), Ok(())), nothing);
        assert_eq!(refusal([Some(""), Some(""), None, Some("")], Ok(()), Ok(())), nothing);
        assert_eq!(refusal([None, Some("w"), None, None], no_w, Ok(())), "no w");
        assert_eq!(refusal([None, None, None, Some(":0")], Ok(()), no_x), "no x");
        assert_eq!(refusal([None, Some("w"), None, Some(":0")], no_w, no_x), "no w, and no x");
    }

    #[test]
    fn the_socket_is_where_the_library_looks() {
        let path = |display, folder| named([None, Some(display), folder, None]).wayland_path();
        assert_eq!(
            path("wayland-1", Some("/run/user/1")).unwrap(),
            PathBuf::from("/run/user/1/wayland-1")
        );
        assert_eq!(path("/tmp/way", None).unwrap(), PathBuf::from("/tmp/way"));
        assert_eq!(path("/tmp/way", Some("relative")).unwrap(), PathBuf::from("/tmp/way"));
        assert!(path("wayland-1", None).unwrap_err().contains("XDG_RUNTIME_DIR is not set"));
        assert!(path("wayland-1", Some("")).unwrap_err().contains("XDG_RUNTIME_DIR is not set"));
        assert!(path("wayland-1", Some("run")).unwrap_err().contains("no absolute path"));
    }

    #[test]
    fn what_does_not_answer_is_found_out() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_str().unwrap();
        let refusal = |names| reaches_wayland(&named(names)).unwrap_err();
        assert!(
            refusal([None, Some("gone"), Some(folder), None])
                .contains("/gone (WAYLAND_DISPLAY) does not")
        );
        // A socket that nobody listens on any more.
        drop(std::os::unix::net::UnixListener::bind(dir.path().join("stale")).unwrap());
        assert!(refusal([None, Some("stale"), Some(folder), None]).contains("does not answer"));
        for socket in ["", "x", "-1", "0/../1", "987654"] {
            assert!(
                refusal([Some(socket), Some("w"), None, None]).contains("WAYLAND_SOCKET"),
                "{socket}"
            );
        }
        assert!(reaches_x11(&named([None, None, None, Some(":4711")])).is_err());
    }

    #[test]
    fn the_scale_of_a_screen_is_read_among_other_resources() {
        assert_eq!(scale_in("*customization:\t-color\nXft.dpi:\t192\nXft.hinting: 1\n"), 2.0);
        assert_eq!((scale_in(""), scale_in("Xft.dpi: many")), (1.0, 1.0));
    }
}

//! The system's own file dialogs, on a thread of their own: the window goes on meanwhile.

use crate::shared::ask::Ask;
use crate::shared::words::t;
use rfd::FileDialog;
use setsight_photo::source::PHOTO_EXTENSIONS;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// A dialog that ends sooner than this was never seen: there is none on this system.
const NOBODY_IS_SO_QUICK: Duration = Duration::from_millis(250);

/// What may be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// A folder.
    Folder,
    /// Photos.
    Photos,
    /// A file.
    File,
    /// A file to be written, which need not be there.
    NewFile,
}

/// What came of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// These paths, one at least.
    Paths(Vec<PathBuf>),
    /// The user does not want to.
    Cancelled,
    /// This system shows no dialogs: the path must be typed.
    NoDialog,
}

/// At most one dialog at a time.
#[derive(Default)]
pub struct Dialogs {
    open: Option<(Ask, Receiver<Answer>)>,
    /// The system's dialogs are left alone: paths are typed.
    pub never: bool,
}

impl Dialogs {
    /// Asks; nothing happens while another dialog is open. `name` is proposed for a file to be
    /// written.
    pub fn ask(&mut self, ask: Ask, name: &str, wake: impl FnOnce() + Send + 'static) {
        if self.open.is_some() {
            return;
        }
        let (sender, receiver) = channel();
        if self.never {
            // The other end hangs up: no dialog here.
            self.open = Some((ask, receiver));
            return;
        }
        let name = name.to_owned();
        let (title, photos, all_files) = (ask.word.say(), t!("filter-photos"), t!("filter-all"));
        let show = move || {
            let start = Instant::now();
            let dialog = FileDialog::new().set_title(title);
            let path = match ask.pick {
                Pick::Folder => dialog.pick_folder().map(|path| vec![path]),
                Pick::Photos => {
                    // Some systems tell large letters from small ones.
                    let large: Vec<String> =
                        PHOTO_EXTENSIONS.iter().map(|end| end.to_ascii_uppercase()).collect();
                    let small = PHOTO_EXTENSIONS.iter().map(|end| (*end).to_owned());
                    let ends: Vec<String> = small.chain(large).collect();
                    let dialog = dialog.add_filter(photos, &ends).add_filter(all_files, &["*"]);
                    dialog.pick_files()
                }
                Pick::File => dialog.pick_file().map(|path| vec![path]),
                Pick::NewFile => dialog.set_file_name(name).save_file().map(|path| vec![path]),
            };
            let answer = match path.filter(|paths| !paths.is_empty()) {
                Some(paths) => Answer::Paths(paths),
                None if start.elapsed() < NOBODY_IS_SO_QUICK => Answer::NoDialog,
                None => Answer::Cancelled,
            };
            // The window may be gone.
            let _ = sender.send(answer);
            wake();
        };
        if cfg!(target_os = "macos") {
            // There dialogs belong to the main thread.
            show();
        } else {
            std::thread::spawn(show);
        }
        self.open = Some((ask, receiver));
    }

    /// The answer, once there is one.
    pub fn answer(&mut self) -> Option<(Ask, Answer)> {
        let (ask, receiver) = self.open.as_ref()?;
        let ask = *ask;
        let answer = match receiver.try_recv() {
            Ok(answer) => answer,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => Answer::NoDialog,
        };
        self.open = None;
        Some((ask, answer))
    }
}

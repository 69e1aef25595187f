//! The system's own file dialogs, on a thread of their own: the window goes on meanwhile.

use rfd::FileDialog;
use std::{
    path::PathBuf,
    sync::mpsc::{Receiver, Sender, TryRecvError, channel},
    time::{Duration, Instant},
};

/// A dialog that ends sooner than this was never shown: this system has none.
const NOBODY_IS_SO_QUICK: Duration = Duration::from_millis(250);

/// What may be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    Folder,
    Files,
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

#[derive(Clone, Debug)]
pub struct Dialog {
    /// What is asked for.
    pub title: String,
    /// What may be named.
    pub pick: Pick,
    /// The proposed name of a file to be written.
    pub name: String,
    /// Kinds of files to choose from, the first one at first: a name, and endings without dot.
    pub filters: Vec<(String, Vec<String>)>,
}

/// At most one dialog at a time. The answer comes with a tag that says what it is for.
pub struct Dialogs<T> {
    open: Option<(T, Receiver<Answer>)>,
    /// The system's dialogs are left alone: paths are typed.
    pub never: bool,
}

impl<T> Default for Dialogs<T> {
    fn default() -> Self {
        Self { open: None, never: false }
    }
}

impl<T> Dialogs<T> {
    /// Asks; nothing happens while another dialog is open. `wake` is called once it is answered.
    pub fn ask(&mut self, tag: T, dialog: Dialog, wake: impl FnOnce() + Send + 'static) {
        if self.open.is_some() {
            return;
        }
        let (sender, receiver) = channel();
        self.open = Some((tag, receiver));
        if self.never {
            // The other end hangs up: no dialog here.
            return;
        }
        if cfg!(target_os = "macos") {
            // There dialogs belong to the main thread.
            show(dialog, &sender, wake);
        } else {
            std::thread::spawn(move || show(dialog, &sender, wake));
        }
    }

    /// The answer, once there is one.
    pub fn answer(&mut self) -> Option<(T, Answer)> {
        let (tag, receiver) = self.open.take()?;
        let answer = match receiver.try_recv() {
            Ok(answer) => answer,
            Err(TryRecvError::Empty) => {
                self.open = Some((tag, receiver));
                return None;
            }
            Err(TryRecvError::Disconnected) => Answer::NoDialog,
        };
        Some((tag, answer))
    }
}

/// Shows a dialog and sends its answer.
fn show(dialog: Dialog, answers: &Sender<Answer>, wake: impl FnOnce()) {
    let start = Instant::now();
    let answer = match shown(dialog).filter(|paths| !paths.is_empty()) {
        Some(paths) => Answer::Paths(paths),
        None if start.elapsed() < NOBODY_IS_SO_QUICK => Answer::NoDialog,
        None => Answer::Cancelled,
    };
    // The window may be gone.
    let _ = answers.send(answer);
    wake();
}

/// Shows a text in a window of its own and waits until it is closed: for users without a terminal.
#[cfg(windows)]
pub fn alert(title: &str, text: &str) {
    let dialog = rfd::MessageDialog::new().set_level(rfd::MessageLevel::Error);
    dialog.set_title(title).set_description(text).show();
}

/// Shows a dialog and waits for what is named.
fn shown(dialog: Dialog) -> Option<Vec<PathBuf>> {
    let mut shown = FileDialog::new().set_title(dialog.title);
    for (name, ends) in dialog.filters {
        shown = shown.add_filter(name, &ends);
    }
    match dialog.pick {
        Pick::Folder => shown.pick_folder().map(|path| vec![path]),
        Pick::Files => shown.pick_files(),
        Pick::File => shown.pick_file().map(|path| vec![path]),
        Pick::NewFile => shown.set_file_name(dialog.name).save_file().map(|path| vec![path]),
    }
}

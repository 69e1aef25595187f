//! The system's own file dialogs, on a thread of their own: the window goes on meanwhile.

use crate::shared::words::{Word, t};
use rfd::FileDialog;
use setsight_photo::source::PHOTO_EXTENSIONS;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// A dialog that ends sooner than this was never seen: there is none on this system.
const NOBODY_IS_SO_QUICK: Duration = Duration::from_millis(250);

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A folder of photos.
    Folder,
    /// Photos.
    Photo,
    /// Photos beside those that are open.
    MorePhotos,
    /// A file of deals.
    Deals,
    /// A film.
    Film,
    /// Photos from which a deck is learnt.
    DeckPhotos,
    /// A folder of them.
    DeckFolder,
    /// Where to write the deck.
    SaveDeck,
    /// The file of a deck.
    OpenDeck,
    /// Where to write the annotated picture.
    SavePicture,
    /// Where to write the JSON.
    SaveJson,
    /// In which folder to write pictures and a table of all photos.
    SaveAll,
}

impl Ask {
    /// What is asked for, in words.
    pub fn words(self) -> String {
        let word = match self {
            Self::Folder => Word("ask-folder"),
            Self::Photo | Self::MorePhotos => Word("ask-photos"),
            Self::Deals => Word("ask-deals"),
            Self::Film => Word("ask-film"),
            Self::DeckPhotos => Word("ask-deck-photos"),
            Self::DeckFolder => Word("ask-deck-folder"),
            Self::SaveDeck => Word("ask-save-deck"),
            Self::OpenDeck => Word("ask-open-deck"),
            Self::SavePicture => Word("ask-picture"),
            Self::SaveJson => Word("ask-json"),
            Self::SaveAll => Word("ask-all"),
        };
        word.say()
    }

    /// Whether a file is to be written, which need not be there.
    pub fn writes_file(self) -> bool {
        matches!(self, Self::SavePicture | Self::SaveJson | Self::SaveDeck)
    }
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
        let (title, photos, all_files) = (ask.words(), t!("filter-photos"), t!("filter-all"));
        let show = move || {
            let start = Instant::now();
            let dialog = FileDialog::new().set_title(title);
            let path = match ask {
                Ask::Folder | Ask::DeckFolder | Ask::SaveAll => {
                    dialog.pick_folder().map(|path| vec![path])
                }
                Ask::Photo | Ask::MorePhotos | Ask::DeckPhotos => {
                    // Some systems tell large letters from small ones.
                    let large: Vec<String> =
                        PHOTO_EXTENSIONS.iter().map(|end| end.to_ascii_uppercase()).collect();
                    let small = PHOTO_EXTENSIONS.iter().map(|end| (*end).to_owned());
                    let ends: Vec<String> = small.chain(large).collect();
                    let dialog = dialog.add_filter(photos, &ends).add_filter(all_files, &["*"]);
                    dialog.pick_files()
                }
                Ask::Deals | Ask::Film | Ask::OpenDeck => dialog.pick_file().map(|path| vec![path]),
                Ask::SavePicture | Ask::SaveJson | Ask::SaveDeck => {
                    dialog.set_file_name(name).save_file().map(|path| vec![path])
                }
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

//! What the user is asked to name a path for.

use crate::shared::words::{Word, t};
use setsight_desktop::{Dialog, Pick};
use setsight_photo::source::PHOTO_EXTENSIONS;

/// A question for paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The tab that takes the paths; none is the window itself.
    pub tab: Option<&'static str>,
    /// The question.
    pub word: Word,
    /// What may be named; files are photos.
    pub pick: Pick,
}

impl Ask {
    /// The question of a tab.
    pub const fn of(tab: &'static str, word: Word, pick: Pick) -> Self {
        Self { tab: Some(tab), word, pick }
    }

    /// Its dialog, which proposes a name for a file to be written.
    pub fn dialog(self, name: String) -> Dialog {
        let mut filters = Vec::new();
        if self.pick == Pick::Files {
            // Some systems tell large letters from small ones.
            let large = PHOTO_EXTENSIONS.iter().map(|end| end.to_ascii_uppercase());
            let small = PHOTO_EXTENSIONS.iter().map(|end| (*end).to_owned());
            filters.push((t!("filter-photos"), small.chain(large).collect()));
            filters.push((t!("filter-all"), vec!["*".to_owned()]));
        }
        Dialog { title: self.word.say(), pick: self.pick, name, filters }
    }
}

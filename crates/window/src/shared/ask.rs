//! What the user is asked to name a path for.

use crate::shared::dialogs::Pick;
use crate::shared::words::Word;

/// A question for paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The tab that takes the paths; none is the window itself.
    pub tab: Option<&'static str>,
    /// The question.
    pub word: Word,
    /// What may be named.
    pub pick: Pick,
}

impl Ask {
    /// The question of a tab.
    pub const fn of(tab: &'static str, word: Word, pick: Pick) -> Self {
        Self { tab: Some(tab), word, pick }
    }
}

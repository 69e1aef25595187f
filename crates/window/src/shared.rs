//! What several tabs use: the cards drawn, the words said, what is looked at and how.

pub(crate) mod card_face;
pub(crate) mod keys;
pub(crate) mod look;
pub(crate) mod look_panel;
pub(crate) mod names;
pub(crate) mod overlay;
pub(crate) mod pages;
pub(crate) mod picture;
pub(crate) mod reasons;
pub mod settings;
pub(crate) mod split;
pub(crate) mod tab;
pub(crate) mod table;
pub(crate) mod theme;
pub(crate) mod verdict;
pub(crate) mod words;

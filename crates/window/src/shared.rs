//! What several tabs use: the cards drawn, the words said, what is looked at and how.

pub mod app_context;
pub mod card_face;
pub mod column;
pub mod eye;
pub mod heap;
pub mod keys;
pub mod look;
pub mod look_panel;
pub mod names;
pub mod overlay;
pub mod pages;
pub mod picture;
pub mod placement;
pub mod reasons;
pub mod rules;
pub mod settings;
pub mod tab;
pub mod table;
pub mod theme;
pub mod verdict;
pub mod why;
pub mod words;

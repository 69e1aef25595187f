//! The window without a screen: every panel and mode driven by the names that a screen reader says,
//! with a reader that always sees the same cards and a clock that goes a quarter of a second a
//! frame.

mod any_game;
mod check;
mod correct;
mod deal;
mod deck_check;
mod harness;
mod in_view;
mod layout;
mod live;
mod new_deck;
mod pages;
mod phones;
mod photos;

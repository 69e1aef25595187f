//! The window without a screen: every panel and mode driven by the names that a screen reader says,
//! with a reader that always sees the same cards and a clock that goes a quarter of a second a
//! frame.

mod correct;
mod deal;
mod harness;
mod layout;
mod live;
mod new_deck;
mod pages;
mod photos;

//! The window without a screen: every panel and mode driven by the names that a screen reader says,
//! with a reader that always sees the same cards and a clock that goes a quarter of a second a
//! frame.
#![cfg(feature = "program")]

mod correct;
mod deal;
mod harness;
mod new_deck;
#[path = "../common/not_run.rs"]
mod not_run;
mod pages;
mod photos;

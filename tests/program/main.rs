//! What users do with the program, one module for each command or kind of trouble. One binary: a
//! dozen would each link all of it.

mod common;

#[cfg(target_os = "linux")]
mod app;
mod bad_input;
#[cfg(target_os = "linux")]
mod binary;
mod dataset;
mod deal;
mod deck;
mod eval;
mod export_h7;
mod films;
mod general;
mod help;
mod hostile;
mod json;
mod live;
mod model;
mod mutated;
mod network;
#[cfg(unix)]
mod pages;
mod photos;
mod render;
mod scan;
#[cfg(unix)]
mod serve;
mod simulate;
#[cfg(target_os = "linux")]
mod terminal;
mod train_finder;

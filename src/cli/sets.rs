//! `setsight sets`: codes to sets.

use super::{BadCall, Outcome};
use crate::cards::{Card, parse_codes};

/// Arguments of `sets`.
#[derive(clap::Args)]
pub struct Args {
    /// Card codes such as 2spd
    codes: Vec<String>,
}

/// Prints the sets.
///
/// # Errors
/// A code that cannot be read.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let cards: Vec<Card> =
        parse_codes(&args.codes.join(" ")).map_err(|(i, e)| BadCall(format!("card {i}: {e}")))?;
    for set in crate::sets::find_all(&cards) {
        println!("{:?}", set.0.map(|i| cards[i]));
    }
    Ok(Outcome::Done)
}

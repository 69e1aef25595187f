//! Plays one game of the contest step by step, then asks a million games how common a table without
//! a set is.
//!
//!     cargo run --no-default-features --example play_game

use setsight::game::{Deal, Game, Policy, describe, simulate};

fn main() {
    let mut game = Game::new(&Deal::random(7));
    while let Some(step) = game.next() {
        print!("{}", describe(&step, &game));
    }
    let games = simulate(1_000_000, 7, Policy::Random, |_| ());
    let twelve = games.in_play(12);
    let share = twelve.without as f64 / (twelve.with + twelve.without) as f64;
    println!(
        "{:.2} % of {} tables of 12 cards held no set",
        100.0 * share,
        twelve.with + twelve.without
    );
}

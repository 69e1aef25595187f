//! Draws boards of invented decks as apps show them, and their labels. The values of a deck that nobody knows have no
//! names, so only its sets count: which three cards are one does not depend on what they are called.
//!
//!     cargo run --example invented_boards BOARDS COUNT SEED
//!     tools/fresh-seeds --sets --drawn-by target/debug/examples/invented_boards boards

use serde_json::json;
use setsight_scenes::invented::{self, InventedCard};
use std::{error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [boards, count, seed, ..] = &arguments[..] else {
        return Err("give a folder for the boards, their number, and a seed".into());
    };
    let (boards, count, seed): (PathBuf, u64, u64) = (boards.into(), count.parse()?, seed.parse()?);
    std::fs::create_dir_all(&boards)?;
    let mut photos = vec![];
    for index in 0..count {
        let board = invented::board(seed, index);
        let file = format!("{index:04}.png");
        board.image.save(boards.join(&file))?;
        let cards: Vec<_> = board.cards.iter().map(label).collect();
        photos.push(json!({ "file": file, "cards": cards }));
    }
    let labels = json!({ "version": 1, "source": "invented boards", "photos": photos });
    std::fs::write(boards.join("labels.json"), labels.to_string())?;
    Ok(())
}

fn label(card: &InventedCard) -> serde_json::Value {
    let names = ["123", "osf", "rgp", "dos"].into_iter().zip(card.class);
    let code: String = names.filter_map(|(names, value)| names.chars().nth(value)).collect();
    let (center, corners) = (card.corners.center(), card.corners.0.map(|p| [p.x, p.y]));
    json!({ "code": code, "center": [center.x, center.y], "corners": corners })
}

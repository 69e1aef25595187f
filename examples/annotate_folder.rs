//! Draws the sets on every photo of a folder, and writes the pictures into another.
//!
//!     cargo run --example annotate_folder PHOTOS PICTURES

use setsight::PhotoReader;
use std::{error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(photos), Some(pictures)) = (arguments.next(), arguments.next()) else {
        return Err("give a folder of photos and a folder for the pictures".into());
    };
    std::fs::create_dir_all(&pictures)?;
    let reader = PhotoReader::new()?;
    for entry in std::fs::read_dir(photos)? {
        let photo = entry?.path();
        match reader.read_file(&photo) {
            Ok(read) => {
                let name = photo.file_stem().expect("a file has a name");
                let picture = pictures.join(name).with_extension("png");
                read.draw().save(&picture)?;
                println!("{}: {} sets", picture.display(), read.table.sets.len());
            }
            // The text names the file: one that is no photo does not stop the others.
            Err(error) => eprintln!("{error}"),
        }
    }
    Ok(())
}

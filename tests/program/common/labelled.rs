//! Labels of drawn tables, and crops of drawn cards.

use super::{World, pictures::*};
use image::{ImageFormat, RgbImage};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::{CardLabel, LabelledBy, PhotoLabel};
use setsight_photo::print::card;

/// Labels of the cards of [`table`], with their corners.
pub fn labels(rows: &[&[&str]]) -> Vec<CardLabel> {
    let size = (f64::from(CARD_PX), f64::from(CARD_PX * 57 / 89));
    let cards = rows.concat().into_iter().zip(table(rows).1);
    cards
        .map(|(code, (left, top))| {
            let at = Point::new(left.into(), top.into());
            let corners = Quad::new(Quad::rectangle(size.0, size.1).0.map(|p| p + at));
            CardLabel {
                code: code.parse().unwrap(),
                center: corners.center(),
                corners: Some(corners),
                labelled_by: LabelledBy::Person,
            }
        })
        .collect()
}

pub fn photo_label(
    file: &str,
    image: &RgbImage,
    tags: &[&str],
    cards: Vec<CardLabel>,
) -> PhotoLabel {
    PhotoLabel {
        file: file.into(),
        width: image.width(),
        height: image.height(),
        tags: tags.iter().map(|tag| tag.to_string()).collect(),
        deck: "classic".into(),
        mirrored: false,
        cards,
    }
}

/// Seven crops in the folder `crops`, and their labels, of which that of 2fpd is false. The third lies
/// on its side.
pub fn crops(world: &World) -> String {
    let mut labels = String::from("file,code\n");
    for code in ["1fgd", "2spo", "3ors", "1srs", "2fpd", "3ogo", "2srs"] {
        let print = card::Print::default();
        let mut crop = card::picture(code.parse().unwrap(), &print, CARD_PX, 235, [235; 3]);
        if code == "3ors" {
            crop = image::imageops::rotate90(&crop);
        }
        world.file(&format!("crops/{code}.png"), &encoded(crop, ImageFormat::Png));
        labels += &format!("{code}.png,{}\n", if code == "2fpd" { "2fpo" } else { code });
    }
    world.file("crops/labels.csv", labels.as_bytes());
    labels
}

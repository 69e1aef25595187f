//! A page with every mistake in pictures.

use super::{Evaluation, Figures, LabelledPhoto, Match, Verdict};
use crate::cards::{Card, Property};
use crate::dataset::CardLabel;
use crate::geometry::{Point, Quad};
use crate::html::{escape, href};
use crate::pipeline::{CardOutline, Frame, ReadCard, Scan, overlay, rectify};
use crate::whole_file::{WholeFile, write_whole};
use image::{Rgb, RgbImage, codecs::jpeg::JpegEncoder, imageops};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Half the side of the part of the photo that is shown, in long sides of the card: the card turned
/// any way and a rim of its surroundings.
const VIEW_REACH: f64 = 0.85;
/// Side of that part in the report, in pixels, at most.
const VIEW_PX: u32 = 220;
/// JPEG quality of the report's pictures, 1 to 100.
const QUALITY: u8 = 85;
const LABEL_COLOR: Rgb<u8> = Rgb([0, 114, 178]);
const READING_COLOR: Rgb<u8> = Rgb([230, 159, 0]);

/// A card that is not right.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// What became of the label; `None` for a reading without a label.
    pub verdict: Option<Verdict>,
    /// What the label says.
    pub labelled: Option<Card>,
    /// What was read: card, confidence, unsure.
    pub read: Option<(Card, f32, bool)>,
    /// The part of the photo around it, label blue and reading orange, as JPEG.
    view: Vec<u8>,
    /// The straightened card, as the reader saw it, as JPEG.
    card: Option<Vec<u8>>,
}

/// Every label that is not right and every reading without a label, with pictures.
pub fn mistakes(frame: &Frame, labels: &[CardLabel], scan: &Scan, matched: &Match) -> Vec<Mistake> {
    let long_sides: Vec<f64> =
        labels.iter().filter_map(|label| label.corners).map(|quad| quad.long_side()).collect();
    let usual = super::median(&long_sides).unwrap_or(f64::from(frame.image.width()) / 8.0);
    let mut found = Vec::new();
    let mut add = |verdict, label: Option<&CardLabel>, reading: Option<usize>| {
        let read: Option<&ReadCard> = reading.map(|j| &scan.cards[j]);
        let label_quad = label.and_then(|label| label.corners);
        let read_quad = read.map(|read| read.corners_in_image);
        let centre = label.map(|label| label.center).or(read_quad.map(|quad| quad.center()));
        let Some(centre) = centre else { return };
        let long = label_quad.or(read_quad).map_or(usual, |quad| quad.long_side());
        // What was missed is straightened by its label, to show what there was to see.
        let card = match (reading, label_quad) {
            (Some(j), _) => Some(scan.images[j].pixels.clone()),
            (None, Some(quad)) => Some(straightened(frame, quad)),
            (None, None) => None,
        };
        found.push(Mistake {
            verdict,
            labelled: label.map(|label| label.code),
            read: read.map(|read| (read.card, read.confidence, read.unsure)),
            view: jpeg(&view(frame, centre, long, label_quad, read_quad)),
            card: card.map(|card| jpeg(&card)),
        });
    };
    for (i, label) in labels.iter().enumerate() {
        let verdict = matched.verdict(i, labels, &scan.cards);
        if verdict != Verdict::Right {
            add(Some(verdict), Some(label), matched.reading_of_label[i]);
        }
    }
    for &j in &matched.false_cards {
        add(None, None, Some(j));
    }
    found
}

fn straightened(frame: &Frame, corners_in_image: Quad) -> RgbImage {
    let outline = CardOutline { corners_in_image, score: 0.0, symbols_seen: 0, shape_seen: None };
    rectify::rectify(frame, &outline).pixels
}

fn view(
    frame: &Frame,
    centre: Point,
    long: f64,
    label: Option<Quad>,
    reading: Option<Quad>,
) -> RgbImage {
    let reach = (VIEW_REACH * long).max(8.0);
    let (width, height) = frame.image.dimensions();
    // `as` takes what lies left of the photo to its border.
    let left = ((centre.x - reach) as u32).min(width - 1);
    let top = ((centre.y - reach) as u32).min(height - 1);
    let right = ((centre.x + reach) as u32).clamp(left + 1, width);
    let bottom = ((centre.y + reach) as u32).clamp(top + 1, height);
    let part = imageops::crop_imm(&frame.image, left, top, right - left, bottom - top).to_image();
    let scale = f64::from(VIEW_PX) / (2.0 * reach);
    let size = |v: u32| ((f64::from(v) * scale).round() as u32).max(1);
    let (w, h) = (size(part.width()), size(part.height()));
    let mut picture = imageops::resize(&part, w, h, imageops::FilterType::Triangle);
    let corner = Point::new(left.into(), top.into());
    for (quad, color) in [(label, LABEL_COLOR), (reading, READING_COLOR)] {
        if let Some(quad) = quad {
            let quad = Quad(quad.0.map(|p| (p - corner) * scale));
            overlay::outline(&mut picture, &quad, 2.0, color, None);
        }
    }
    picture
}

fn jpeg(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, QUALITY)
        .encode_image(picture)
        .expect("an RGB picture into memory");
    bytes
}

/// A report in the making: `index.html`, `figures.json` and a folder `pictures`.
pub struct Report {
    folder: PathBuf,
    body: String,
    pictures: usize,
}

impl Report {
    /// Makes the report's folder.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder.join("pictures"))?;
        Ok(Self { folder: folder.to_path_buf(), body: String::new(), pictures: 0 })
    }

    /// Adds a photo's mistakes, if it has any; writes their pictures.
    ///
    /// # Errors
    /// A picture cannot be written.
    pub fn add(
        &mut self,
        photo: &LabelledPhoto,
        figures: &Figures,
        mistakes: &[Mistake],
    ) -> io::Result<()> {
        if mistakes.is_empty() {
            return Ok(());
        }
        let tags: String =
            photo.label.tags.iter().map(|tag| format!(" <i>{}</i>", escape(tag))).collect();
        self.body += &format!(
            "<h3><a href=\"{}\">{}</a> <small>{} of {} right{tags}</small></h3>\n<div class=row>\n",
            href(&photo.path.canonicalize().unwrap_or_else(|_| photo.path.clone())),
            escape(&photo.path.display().to_string()),
            figures.right,
            figures.cards
        );
        for mistake in mistakes {
            self.add_mistake(mistake)?;
        }
        self.body += "</div>\n";
        Ok(())
    }

    fn add_mistake(&mut self, mistake: &Mistake) -> io::Result<()> {
        self.pictures += 1;
        let view = format!("pictures/{:05}-view.jpg", self.pictures);
        write_whole(&self.folder.join(&view), &mistake.view)?;
        let mut images = format!("<img src=\"{view}\" alt=\"where it lies\">");
        if let Some(card) = &mistake.card {
            let name = format!("pictures/{:05}-card.jpg", self.pictures);
            write_whole(&self.folder.join(&name), card)?;
            images += &format!("<img src=\"{name}\" alt=\"straightened\">");
        }
        let kind = match mistake.verdict {
            None if mistake.read.is_some_and(|(_, _, unsure)| unsure) => "false card, unsure",
            None => "false card",
            Some(Verdict::Missed) => "missed",
            Some(Verdict::Unsure) => "unsure",
            Some(Verdict::Wrong) => "wrong",
            Some(Verdict::Right) => "right",
        };
        let labelled = mistake.labelled.map_or("no label".to_owned(), |card| format!("is {card}"));
        let read = match (mistake.read, mistake.labelled) {
            (None, _) => String::new(),
            (Some((card, confidence, _)), labelled) => {
                format!(", read {} ({confidence:.2})", marked(card, labelled))
            }
        };
        self.body += &format!(
            "<figure class=\"{}\">{images}<figcaption><b>{kind}</b> {labelled}{read}</figcaption></figure>\n",
            kind.split([' ', ',']).next().unwrap_or_default()
        );
        Ok(())
    }

    /// Writes `figures.json` and, last, `index.html`.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn finish(self, evaluation: &Evaluation) -> io::Result<()> {
        let mut json = serde_json::to_string_pretty(&evaluation.to_json()).expect("plain data");
        json.push('\n');
        write_whole(&self.folder.join("figures.json"), json.as_bytes())?;
        let mut page = WholeFile::create(&self.folder.join("index.html"))?;
        write!(
            page,
            "<!doctype html>\n<html lang=en><meta charset=utf-8>\n\
             <meta name=viewport content=\"width=device-width\">\n\
             <title>setsight: how well it reads</title>\n<style>{STYLE}</style>\n\
             <h1>How well the {} reader reads</h1>\n<pre>{}</pre>\n<h2>Confusion</h2>\n\
             <p>Rows: labelled; columns: best guess, over all cards that were found.</p>\n\
             <div class=row>\n{}</div>\n",
            escape(&evaluation.reader),
            escape(&evaluation.to_string()),
            confusion_tables(&evaluation.all)
        )?;
        if !evaluation.failed.is_empty() {
            writeln!(page, "<h2>Not read</h2>\n<ul>")?;
            for (file, reason) in &evaluation.failed {
                writeln!(page, "<li>{}: {}", escape(file), escape(reason))?;
            }
            writeln!(page, "</ul>")?;
        }
        write!(
            page,
            "<h2>Every mistake</h2>\n<p>In the photo the label is blue and the reading orange; beside \
             it the straightened card (of a missed one by its label).</p>\n{}</html>\n",
            if self.body.is_empty() { "<p>None.</p>\n" } else { &self.body }
        )?;
        page.finish()
    }
}

/// A code with the letters that differ from the label set off.
fn marked(read: Card, labelled: Option<Card>) -> String {
    let truth = labelled.map(|card| card.to_string());
    let letter = |(i, c): (usize, char)| match &truth {
        Some(truth) if truth.chars().nth(i) != Some(c) => format!("<em>{c}</em>"),
        _ => c.to_string(),
    };
    read.to_string().chars().enumerate().map(letter).collect()
}

fn confusion_tables(figures: &Figures) -> String {
    let mut html = String::new();
    for (property, matrix) in Property::ALL.into_iter().zip(&figures.confusion) {
        let head: String = (0..3).map(|v| format!("<th>{}", property.value_word(v))).collect();
        html += &format!("<table><tr><th>{property}{head}\n");
        for (labelled, row) in matrix.iter().enumerate() {
            html += &format!("<tr><th>{}", property.value_word(labelled));
            for (read, count) in row.iter().enumerate() {
                let class = match (labelled == read, *count) {
                    (true, _) => " class=good",
                    (false, 0) => "",
                    (false, _) => " class=bad",
                };
                html += &format!("<td{class}>{count}");
            }
            html += "\n";
        }
        html += "</table>\n";
    }
    html
}

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2em;background:#fafafa;color:#16181c}\
pre{background:#fff;border:1px solid #ddd;padding:1em;overflow-x:auto}\
.row{display:flex;flex-wrap:wrap;gap:1em}\
figure{margin:0;background:#fff;border:1px solid #ddd;border-top:4px solid #888;padding:.5em}\
figure.wrong,figure.false{border-top-color:#d55e00}figure.missed{border-top-color:#0072b2}\
figure.unsure{border-top-color:#f0e442}figure img{vertical-align:middle;margin-right:4px}\
em{color:#d55e00;font-weight:bold;font-style:normal}small{font-weight:normal;color:#666}\
table{border-collapse:collapse;background:#fff}td,th{border:1px solid #ddd;padding:.3em .7em;text-align:right}\
td.good{background:#d8efe6}td.bad{background:#f7dccb}\
@media(prefers-color-scheme:dark){body{background:#16181c;color:#eee}pre,figure,table{background:#222}\
td.good{background:#1d4a3b}td.bad{background:#5f300f}}";

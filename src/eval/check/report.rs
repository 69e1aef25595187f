//! A page with the errors, every doubt with pictures, and the numbers of examples.

use super::findings::{FEW, Findings, words};
use super::item::{Checked, Doubt, Kind};
use crate::cards::{DECK_SIZE, Property};
use crate::eval::pictures::{Pictures, STYLE, marked};
use crate::html::{escape, href};
use crate::pipeline::source::natural_order;
use crate::whole_file::WholeFile;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A page being written: `index.html` and a folder `pictures`.
pub struct CheckReport {
    folder: PathBuf,
    pictures: Pictures,
    /// The doubts of each picture, in HTML.
    doubts: Vec<(PathBuf, String)>,
}

impl CheckReport {
    /// Creates the page's folder.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let pictures = Pictures::new(folder)?;
        Ok(Self { folder: folder.to_path_buf(), pictures, doubts: Vec::new() })
    }

    /// Adds an item's doubts and writes their pictures.
    ///
    /// # Errors
    /// A picture cannot be written.
    pub fn add(&mut self, checked: &Checked) -> io::Result<()> {
        for doubt in &checked.doubts {
            let figure = self.figure(doubt)?;
            match self.doubts.last_mut() {
                Some((path, figures)) if *path == doubt.path => *figures += &figure,
                _ => self.doubts.push((doubt.path.clone(), figure)),
            }
        }
        Ok(())
    }

    fn figure(&mut self, doubt: &Doubt) -> io::Result<String> {
        let Some(mistake) = &doubt.mistake else {
            return Ok(format!("<figure>{}</figure>\n", escape(&words(doubt))));
        };
        let class = match doubt.kind {
            Kind::OtherCard => "wrong",
            Kind::NoCard => "missed",
            Kind::NoLabel => "false",
        };
        let labelled = doubt.labelled.map_or_else(String::new, |card| card.to_string());
        let read = doubt.read.map_or_else(String::new, |(card, sure)| {
            format!("{} ({sure:.2})", marked(card, doubt.labelled))
        });
        let caption = match doubt.kind {
            Kind::OtherCard => format!("<b>another card?</b> labelled {labelled}, read {read}"),
            Kind::NoCard => format!("<b>no card?</b> labelled {labelled}, none found there"),
            Kind::NoLabel => format!("<b>no label?</b> read {read}"),
        };
        self.pictures.figure(mistake, class, &caption)
    }

    /// Writes `index.html`.
    ///
    /// # Errors
    /// The page cannot be written.
    pub fn finish(mut self, findings: &Findings) -> io::Result<()> {
        self.doubts.sort_by(|a, b| natural_order(a.0.as_os_str(), b.0.as_os_str()));
        let mut page = WholeFile::create(&self.folder.join("index.html"))?;
        write!(
            page,
            "<!doctype html>\n<html lang=en><meta charset=utf-8>\n\
             <meta name=viewport content=\"width=device-width\">\n\
             <title>setsight: labels</title>\n<style>{STYLE}</style>\n\
             <h1>What is wrong, doubtful or missing</h1>\n\
             <p>{} photos and {} crops, {} labelled cards.</p>\n<h2>Wrong: {}</h2>\n",
            findings.photos,
            findings.crops,
            findings.cards,
            findings.wrong.len()
        )?;
        if findings.wrong.is_empty() {
            writeln!(page, "<p>Nothing.</p>")?;
        } else {
            writeln!(page, "<ul>")?;
            for wrong in &findings.wrong {
                writeln!(page, "<li>{}: {}", linked(&wrong.path), escape(&wrong.reason))?;
            }
            writeln!(page, "</ul>")?;
        }
        write!(
            page,
            "<h2>Doubtful: {}</h2>\n<p>Where the reader is sure of something else than the label says; \
             it may be the reader that errs. In the photo the label is blue and the reading orange (of a \
             label without corners the middle of the picture is its place); beside it the straightened card, the same as a network gets it, and what the reader said of \
             it, in per cent: bold and blue what the label says.</p>\n",
            findings.doubts.len()
        )?;
        for (path, figures) in &self.doubts {
            write!(page, "<h3>{}</h3>\n<div class=row>\n{figures}</div>\n", linked(path))?;
        }
        if self.doubts.is_empty() {
            writeln!(page, "<p>None.</p>")?;
        }
        write!(page, "<h2>Examples</h2>\n<p>Fewer than {FEW} are set off.</p>\n<table>")?;
        for (property, counts) in Property::ALL.into_iter().zip(&findings.examples) {
            write!(page, "<tr><th>{}", property.word())?;
            for (value, count) in counts.iter().enumerate() {
                let class = if *count < FEW { " class=bad" } else { "" };
                write!(page, "<td{class}>{} {count}", property.value_word(value))?;
            }
            writeln!(page)?;
        }
        writeln!(
            page,
            "</table>\n<p>{} of the deck's {DECK_SIZE} cards have an example.</p>\n</html>",
            findings.different()
        )?;
        page.finish()
    }
}

fn linked(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    format!("<a href=\"{}\">{}</a>", href(&whole), escape(&path.display().to_string()))
}

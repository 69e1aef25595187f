//! A page of what is wrong with labels: the errors, every doubt with pictures, and the numbers of examples.

use crate::html::{self, href};
use crate::pictures::{Pictures, STYLE, marked};
use maud::{Markup, html};
use setsight_files::whole_file::write_whole;
use setsight_game::cards::{DECK_SIZE, Property};
use setsight_labels::check::{Checked, Doubt, FEW, Findings, Kind};
use setsight_photo::source::natural_order;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the page.
const PAGE: &str = "index.html";

/// A page being written: `index.html` and a folder `pictures`.
pub struct CheckReport {
    folder: PathBuf,
    pictures: Pictures,
    /// The figures of each picture's doubts.
    doubts: Vec<(PathBuf, Vec<Markup>)>,
}

impl CheckReport {
    /// Creates the page's folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        html::refuse_other_pages(&folder.join(PAGE))?;
        let pictures = Pictures::new(folder)?;
        Ok(Self { folder: folder.to_path_buf(), pictures, doubts: Vec::new() })
    }

    /// Adds an item's doubts and writes their pictures.
    pub fn add(&mut self, checked: &Checked) -> io::Result<()> {
        for doubt in &checked.doubts {
            let figure = self.figure(doubt)?;
            match self.doubts.last_mut() {
                Some((path, figures)) if *path == doubt.path => figures.push(figure),
                _ => self.doubts.push((doubt.path.clone(), vec![figure])),
            }
        }
        Ok(())
    }

    fn figure(&mut self, doubt: &Doubt) -> io::Result<Markup> {
        let Some(mistake) = &doubt.mistake else {
            return Ok(html! { figure { (doubt) } "\n" });
        };
        let labelled = doubt.labelled.map_or_else(String::new, |card| card.to_string());
        let read = html! {
            @if let Some((card, confidence)) = doubt.read {
                (marked(card, doubt.labelled)) " (" (format!("{confidence:.2}")) ")"
            }
        };
        let (class, caption) = match doubt.kind {
            Kind::OtherCard => {
                ("wrong", html! { b { "another card?" } " labelled " (labelled) ", read " (read) })
            }
            Kind::NoCard => {
                ("missed", html! { b { "no card?" } " labelled " (labelled) ", none found there" })
            }
            Kind::NoLabel => ("false", html! { b { "no label?" } " read " (read) }),
        };
        self.pictures.figure(mistake, class, &caption)
    }

    /// Writes `index.html`.
    pub fn finish(mut self, findings: &Findings) -> io::Result<()> {
        self.doubts.sort_by(|a, b| natural_order(a.0.as_os_str(), b.0.as_os_str()));
        let body = html! {
            h1 { "What is wrong, doubtful or missing" }
            p {
                (findings.photos) " photos and " (findings.crops) " crops, " (findings.cards)
                " labelled cards."
            }
            "\n"
            h2 { "Wrong: " (findings.wrong.len()) }
            @if findings.wrong.is_empty() {
                p { "Nothing." }
            } @else {
                ul {
                    @for wrong in &findings.wrong {
                        li { (linked(&wrong.path)) ": " (wrong.reason) } "\n"
                    }
                }
            }
            h2 { "Doubtful: " (findings.doubts.len()) }
            p {
                "Where the reader is sure of something else than the label says; it may be the \
                 reader that errs. In the photo the label is blue and the reading orange (of a label \
                 without corners the middle of the picture is its place); beside it the straightened \
                 card, the same as a network gets it, and what the reader said of it, in per cent: \
                 bold and blue what the label says."
            }
            "\n"
            @for (path, figures) in &self.doubts {
                h3 { (linked(path)) }
                div.row { @for figure in figures { (figure) } }
                "\n"
            }
            @if self.doubts.is_empty() { p { "None." } }
            h2 { "Examples" }
            p { "Fewer than " (FEW) " are set off." }
            "\n"
            table {
                @for (property, counts) in Property::ALL.into_iter().zip(&findings.examples) {
                    tr {
                        th { (property.word()) }
                        @for (value, count) in counts.iter().enumerate() {
                            td.bad[*count < FEW] { (property.value_word(value)) " " (count) }
                        }
                    }
                    "\n"
                }
            }
            p {
                (findings.different()) " of the deck's " (DECK_SIZE) " cards have an example."
            }
        };
        let page = html::page("setsight: labels", STYLE, &body).into_string();
        write_whole(&self.folder.join(PAGE), page.as_bytes())
    }
}

fn linked(path: &Path) -> Markup {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    html! { a href=(href(&whole)) { (path.display()) } }
}

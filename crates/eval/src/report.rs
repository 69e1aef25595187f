//! A page with charts of the figures and every mistake, and a page of what is wrong with labels: the errors, every
//! doubt with pictures, and the numbers of examples.

use super::baseline::{CardChange, Change, Comparison};
use super::evaluation::{Evaluation, ROWS, Reliability, SideBySide};
use super::html::{Pictures, STYLE, marked};
use super::{figures::Figures, run::PhotoResult};
use crate::html::{self, href};
use maud::{Markup, html};
use setsight_files::whole_file::{FolderLock, refuse_foreign, write_atomic};
use setsight_game::cards::{DECK_SIZE, Property};
use setsight_labels::check::{Checked, Doubt, FEW, Findings, Kind};
use setsight_labels::mistakes::Mistake;
use setsight_labels::{LabelledPhoto, Verdict};
use setsight_photo::source::natural_order;
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, io};

/// Names of the files.
const PAGE: &str = "index.html";
const FIGURES: &str = "figures.json";

/// A report being written: `index.html`, `figures.json` and a folder `pictures`.
pub struct Report {
    folder: PathBuf,
    /// Two runs at once would each refer to the other's pictures.
    _lock: FolderLock,
    body: Vec<Markup>,
    pictures: Pictures,
    several: bool,
}

impl Report {
    /// Where the figures of a report in this folder go.
    pub fn figures(folder: &Path) -> PathBuf {
        folder.join(FIGURES)
    }

    /// Creates the report's folder. With `several` readers, each section names its reader.
    pub fn new(folder: &Path, several: bool) -> io::Result<Self> {
        html::refuse_other_pages(&folder.join(PAGE))?;
        refuse_foreign(&Self::figures(folder), b"{\n  \"version\":")?;
        let pictures = Pictures::new(folder)?;
        let (folder, _lock) = (folder.to_path_buf(), FolderLock::take(folder)?);
        Ok(Self { folder, _lock, body: Vec::new(), pictures, several })
    }

    /// Adds a photo's mistakes under one reader, if it has any; writes their pictures.
    pub fn add(
        &mut self,
        photo: &LabelledPhoto,
        reader: &str,
        result: &PhotoResult,
    ) -> io::Result<()> {
        if result.mistakes.is_empty() {
            return Ok(());
        }
        let mistakes = result.mistakes.iter().map(|mistake| self.mistake(mistake));
        let mistakes = mistakes.collect::<io::Result<Vec<Markup>>>()?;
        let stages = self.stages(&result.stages)?;
        let canonical = photo.path.canonicalize().unwrap_or_else(|_| photo.path.clone());
        self.body.push(html! {
            h3 {
                a href=(href(&canonical)) { (photo.path.display()) } " "
                small {
                    (result.figures.right) " of " (result.figures.cards) " right"
                    @if self.several { " by " (reader) }
                    @for tag in &photo.label.tags { " " i { (tag) } }
                }
            }
            "\n"
            div.row { @for mistake in &mistakes { (mistake) } }
            "\n"
            (stages)
        });
        Ok(())
    }

    fn mistake(&mut self, mistake: &Mistake) -> io::Result<Markup> {
        let kind = match mistake.verdict {
            None if mistake.read.is_some_and(|(_, _, unsure)| unsure) => "false card, unsure",
            None => "false card",
            Some(Verdict::Missed) => "missed",
            Some(Verdict::Unsure) => "unsure",
            Some(Verdict::Wrong) => "wrong",
            Some(Verdict::Right) => "right",
        };
        let class = kind.split([' ', ',']).next().unwrap_or_default();
        let caption = html! {
            b { (kind) } " "
            @match mistake.labelled { Some(card) => { "is " (card) } None => "no label" }
            @if let Some((card, confidence, _)) = mistake.read {
                ", read " (marked(card, mistake.labelled)) " (" (format!("{confidence:.2}")) ")"
            }
        };
        self.pictures.figure(mistake, class, &caption)
    }

    /// Writes pictures of the photo's stages; returns a collapsed section with them.
    fn stages(&mut self, stages: &[(String, Vec<u8>)]) -> io::Result<Markup> {
        if stages.is_empty() {
            return Ok(Markup::default());
        }
        let number = self.pictures.next();
        let file = |i: usize| format!("pictures/{number:05}-stage-{}.jpg", i + 1);
        for (i, (_, jpeg)) in stages.iter().enumerate() {
            write_atomic(&self.folder.join(file(i)), jpeg)?;
        }
        Ok(html! {
            details {
                summary { "stages" }
                div.row {
                    @for (i, (name, _)) in stages.iter().enumerate() {
                        figure {
                            a href=(file(i)) {
                                img.stage src=(file(i)) alt=(name) loading="lazy";
                            }
                            figcaption { (name) }
                        }
                    }
                }
            }
            "\n"
        })
    }

    /// Writes `figures.json` and, last, `index.html`, with a comparison for each evaluation that
    /// has one.
    pub fn finish(
        self,
        evaluations: &[Evaluation],
        comparisons: &[Option<Comparison>],
    ) -> io::Result<()> {
        let json = match evaluations {
            [only] if !self.several => only.to_json(),
            several => SideBySide(several).to_json(),
        };
        let mut json = serde_json::to_string_pretty(&json).expect("plain data");
        json.push('\n');
        write_atomic(&self.folder.join(FIGURES), json.as_bytes())?;
        let body = html! {
            h1 {
                @match evaluations {
                    [only] => { "How well the " (only.reader) " reader reads" }
                    _ => "How well the readers read"
                }
            }
            "\n"
            (main_figures(evaluations))
            @for comparison in comparisons.iter().flatten() { (against(comparison)) }
            @for evaluation in evaluations {
                @if evaluations.len() > 1 { h2 { "The " (evaluation.reader) " reader" } }
                (confusion_and_reliability(evaluation))
                (groups("source", &evaluation.by_source))
                (groups("tag", &evaluation.by_tag))
                details { summary { "as text" } pre { (evaluation) } }
                "\n"
            }
            // Every reader fails on the same photos, because they cannot be opened.
            @if let Some(first) = evaluations.first() && !first.failed.is_empty() {
                h2 { "Not read" }
                ul { @for (file, reason) in &first.failed { li { (file) ": " (reason) } "\n" } }
            }
            h2 { "Every mistake" }
            p {
                "In the photo the label is blue and the reading orange; beside it the straightened \
                 card (of a missed one by its label), the same as a network gets it, and what the \
                 reader said of it, in per cent: bold what the label says."
            }
            "\n"
            @if self.body.is_empty() { p { "None." } }
            @for photo in &self.body { (photo) }
        };
        let page = html::page("setsight: how well it reads", STYLE, &body).into_string();
        write_atomic(&self.folder.join(PAGE), page.as_bytes())
    }
}

/// How each property is read, and whether the reader is as often right as it says.
fn confusion_and_reliability(evaluation: &Evaluation) -> Markup {
    html! {
        h3 { "Confusion and reliability" }
        "\n"
        div.row {
            @for (property, matrix) in Property::ALL.into_iter().zip(&evaluation.all.confusion) {
                (confusion(property, matrix))
            }
            (reliability(&evaluation.reliability))
        }
        p {
            "Confusion: rows as labelled, columns as read (the best guess, over all cards that were \
             found), in per cent of the row. Reliability: where fewer readings are wrong than are said \
             to be, the reader is better than it says; where more are, it boasts. The last column \
             tells between which shares the true one lies in 95 of 100 cases."
        }
        "\n"
    }
}

/// A confusion matrix of one property. A cell is darker the larger its share of the row, blue on the
/// diagonal and orange off it.
fn confusion(property: Property, matrix: &[[usize; 3]; 3]) -> Markup {
    html! {
        table.confusion {
            tr { th { (property) } @for v in 0..3 { th { (property.value_word(v)) } } }
            @for labelled in 0..3 {
                tr {
                    th { (property.value_word(labelled)) }
                    @for read in 0..3 { (cell(&matrix[labelled], read, labelled == read)) }
                }
            }
        }
        "\n"
    }
}

fn cell(row: &[usize; 3], read: usize, is_right: bool) -> Markup {
    let (count, all) = (row[read], row.iter().sum::<usize>());
    let share = count as f64 / all.max(1) as f64;
    // One card in a thousand must be visible.
    let (color, deep) = if is_right { ("0,114,178", share) } else { ("213,94,0", share.powf(0.4)) };
    html! {
        td style=(format!("background:rgba({color},{:.3})", 0.7 * deep)) {
            (count) @if count > 0 { br; small { (format!("{:.2} %", 100.0 * share)) } }
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// For each bin of confidence the expected and the observed share of errors, with its 95 % interval.
fn reliability(reliability: &Reliability) -> Markup {
    html! {
        table.reliability {
            tr {
                @for head in ["confidence", "readings", "said to be wrong", "wrong", "between"] {
                    th { (head) }
                }
            }
            @for (low, high, bin) in reliability.filled() {
                @let readings = bin.readings as f64;
                @let (least, most) = bin.wrong_between();
                tr {
                    td { (1.0 - high) " to " (1.0 - low) }
                    td { (bin.readings) }
                    td { (percent(bin.expected_wrong / readings)) }
                    td { (percent(bin.wrong() as f64 / readings)) }
                    td { (percent(least)) " and " (percent(most)) }
                }
            }
        }
        "\n"
    }
}

fn cpu_ms(evaluation: &Evaluation) -> f64 {
    evaluation.median_stage_ms().last().map_or(0.0, |(_, total_ms)| *total_ms)
}

/// The main figures, one column per reader.
fn main_figures(evaluations: &[Evaluation]) -> Markup {
    let Some(first) = evaluations.first() else { return Markup::default() };
    html! {
        p { (first.all.pictures()) ", " (first.all.cards) " labelled cards" }
        "\n"
        table {
            tr { th {} @for evaluation in evaluations { th { (evaluation.reader) } } }
            @for (name, value) in ROWS {
                "\n"
                tr {
                    th { (name) }
                    @for evaluation in evaluations { td { (value(&evaluation.all)) } }
                }
            }
            "\n"
            tr {
                th { "CPU ms a photo" }
                @for evaluation in evaluations { td { (format!("{:.1}", cpu_ms(evaluation))) } }
            }
        }
        "\n"
    }
}

/// A table by source or by tag.
fn groups(title: &str, groups: &BTreeMap<String, Figures>) -> Markup {
    if groups.is_empty() {
        return Markup::default();
    }
    html! {
        h3 { "By " (title) }
        "\n"
        table {
            tr {
                @for name in [title, "photos", "cards"] { th { (name) } }
                @for (name, _) in ROWS { th { (name) } }
            }
            @for (name, figures) in groups {
                @let claims_wrong = figures.wrong + figures.false_claims > 0;
                "\n"
                tr {
                    th { (name) }
                    td { (figures.photos) }
                    td { (figures.cards) }
                    @for (row, value) in ROWS {
                        td.bad[row == "claims wrong" && claims_wrong] { (value(figures)) }
                    }
                }
            }
        }
        "\n"
    }
}

/// The class of a table's cell, by how much better a figure is than the baseline's.
fn gain_class(gain: f64) -> Option<&'static str> {
    match gain {
        g if g >= 0.005 => Some("good"),
        g if g <= -0.005 => Some("bad"),
        _ => None,
    }
}

/// The differences from the baseline.
fn against(comparison: &Comparison) -> Markup {
    html! {
        h2 { "Against the baseline" }
        p { "Then " (comparison.readers.0) ", now " (comparison.readers.1) "." }
        "\n"
        table {
            tr { @for head in ["", "before", "now", "better by"] { th { (head) } } }
            @for change in comparison.all.iter().chain(&comparison.groups) {
                @let Change { name, before, now, .. } = change;
                "\n"
                tr {
                    th { (name) }
                    td { (format!("{before:.2}")) }
                    td { (format!("{now:.2}")) }
                    td class=[gain_class(change.gain())] { (format!("{:+.2}", change.gain())) }
                }
            }
        }
        "\n"
        @if comparison.photos_not_in_both > 0 {
            p { (comparison.photos_not_in_both) " photos are not in both." }
        }
        @if comparison.lists_cards {
            @for (title, list) in [("Worse", &comparison.worse), ("Better", &comparison.better)] {
                details open {
                    summary { (title) ": " (list.len()) " cards" }
                    ul {
                        @for CardChange { photo, card, before, now } in list {
                            li { (photo) ": " (card) " " (before) " \u{2192} " (now) } "\n"
                        }
                    }
                }
                "\n"
            }
        } @else {
            p { "The baseline does not tell of single cards." }
        }
    }
}

/// A page being written: `index.html` and a folder `pictures`.
pub struct CheckReport {
    folder: PathBuf,
    /// As of the other report.
    _lock: FolderLock,
    pictures: Pictures,
    /// The figures of each picture's doubts.
    doubts: Vec<(PathBuf, Vec<Markup>)>,
}

impl CheckReport {
    /// Creates the page's folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        html::refuse_other_pages(&folder.join(PAGE))?;
        let pictures = Pictures::new(folder)?;
        let (folder, _lock) = (folder.to_path_buf(), FolderLock::take(folder)?);
        Ok(Self { folder, _lock, pictures, doubts: Vec::new() })
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
        write_atomic(&self.folder.join(PAGE), page.as_bytes())
    }
}

fn linked(path: &Path) -> Markup {
    let canonical = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    html! { a href=(href(&canonical)) { (path.display()) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_shares_stand_in_the_tables() {
        let text = confusion(Property::ALL[2], &[[0; 3], [3, 1970, 41], [0; 3]]).into_string();
        for part in ["colour", ">1970<", ">41<", "2.04 %", "purple"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let mut bins = Reliability::default();
        (0..50).for_each(|i| bins.count(0.97, i > 1));
        let text = reliability(&bins).into_string();
        for part in ["<td>0.95 to 0.98</td>", "<td>50</td>", "<td>3.00 %</td>", "<td>4.00 %</td>"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

//! A page with charts of the figures and every mistake.

use super::baseline::{CardChange, Change, Comparison};
use super::charts;
use super::dataset::LabelledPhoto;
use super::evaluation::{Evaluation, ROWS, SideBySide};
use super::figures::Figures;
use super::matching::Verdict;
use super::mistakes::Mistake;
use super::pictures::{Pictures, STYLE, marked};
use super::run::PhotoResult;
use crate::html::{self, href};
use maud::{Markup, html};
use setsight_files::whole_file::{refuse_others, write_whole};
use setsight_game::cards::Property;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Names of the files.
const PAGE: &str = "index.html";
const FIGURES: &str = "figures.json";

/// A report being written: `index.html`, `figures.json` and a folder `pictures`.
pub struct Report {
    folder: PathBuf,
    body: Vec<Markup>,
    pictures: Pictures,
    several: bool,
}

impl Report {
    /// Creates the report's folder. With `several` readers, each section names its reader.
    pub fn new(folder: &Path, several: bool) -> io::Result<Self> {
        html::refuse_other_pages(&folder.join(PAGE))?;
        refuse_others(&folder.join(FIGURES), b"{\n  \"version\":")?;
        let pictures = Pictures::new(folder)?;
        Ok(Self { folder: folder.to_path_buf(), body: Vec::new(), pictures, several })
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
        let whole = photo.path.canonicalize().unwrap_or_else(|_| photo.path.clone());
        self.body.push(html! {
            h3 {
                a href=(href(&whole)) { (photo.path.display()) } " "
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
            write_whole(&self.folder.join(file(i)), jpeg)?;
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
        write_whole(&self.folder.join(FIGURES), json.as_bytes())?;
        let charts = evaluations.iter().map(|evaluation| self.charts(evaluation));
        let charts = charts.collect::<io::Result<Vec<Markup>>>()?;
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
            @for (evaluation, charts) in evaluations.iter().zip(charts) {
                @if evaluations.len() > 1 { h2 { "The " (evaluation.reader) " reader" } }
                (charts)
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
                 reader said of it, in per cent: bold and blue what the label says."
            }
            "\n"
            @if self.body.is_empty() { p { "None." } }
            @for photo in &self.body { (photo) }
        };
        let page = html::page("setsight: how well it reads", STYLE, &body).into_string();
        write_whole(&self.folder.join(PAGE), page.as_bytes())
    }

    /// Writes the charts of confusion and reliability; returns their HTML.
    fn charts(&self, evaluation: &Evaluation) -> io::Result<Markup> {
        let mut charts: Vec<(String, String)> = Property::ALL
            .map(|property| {
                let what = format!("confusion-{}", property.word());
                (what, charts::confusion(property, &evaluation.all))
            })
            .into();
        charts.push(("reliability".into(), charts::reliability(&evaluation.reliability)));
        let file = |what: &str| format!("pictures/{}-{what}.svg", evaluation.reader);
        for (what, svg) in &charts {
            write_whole(&self.folder.join(file(what)), svg.as_bytes())?;
        }
        Ok(html! {
            h3 { "Confusion and reliability" }
            "\n"
            div.row {
                @for (what, _) in &charts {
                    img.chart src=(href(Path::new(&file(what)))) alt=(what); "\n"
                }
            }
            p {
                "Confusion: rows as labelled, columns as read (the best guess, over all cards that \
                 were found). Reliability: below the dashed line the reader is better than it says, \
                 above it boasts; a hollow dot stands for no mistake at all, the bars for 95 per \
                 cent."
            }
            "\n"
        })
    }
}

/// The main figures, one column per reader.
fn main_figures(evaluations: &[Evaluation]) -> Markup {
    let Some(first) = evaluations.first() else { return Markup::default() };
    let cpu_ms = |evaluation: &Evaluation| {
        evaluation.median_stage_ms().last().map_or(0.0, |(_, total_ms)| *total_ms)
    };
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

/// The differences from the baseline.
fn against(comparison: &Comparison) -> Markup {
    let class = |gain: f64| match gain {
        g if g >= 0.005 => Some("good"),
        g if g <= -0.005 => Some("bad"),
        _ => None,
    };
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
                    td class=[class(change.gain())] { (format!("{:+.2}", change.gain())) }
                }
            }
        }
        "\n"
        @if comparison.photos_not_in_both > 0 {
            p { (comparison.photos_not_in_both) " photos are not in both." }
        }
        @if comparison.cards_known {
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

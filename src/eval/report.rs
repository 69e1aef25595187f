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
use crate::cards::Property;
use crate::html::{escape, href};
use crate::whole_file::{WholeFile, write_whole};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A report being written: `index.html`, `figures.json` and a folder `pictures`.
pub struct Report {
    folder: PathBuf,
    body: String,
    pictures: Pictures,
    several: bool,
}

impl Report {
    /// Creates the report's folder. With `several` readers, each section names its reader.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new(folder: &Path, several: bool) -> io::Result<Self> {
        let pictures = Pictures::new(folder)?;
        Ok(Self { folder: folder.to_path_buf(), body: String::new(), pictures, several })
    }

    /// Adds a photo's mistakes under one reader, if it has any; writes their pictures.
    ///
    /// # Errors
    /// A picture cannot be written.
    pub fn add(
        &mut self,
        photo: &LabelledPhoto,
        reader: &str,
        result: &PhotoResult,
    ) -> io::Result<()> {
        if result.mistakes.is_empty() {
            return Ok(());
        }
        let tags: String =
            photo.label.tags.iter().map(|tag| format!(" <i>{}</i>", escape(tag))).collect();
        let by = if self.several { format!(" by {}", escape(reader)) } else { String::new() };
        self.body += &format!(
            "<h3><a href=\"{}\">{}</a> <small>{} of {} right{by}{tags}</small></h3>\n<div class=row>\n",
            href(&photo.path.canonicalize().unwrap_or_else(|_| photo.path.clone())),
            escape(&photo.path.display().to_string()),
            result.figures.right,
            result.figures.cards
        );
        for mistake in &result.mistakes {
            self.add_mistake(mistake)?;
        }
        self.body += "</div>\n";
        self.add_stages(&result.stages)
    }

    fn add_mistake(&mut self, mistake: &Mistake) -> io::Result<()> {
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
        let class = kind.split([' ', ',']).next().unwrap_or_default();
        let caption = format!("<b>{kind}</b> {labelled}{read}");
        self.body += &self.pictures.figure(mistake, class, &caption)?;
        Ok(())
    }

    /// Adds the photo's stages in a collapsed section.
    fn add_stages(&mut self, stages: &[(String, Vec<u8>)]) -> io::Result<()> {
        if stages.is_empty() {
            return Ok(());
        }
        let number = self.pictures.next();
        self.body += "<details><summary>stages</summary><div class=row>\n";
        for (i, (name, jpeg)) in stages.iter().enumerate() {
            let file = format!("pictures/{number:05}-stage-{}.jpg", i + 1);
            write_whole(&self.folder.join(&file), jpeg)?;
            let name = escape(name);
            self.body += &format!(
                "<figure><a href=\"{file}\"><img class=stage src=\"{file}\" alt=\"{name}\" \
                 loading=lazy></a><figcaption>{name}</figcaption></figure>\n"
            );
        }
        self.body += "</div></details>\n";
        Ok(())
    }

    /// Writes `figures.json` and, last, `index.html`, with a comparison for each evaluation that
    /// has one.
    ///
    /// # Errors
    /// The files cannot be written.
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
        write_whole(&self.folder.join("figures.json"), json.as_bytes())?;
        let mut charts = Vec::new();
        for evaluation in evaluations {
            charts.push(self.charts(evaluation)?);
        }
        let title = match evaluations {
            [only] => format!("How well the {} reader reads", escape(&only.reader)),
            _ => "How well the readers read".to_owned(),
        };
        let mut page = WholeFile::create(&self.folder.join("index.html"))?;
        write!(
            page,
            "<!doctype html>\n<html lang=en><meta charset=utf-8>\n\
             <meta name=viewport content=\"width=device-width\">\n\
             <title>setsight: how well it reads</title>\n<style>{STYLE}</style>\n\
             <h1>{title}</h1>\n{}",
            main_figures(evaluations)
        )?;
        for comparison in comparisons.iter().flatten() {
            page.write_all(against(comparison).as_bytes())?;
        }
        for (evaluation, charts) in evaluations.iter().zip(charts) {
            if evaluations.len() > 1 {
                writeln!(page, "<h2>The {} reader</h2>", escape(&evaluation.reader))?;
            }
            writeln!(
                page,
                "{charts}{}{}<details><summary>as text</summary><pre>{}</pre></details>",
                groups("source", &evaluation.by_source),
                groups("tag", &evaluation.by_tag),
                escape(&evaluation.to_string()),
            )?;
        }
        // Every reader fails on the same photos, because they cannot be opened.
        if let Some(first) = evaluations.first()
            && !first.failed.is_empty()
        {
            writeln!(page, "<h2>Not read</h2>\n<ul>")?;
            for (file, reason) in &first.failed {
                writeln!(page, "<li>{}: {}", escape(file), escape(reason))?;
            }
            writeln!(page, "</ul>")?;
        }
        write!(
            page,
            "<h2>Every mistake</h2>\n<p>In the photo the label is blue and the reading orange; beside \
             it the straightened card (of a missed one by its label), the same as a network gets it, \
             and what the reader said of it, in per cent: bold and blue what the label says.</p>\n{}</html>\n",
            if self.body.is_empty() { "<p>None.</p>\n" } else { &self.body }
        )?;
        page.finish()
    }

    /// Writes the charts of confusion and reliability; returns their HTML.
    fn charts(&self, evaluation: &Evaluation) -> io::Result<String> {
        let mut html = String::from("<h3>Confusion and reliability</h3>\n<div class=row>\n");
        let mut add = |what: &str, svg: String, alt: &str| {
            let name = format!("pictures/{}-{what}.svg", evaluation.reader);
            write_whole(&self.folder.join(&name), svg.as_bytes())?;
            html +=
                &format!("<img class=chart src=\"{}\" alt=\"{alt}\">\n", href(Path::new(&name)));
            Ok::<(), io::Error>(())
        };
        for property in Property::ALL {
            let what = format!("confusion-{}", property.word());
            add(&what, charts::confusion(property, &evaluation.all), &what)?;
        }
        add("reliability", charts::reliability(&evaluation.reliability), "reliability diagram")?;
        html += "</div>\n<p>Confusion: rows as labelled, columns as read (the best guess, over all \
                 cards that were found). Reliability: below the dashed line the reader is better than \
                 it says, above it boasts; a hollow dot stands for no mistake at all, the bars for 95 \
                 per cent.</p>\n";
        Ok(html)
    }
}

/// The main figures, one column per reader.
fn main_figures(evaluations: &[Evaluation]) -> String {
    let Some(first) = evaluations.first() else { return String::new() };
    let mut html =
        format!("<p>{} photos, {} labelled cards</p>\n", first.all.photos, first.all.cards);
    html += "<table><tr><th>";
    for evaluation in evaluations {
        html += &format!("<th>{}", escape(&evaluation.reader));
    }
    for (name, value) in ROWS {
        html += &format!("\n<tr><th>{name}");
        for evaluation in evaluations {
            html += &format!("<td>{}", value(&evaluation.all));
        }
    }
    html += "\n<tr><th>CPU ms a photo";
    for evaluation in evaluations {
        let total = evaluation.median_stage_ms().last().map_or(0.0, |(_, ms)| *ms);
        html += &format!("<td>{total:.1}");
    }
    html + "\n</table>\n"
}

/// A table by source or by tag.
fn groups(title: &str, groups: &BTreeMap<String, Figures>) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let mut html = format!("<h3>By {title}</h3>\n<table><tr><th>{title}<th>photos<th>cards");
    for (name, _) in ROWS {
        html += &format!("<th>{name}");
    }
    for (name, figures) in groups {
        let Figures { photos, cards, .. } = figures;
        html += &format!("\n<tr><th>{}<td>{photos}<td>{cards}", escape(name));
        for (row, value) in ROWS {
            let bad = row == "claims wrong" && figures.wrong + figures.false_claims > 0;
            html += &format!("<td{}>{}", if bad { " class=bad" } else { "" }, value(figures));
        }
    }
    html + "\n</table>\n"
}

/// The differences from the baseline.
fn against(comparison: &Comparison) -> String {
    let (before, now) = &comparison.readers;
    let mut html = format!(
        "<h2>Against the baseline</h2>\n<p>Then {}, now {}.</p>\n\
         <table><tr><th><th>before<th>now<th>better by",
        escape(before),
        escape(now)
    );
    for change in comparison.all.iter().chain(&comparison.groups) {
        let Change { name, before, now, .. } = change;
        let gain = change.gain();
        let class = match gain {
            g if g >= 0.005 => " class=good",
            g if g <= -0.005 => " class=bad",
            _ => "",
        };
        html +=
            &format!("\n<tr><th>{}<td>{before:.2}<td>{now:.2}<td{class}>{gain:+.2}", escape(name));
    }
    html += "\n</table>\n";
    if comparison.photos_not_in_both > 0 {
        html += &format!("<p>{} photos are not in both.</p>\n", comparison.photos_not_in_both);
    }
    if !comparison.cards_known {
        return html + "<p>The baseline does not tell of single cards.</p>\n";
    }
    for (title, list) in [("Worse", &comparison.worse), ("Better", &comparison.better)] {
        html += &format!("<details open><summary>{title}: {} cards</summary><ul>\n", list.len());
        for CardChange { photo, card, before, now } in list {
            html += &format!("<li>{}: {card} {before} \u{2192} {now}\n", escape(photo));
        }
        html += "</ul></details>\n";
    }
    html
}

//! The gain of a training as a table for the terminal and as a page with the cards that changed.

use crate::gain::{CardChange, Change, Counts, Verdict, Worth};
use crate::html;
use maud::{Markup, html};
use setsight_files::small_file::{MAX_DATA_BYTES, read_small};
use setsight_files::whole_file::write_whole;
use setsight_labels::LabelledPhoto;
use setsight_photo::encode::{self, JPEG_QUALITY};
use setsight_photo::source;
use setsight_vision::{CardImage, CardOutline};
use std::fmt::{self, Display};
use std::io;
use std::path::Path;

/// Name of the results file, in the folder of the models.
pub(crate) const WORTH: &str = "worth.json";
/// Name of the page.
pub const PAGE: &str = "worth.html";
/// Maximum number of cards on the page.
const SHOWN: usize = 120;

impl Verdict {
    /// The verdict as a sentence.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::Better => "Better: more of your cards are found or read rightly than before.",
            Self::Same => "No better: what was kept aside is read as before.",
            Self::Worse => "Worse: more was lost than gained.",
            Self::Unknown => "Not measured: nothing could be kept aside.",
        }
    }
}

impl Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<28}{:>8}{:>8}", "", "before", "after")?;
        for (name, rows) in parts(self) {
            writeln!(f, "{name}")?;
            for (word, Change { before, after }) in rows {
                writeln!(f, "  {word:<26}{before:>8}{after:>8}")?;
            }
        }
        write!(f, "{}", self.verdict.sentence())
    }
}

/// A name for each part that was measured, and its rows.
fn parts(worth: &Worth) -> Vec<(String, Vec<(&'static str, Change)>)> {
    let Worth { kept_aside, drawn, .. } = worth;
    let read = |counts: &Counts| {
        vec![
            ("right", counts.right),
            ("wrong", counts.wrong),
            ("unsure", counts.unsure),
            ("not found", counts.missed),
        ]
    };
    let own = format!("{} photos kept aside", worth.photos);
    let parts = [
        (own, kept_aside.cards, read(kept_aside)),
        ("drawn tables".to_owned(), drawn.cards, read(drawn)),
    ];
    let named = |(name, cards, rows)| (format!("{name}, {cards} cards"), rows);
    parts.into_iter().filter(|(_, cards, _)| *cards > 0).map(named).collect()
}

/// The files that [`write()`] writes, but for pictures.
pub const FILES: [&str; 2] = [WORTH, PAGE];

/// Writes `worth.json` and `worth.html`, with pictures of the cards that changed in `worth/`.
pub fn write(folder: &Path, worth: &Worth, photos: &[&LabelledPhoto]) -> io::Result<()> {
    let pictures = folder.join("worth");
    std::fs::create_dir_all(&pictures)?;
    let mut cards = Vec::new();
    for (n, change) in worth.changes.iter().take(SHOWN).enumerate() {
        let name = format!("{n:03}.jpg");
        let picture = picture(change, photos);
        if let Some(bytes) = &picture {
            write_whole(&pictures.join(&name), bytes)?;
        }
        cards.push(figure(change, picture.is_some().then_some(&name)));
    }
    let rest = worth.changes.len().saturating_sub(SHOWN);
    let body = html! {
        h1 { (worth.verdict.sentence()) }
        table {
            tr { @for head in ["", "", "before", "after"] { th { (head) } } }
            @for (name, rows) in parts(worth) {
                @for (word, Change { before, after }) in rows {
                    "\n"
                    tr {
                        td { (name) }
                        td { (word) }
                        td { (before) }
                        td { (after) }
                    }
                }
            }
        }
        h2 { "Cards that changed" }
        @for card in &cards { (card) "\n" }
        @if rest > 0 { p { "and " (rest) " more" } }
    };
    let page = html::page("Before and after", STYLE, &body).into_string();
    write_whole(&folder.join(PAGE), page.as_bytes())?;
    let mut json = serde_json::to_string_pretty(worth)?;
    json.push('\n');
    write_whole(&folder.join(WORTH), json.as_bytes())
}

/// A figure of a changed card; `picture` is the name of its picture, if there is one.
fn figure(change: &CardChange, picture: Option<&String>) -> Markup {
    let CardChange { file, code, before, after, .. } = change;
    html! {
        figure class=(if after == "right" { "won" } else { "lost" }) {
            @if let Some(name) = picture {
                img src={ "worth/" (name) } width="144" height="96" alt="";
            }
            figcaption { (code) ": " (before) " \u{2192} " (after) br; small { (file) } }
        }
    }
}

const STYLE: &str = "body{font:16px sans-serif;margin:2em}td,th{padding:.2em 1em;text-align:left}\
figure{display:inline-block;margin:.5em;padding:.5em;border-left:6px solid #b33}figure.won{border-color:#2a7}";

/// The card in the photo; `None` if its corners are unknown.
fn picture(change: &CardChange, photos: &[&LabelledPhoto]) -> Option<Vec<u8>> {
    let photo = photos.iter().find(|photo| photo.label.file == change.file)?;
    let loaded = source::load_photo(&photo.path).ok()?;
    let label = photo.label.cards_in(&loaded).into_iter().nth(change.label)?;
    let outline = CardOutline::at(label.corners?);
    let image = CardImage::rectify(&loaded.frame, &outline).pixels;
    encode::jpeg(&image, JPEG_QUALITY).ok()
}

/// The results stored in a folder of models; `None` if there are none.
pub fn of_folder(folder: &Path) -> Option<Worth> {
    serde_json::from_slice(&read_small(&folder.join(WORTH), MAX_DATA_BYTES).ok()?).ok()
}

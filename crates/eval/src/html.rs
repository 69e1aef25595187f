//! What all HTML pages share: their frame and style, how they refer to files, and figures of mistakes.

use image::{RgbImage, imageops};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use setsight_files::whole_file::{refuse_foreign, write_atomic};
use setsight_game::cards::{Card, Property};
use setsight_labels::mistakes::{Mistake, jpeg};
use setsight_vision::Reading;
use std::io;
use std::path::{Path, PathBuf};
use url::Url;

/// A whole page in English; `style` and `body` are markup already.
pub fn page(title: &str, style: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (title) } "\n"
                style { (PreEscaped(style)) } "\n"
            }
            body { (body) }
        }
        "\n"
    }
}

/// How each of these pages begins, up to its title.
pub fn head() -> String {
    let page = page("", "", &Markup::default()).into_string();
    page.split_once("<title>").expect("a page has a title").0.to_owned()
}

/// How the titles of all pages begin that are named `index.html`.
const OURS: &str = "setsight: ";

/// Refuses to replace something else than such a page.
pub fn refuse_other_pages(path: &Path) -> io::Result<()> {
    let page = page(OURS, "", &Markup::default()).into_string();
    let (head, _) = page.split_once("</title>").expect("a page has a title");
    refuse_foreign(path, head.as_bytes())
}

/// A path as a reference in a page: a relative path stays relative, an absolute one becomes a
/// `file:` URL, also one on a drive or a computer that Windows names. What could mean something else
/// is percent-encoded (RFC 3986), so that any name works.
pub fn href(path: &Path) -> String {
    if let Ok(url) = Url::from_file_path(path) {
        return url.into();
    }
    let mut out = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => out.push('/'),
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// The folder `pictures` of a page; filled as figures are made.
pub(crate) struct Pictures {
    folder: PathBuf,
    count: usize,
}

impl Pictures {
    /// Creates the folder next to the page.
    pub(crate) fn new(page: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(page.join("pictures"))?;
        Ok(Self { folder: page.to_path_buf(), count: 0 })
    }

    /// A number for the file names of the next pictures.
    pub(crate) fn next(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// Writes a mistake's pictures; returns a figure with a caption.
    pub(crate) fn figure(
        &mut self,
        mistake: &Mistake,
        class: &str,
        caption: &Markup,
    ) -> io::Result<Markup> {
        self.next();
        let write = |what: &str, kind: &str, bytes: Option<&[u8]>, alt: &str| {
            bytes.map(|bytes| self.picture(what, kind, bytes, alt)).transpose()
        };
        let view = write("view", "jpg", Some(&mistake.view), "where it lies")?;
        let card = write("card", "jpg", mistake.card.as_deref(), "straightened")?;
        let input = write("input", "png", mistake.input.as_deref(), "as a network gets it")?;
        Ok(html! {
            figure class=(class) {
                @if let Some(view) = view { (view) }
                @if card.is_some() || input.is_some() {
                    span.seen { @for picture in [card, input].into_iter().flatten() { (picture) } }
                }
                @if let Some(reading) = &mistake.reading { (output(reading, mistake.labelled)) }
                figcaption { (caption) }
            }
            "\n"
        })
    }

    /// Writes a picture and returns its HTML.
    fn picture(&self, what: &str, kind: &str, bytes: &[u8], alt: &str) -> io::Result<Markup> {
        let name = format!("pictures/{:05}-{what}.{kind}", self.count);
        write_atomic(&self.folder.join(&name), bytes)?;
        Ok(html! { img class=(what) src=(name) alt=(alt) loading="lazy"; })
    }
}

/// The reader's output for one card in per cent: one bar for each value of each property and one for
/// card-or-not; bold what the label says.
fn output(reading: &Reading, labelled: Option<Card>) -> Markup {
    html! {
        table.said {
            @for (property, values) in Property::ALL.into_iter().zip(&reading.values) {
                @for (v, &value) in values.iter().enumerate() {
                    (bar(property.value_word(v), value, labelled.is_some_and(|c| c.value(property) == v)))
                }
            }
            (bar("a card", reading.is_card, labelled.is_some()))
        }
    }
}

/// A row of the output; `is` says whether the label has this value.
fn bar(name: &str, value: f32, is: bool) -> Markup {
    html! {
        tr {
            th.no[!is] { (name) }
            td { meter value=(value) {} }
            td { (format!("{:.1}", 100.0 * value)) }
        }
    }
}

/// Scales a picture down to its size on the page.
pub(crate) fn small_jpeg(picture: &RgbImage) -> Vec<u8> {
    const LONGEST_PX: u32 = 900;
    let long = picture.width().max(picture.height());
    if long <= LONGEST_PX {
        return jpeg(picture);
    }
    let [width, height] =
        [picture.width(), picture.height()].map(|side| (side * LONGEST_PX / long).max(1));
    jpeg(&imageops::resize(picture, width, height, imageops::FilterType::Triangle))
}

/// A code in HTML with the letters marked that differ from the label.
pub(crate) fn marked(read: Card, labelled: Option<Card>) -> Markup {
    let truth = labelled.map(|card| card.to_string());
    html! {
        @for (i, c) in read.to_string().chars().enumerate() {
            @if truth.as_ref().is_some_and(|t| t.chars().nth(i) != Some(c)) { em { (c) } } @else { (c) }
        }
    }
}

/// The style of the pages, light and dark.
pub(crate) const STYLE: &str = ":root{color-scheme:light dark}body{font:15px/1.4 system-ui,sans-serif;margin:2em;background:#fafafa;color:#16181c}\
pre{background:#fff;border:1px solid #ddd;padding:1em;overflow-x:auto}\
.row{display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start}td{white-space:nowrap}\
figure{margin:0;background:#fff;border:1px solid #ddd;border-top:4px solid #888;padding:.5em}\
figure.wrong,figure.false{border-top-color:#d55e00}figure.missed{border-top-color:#0072b2}\
figure.unsure{border-top-color:#f0e442}figure img{vertical-align:middle;margin-right:4px}\
em{color:#d55e00;font-weight:bold;font-style:normal}small{font-weight:normal;color:#666}\
table{display:block;width:fit-content;max-width:100%;overflow-x:auto;border-collapse:collapse;background:#fff}td,th{border:1px solid #ddd;padding:.3em .7em;text-align:right}\
td.good{background:#d8efe6}td.bad{background:#f7dccb}\
h3{margin:1.2em 0 .4em}.confusion small{color:inherit}.no{font-weight:normal}.said{display:inline-block;vertical-align:middle;font-size:10px;line-height:1}\
.said td,.said th{border:0;padding:1px 4px}meter{width:88px;height:9px}\
.seen{display:inline-flex;flex-direction:column;gap:4px}.input{width:192px;image-rendering:pixelated}\
img.stage{max-width:260px;max-height:200px}summary{cursor:pointer;margin:.5em 0}\
@media(prefers-color-scheme:dark){body{background:#16181c;color:#eee}pre,figure,table{background:#222}\
td.good{background:#1d4a3b}td.bad{background:#5f300f}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_any_name_are_found() {
        assert_eq!(href(Path::new("a b#é.jpg")), "a%20b%23%C3%A9.jpg");
        let (path, url) = match cfg!(windows) {
            true => (r"C:\x\50%.jpg", "file:///C:/x/50%25.jpg"),
            false => ("/x/50%.jpg", "file:///x/50%25.jpg"),
        };
        assert_eq!(href(Path::new(path)), url);
    }
}

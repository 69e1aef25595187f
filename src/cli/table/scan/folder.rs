//! The folder of results: an annotated picture for each photo, a page to look through them, and
//! the JSON lines.

use crate::cli::common::BadCall;
use anyhow::{Context, bail};
use image::{RgbImage, imageops};
use maud::{Markup, html};
use serde_json::Value;
use setsight_eval::{drawn_card::DrawnOnce, html::href};
use setsight_files::{
    printable::{self, counted},
    small_file::{MAX_DATA_BYTES, portable, read_text},
    whole_file::{FolderLock, WholeFile, refuse_foreign, write_atomic},
};
use setsight_photo::encode;
use setsight_vision::{
    Guess, PhotoReading, TableReading,
    output::{Record, Style, overlay},
};
use std::{
    collections::HashSet,
    fs::File,
    io::{ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

/// Longest side of a picture on the contact page, in pixels.
const THUMBNAIL_PX: u32 = 420;
/// Folder of the contact page's pictures.
pub(super) const THUMBNAILS: &str = "thumbnails";
/// The JSON lines of all photos.
pub(super) const LINES: &str = "results.jsonl";
/// Those that a run has read, until it ends: what it leaves when it is stopped or killed.
pub(super) const PARTIAL: &str = "results.partial.jsonl";
/// Longest name taken from a photo, in bytes: with a number and an ending it must fit a file system.
const LONGEST_NAME: usize = 200;

/// Names for the results of photos, without an ending, no two alike (in either case, for file systems
/// that cannot tell).
#[derive(Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// The photo's own, as any system takes it, with a number where another photo came before.
    pub fn unique_name(&mut self, photo: &Path) -> String {
        let stem = photo.file_stem().unwrap_or_default().to_string_lossy();
        let mut end = stem.len().min(LONGEST_NAME);
        while !stem.is_char_boundary(end) {
            end -= 1;
        }
        let stem = portable(&stem[..end]);
        let numbered = (2..).map(|n| format!("{stem}-{n}"));
        std::iter::once(stem.clone())
            .chain(numbered)
            .find(|name| self.0.insert(name.to_lowercase()))
            .expect("there are more numbers than photos")
    }
}

/// Refuses a folder of results in which one of the photos lies: its picture would overwrite it.
pub fn refuse_photos_in(out: &Path, photos: &[impl AsRef<Path>]) -> anyhow::Result<()> {
    let Ok(out_path) = out.canonicalize() else { return Ok(()) }; // Not there yet.
    for photo in photos.iter().map(AsRef::as_ref) {
        let folder =
            photo.canonicalize().ok().and_then(|path| path.parent().map(Path::to_path_buf));
        if folder.is_some_and(|f| f == out_path || f == out_path.join(THUMBNAILS)) {
            let (photo, out) = (photo.display(), out.display());
            let message = format!(
                "{photo} lies in {out}, where results are to go and might replace it; name another \
                 folder: --out {out}-sets"
            );
            return Err(BadCall(message).into());
        }
    }
    Ok(())
}

/// Refuses a folder whose page lists photos that are still there but not among these: the new page
/// would list these alone, though the others' pictures stay.
pub fn refuse_other_results(out: &Path, photos: &[impl AsRef<Path>]) -> anyhow::Result<()> {
    let lines = read_text(&out.join(LINES), MAX_DATA_BYTES).unwrap_or_default();
    let photos: HashSet<String> =
        photos.iter().map(|photo| photo.as_ref().display().to_string()).collect();
    for line in lines.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        let other = record["image"].as_str().filter(|image| !photos.contains(*image));
        if let Some(other) = other.filter(|other| Path::new(other).is_file()) {
            let out = out.display();
            let message = format!(
                "{out} holds the results of other photos, such as {other}, which its page would no \
                 longer list; name another folder, give all photos in one call, or replace the page \
                 with --overwrite"
            );
            return Err(BadCall(message).into());
        }
    }
    Ok(())
}

/// Draws the cards and sets of a photo and writes the picture and its small copy.
pub fn write_pictures(
    out: &Path,
    name: &str,
    reading: &PhotoReading,
    style: &Style,
    overwrite: bool,
) -> anyhow::Result<()> {
    let (full_image, table) = reading.full_resolution();
    let picture = overlay::draw(&full_image, &table, style);
    write_jpeg(&out.join(format!("{name}.jpg")), &picture, overwrite)?;
    // The page lists the sets itself.
    let (width, height) = full_image.dimensions();
    let scale = f64::from(THUMBNAIL_PX) / f64::from(width.max(height));
    let photo = imageops::crop_imm(&picture, 0, 0, width, height);
    let [small_width, small_height] =
        [width, height].map(|side| ((f64::from(side) * scale.min(1.0)).round() as u32).max(1));
    let small = imageops::thumbnail(&*photo, small_width, small_height);
    write_jpeg(&out.join(THUMBNAILS).join(format!("{name}.jpg")), &small, overwrite)
}

/// Refuses a place where something lies that this program did not write, or a link that leads elsewhere.
fn check_place(path: &Path, overwrite: bool, start: &[u8]) -> anyhow::Result<()> {
    let metadata = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        metadata => metadata?,
    };
    if metadata.is_symlink() {
        bail!(
            "a link is there, and results are never written through links; remove it or name another folder"
        );
    }
    if !metadata.is_file() {
        bail!("a folder, a device or a pipe is there; name another folder");
    }
    match refuse_foreign(path, start) {
        Err(_) if overwrite => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("it exists and is not from `scan`; choose another folder, or use --overwrite")
        }
        looked => Ok(looked?),
    }
}

fn write_jpeg(path: &Path, picture: &RgbImage, overwrite: bool) -> anyhow::Result<()> {
    check_place(path, overwrite, encode::RESULT_JPEG)
        .and_then(|()| Ok(write_atomic(path, &encode::result_jpeg(picture)?)?))
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// The page and the lines in the making. Both get their names at the end.
pub struct OutFolder {
    /// Two runs at once would each list its own photos alone.
    _lock: FolderLock,
    folder: PathBuf,
    lines: WholeFile,
    partial: File,
    page: WholeFile,
    drawn: DrawnOnce,
}

/// What photos hold, counted.
#[derive(Default)]
pub struct Counts {
    /// Photos, read or not.
    pub photos: usize,
    /// Photos that an earlier run has read.
    pub earlier: usize,
    cards: usize,
    sets: usize,
    unsure: usize,
    /// Photos that could not be read.
    not_read: usize,
}

impl Counts {
    /// Adds a photo.
    pub fn add(&mut self, record: &Record) {
        self.photos += 1;
        match &record.result {
            Err(_) => self.not_read += 1,
            Ok(table) => {
                self.cards += table.cards.len();
                self.sets += table.sets.len();
                self.unsure += table.unsure();
            }
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = [(self.photos, "photo"), (self.cards, "card"), (self.sets, "set")];
        for (n, noun) in counts {
            write!(f, "{}, ", counted(n, noun))?;
        }
        write!(f, "{} unsure", self.unsure)?;
        if self.not_read > 0 { write!(f, ", {} not read", self.not_read) } else { Ok(()) }
    }
}

impl OutFolder {
    /// Makes the folder.
    pub fn create(folder: &Path, overwrite: bool) -> anyhow::Result<Self> {
        let context = || format!("results cannot go to {}", folder.display());
        let thumbnails = folder.join(THUMBNAILS);
        if thumbnails.is_symlink() {
            bail!(
                "{}: a link is there, and results are never written through links; remove it or name another folder",
                thumbnails.display()
            );
        }
        std::fs::create_dir_all(thumbnails).with_context(context)?;
        let lock = FolderLock::take(folder).with_context(context)?;
        let lines = b"{\"version\":";
        for (name, start) in
            [(LINES, &lines[..]), (PARTIAL, lines), ("index.html", HEAD.as_bytes())]
        {
            let path = folder.join(name);
            check_place(&path, overwrite, start).with_context(|| path.display().to_string())?;
        }
        let partial = folder.join(PARTIAL);
        let partial = goes_on(&partial).with_context(|| partial.display().to_string())?;
        let lines = WholeFile::create(&folder.join(LINES)).with_context(context)?;
        let mut page = WholeFile::create(&folder.join("index.html")).with_context(context)?;
        write!(page, "{HEAD}<style>{STYLE}</style>\n<main>\n").with_context(context)?;
        let drawn = DrawnOnce::default();
        Ok(Self { _lock: lock, folder: folder.to_path_buf(), lines, partial, page, drawn })
    }

    /// Adds a photo and its line; `picture` is the name of its pictures, if they are there.
    pub fn add(
        &mut self,
        record: &Record,
        line: &Value,
        picture: Option<&str>,
    ) -> anyhow::Result<()> {
        let line = format!("{}\n", printable::json(line));
        // At once: a kill costs only what is in hand.
        self.partial
            .write_all(line.as_bytes())
            .with_context(|| format!("{} cannot be written", self.path(PARTIAL)))?;
        self.lines
            .write_all(line.as_bytes())
            .with_context(|| format!("{} cannot be written", self.path(LINES)))?;
        let image = record.image.display().to_string();
        let figure = match &record.result {
            Err(error) => {
                html! { figure.failed { figcaption { b { (image) } p { (error) } } } "\n" }
            }
            Ok(table) => figure(&image, table, picture, &mut self.drawn),
        };
        self.page
            .write_all(figure.into_string().as_bytes())
            .with_context(|| format!("{} cannot be written", self.path("index.html")))
    }

    /// Gives the page and the lines their names, and gives the page's path. After a stop there is no page,
    /// and the lines stay in results.partial.jsonl, for they are not all.
    pub fn finish(mut self, stopped: bool, counts: &Counts) -> anyhow::Result<PathBuf> {
        let (lines_path, page_path) = (self.path(LINES), self.path("index.html"));
        let unwritten = |path: String| move || format!("{path} cannot be written");
        if stopped {
            return Ok(self.folder.join("index.html"));
        }
        // Written last, shown first: the style sheet puts it on top.
        let header = html! {
            header {
                h1 { "Sets" }
                p { (counts) ". " a href="results.jsonl" { "results.jsonl" } }
            }
        };
        let header = header.into_string();
        write!(self.page, "</main>\n{header}\n<script>{SCRIPT}</script>\n</html>\n")
            .with_context(unwritten(page_path.clone()))?;
        self.lines.finish().with_context(unwritten(lines_path))?;
        self.page.finish().with_context(unwritten(page_path))?;
        // If it stays, the next run finds the same in both.
        let _ = std::fs::remove_file(self.folder.join(PARTIAL));
        Ok(self.folder.join("index.html"))
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

/// Opens a file of lines to write more of them. A last line that was cut off is removed.
fn goes_on(path: &Path) -> std::io::Result<File> {
    let mut file = File::options().read(true).append(true).create(true).open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    if complete < bytes.len() {
        file.set_len(complete as u64)?;
    }
    Ok(file)
}

fn figure(
    image: &str,
    table: &TableReading,
    picture: Option<&str>,
    drawn: &mut DrawnOnce,
) -> Markup {
    let deck = table.deck();
    let guess = |g: Guess| format!("{} ({} %)", deck.card_name(g.card), percent(g.confidence));
    let probable = table.probable_sets.iter().map(|set| set.cards);
    let sets: Vec<[usize; 3]> = table.sets.iter().map(|set| set.0).chain(probable).collect();
    let drawings: Vec<[Markup; 3]> =
        sets.iter().map(|set| set.map(|i| drawn.svg(&deck, table.cards[i].card))).collect();
    let list = |place: usize, words: Markup| {
        let content = html! {
            span.cards { b { (place + 1) } @for card in &drawings[place] { (card) } } (words)
        };
        list_entry(&content, picture.is_some())
    };
    html! {
        figure.unsure[table.unsure() > 0] {
            @if let Some(name) = picture {
                @let file = format!("{name}.jpg");
                div.photo {
                    a href=(href(Path::new(&file))) {
                        img loading="lazy" src=(href(&Path::new(THUMBNAILS).join(&file)))
                            alt={ "cards and sets of " (image) };
                    }
                    (marks(table, &sets))
                }
            }
            figcaption {
                b { (image) }
                p { (table.summary()) }
                @if !table.sets.is_empty() || !table.probable_sets.is_empty() {
                    ol {
                        @for place in 0..table.sets.len() {
                            li style=(set_color(place)) { (list(place, html! {})) }
                        }
                        @for (n, set) in table.probable_sets.iter().enumerate() {
                            @let place = table.sets.len() + n;
                            li.probable style=(set_color(place)) {
                                (list(place, html! {
                                    "probable, " (percent(set.confidence)) " %: check card "
                                    (set.decided_by + 1)
                                }))
                            }
                        }
                    }
                }
                @if table.probable_sets_left_out > 0 {
                    p { "and " (table.probable_sets_left_out) " more probable sets" }
                }
                @for (i, card) in table.cards.iter().enumerate().filter(|(_, card)| card.unsure) {
                    p.guess {
                        "card " (i + 1) " unsure: perhaps "
                        (card.guesses().take(3).map(guess).collect::<Vec<_>>().join(", or "))
                    }
                }
            }
        }
        "\n"
    }
}

fn percent(confidence: f32) -> String {
    format!("{:.0}", 100.0 * confidence)
}

/// A set of the list: its cards can be lit up where there is a picture of them.
fn list_entry(content: &Markup, has_picture: bool) -> Markup {
    html! {
        @if has_picture {
            button type="button" aria-pressed="false" { (content) }
        } @else {
            (content)
        }
    }
}

fn set_color(place: usize) -> String {
    let [r, g, b] = overlay::set_color(place).0;
    format!("--set:rgb({r},{g},{b})")
}

/// A card's outline as a path of SVG.
fn outline(table: &TableReading, card: usize) -> String {
    let corners = table.cards[card].corners_in_image.0.map(|p| format!("{:.0} {:.0}", p.x, p.y));
    format!("M{}Z", corners.join("L"))
}

/// For each set what lies over the picture once it is pressed in the list: all is dim but its cards.
fn marks(table: &TableReading, sets: &[[usize; 3]]) -> Markup {
    let (width, height) = table.size_px;
    html! {
        @if !sets.is_empty() {
            svg.marks viewBox={ "0 0 " (width) " " (height) } {
                @for (place, set) in sets.iter().enumerate() {
                    @let cards = set.map(|card| outline(table, card)).concat();
                    g style=(set_color(place)) {
                        path.dim d={ "M0 0H" (width) "V" (height) "H0Z" (cards) } {}
                        path d=(cards) stroke-width=(width / 120) {}
                    }
                }
            }
        }
    }
}

/// A set that is pressed is shown alone; pressed again, all are shown.
const SCRIPT: &str = "document.querySelector('main').onclick=e=>{const b=e.target.closest('button');if(!b)return;\
const f=b.closest('figure'),p='aria-pressed',on=b.getAttribute(p)!='true',g=f.querySelectorAll('.marks g');\
f.querySelectorAll('button').forEach((o,i)=>{const is=on&&o==b;o.setAttribute(p,is);g[i].classList.toggle('on',is)})}";

const HEAD: &str = "<!doctype html>\n<html lang=en><meta charset=utf-8>\n\
<meta name=viewport content=\"width=device-width\">\n<title>setsight: cards and sets</title>\n";

const STYLE: &str = ":root{color-scheme:light dark}body{display:flex;flex-direction:column;margin:1.5em;font:15px/1.4 system-ui,sans-serif;\
background:#fafafa;color:#16181c}header{order:-1;margin-bottom:.9em}\
main{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:1.2em;align-items:start}\
figure{margin:0;background:#fff;border:1px solid #ddd;border-radius:6px;overflow:hidden}\
figure img{width:100%;display:block}figcaption{padding:.6em .9em;overflow-wrap:anywhere}p{margin:.3em 0}\
figure.unsure{border-color:#e69f00}figure.failed{border-color:#d55e00}\
ol{padding:0;margin:.4em 0}li{border-left:6px solid var(--set);padding-left:.5em;margin:.4em 0;list-style:none}li.probable{border-left-style:dashed}\
.guess{color:#9a6b00}.photo{position:relative}.marks{position:absolute;left:0;top:0;width:100%;pointer-events:none}\
.marks g{display:none}.marks .on{display:block}.marks path{fill:none;stroke:var(--set)}.marks .dim{fill:#000b;fill-rule:evenodd;stroke:none}\
button{font:inherit;color:inherit;text-align:left;background:none;border:0;border-radius:4px;padding:.2em;width:100%;cursor:pointer}\
button[aria-pressed=true]{outline:2px solid var(--set)}.cards{display:flex;gap:4px;align-items:center;max-width:17em}.cards b{min-width:1.3em}.cards svg{flex:1;min-width:0}\
@media(prefers-color-scheme:dark){body{background:#16181c;color:#eee}figure{background:#222;border-color:#444}\
.guess{color:#e6b450}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_photos_share_a_name() {
        let photos = ["a/x.jpg", "b/x.jpg", "b/X.png", "c/x-2.jpg", "ü é.webp"].map(Path::new);
        let mut names = Names::default();
        let named = photos.map(|photo| names.unique_name(photo));
        assert_eq!(named, ["x", "x-2", "X-3", "x-2-2", "ü é"]);
        let steered =
            ["...jpg", "a/...jpg", "con.jpg"].map(|photo| names.unique_name(Path::new(photo)));
        assert_eq!(steered, ["_", "_-2", "_con"]);
        let long = format!("{}.jpg", "é".repeat(120));
        assert!(names.unique_name(Path::new(&long)).len() <= LONGEST_NAME);
    }
}

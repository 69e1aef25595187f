//! YOLO's text files: boxes, oriented boxes, polygons and poses, with the class names in another
//! file.

use super::{
    document::{Format, Read, number, text_at, text_of},
    draft::{DraftPhoto, Drafts, Mark, Outline, Unit, has_extension, is_picture},
};
use serde_json::Value;
use setsight_files::{json_fault, small_file::MAX_SETTINGS_BYTES};
use setsight_photo::geometry::Point;
use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    path::{Path, PathBuf},
};

pub(super) const FORMAT: Format = Format {
    name: "yolo",
    looks_like: "YOLO's text files beside data.yaml or classes.txt: boxes, corners or keypoints",
    read: Read::Yolo,
};

/// Names of files that list the classes line by line.
const LISTS: [&str; 3] = ["classes.txt", "obj.names", "_darknet.labels"];

/// The files among these that list classes, YAML before plain lists.
pub(super) fn lists_among(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut lists: Vec<PathBuf> = files
        .iter()
        .filter(|path| if is_yaml(path) { names_classes(path) } else { is_list(path) })
        .cloned()
        .collect();
    lists.sort_by_key(|path| is_list(path));
    lists
}

/// Whether a YAML file names classes.
fn names_classes(path: &Path) -> bool {
    let text = text_at(path, MAX_SETTINGS_BYTES).unwrap_or_default();
    text.lines().any(|line| value_of(line, "names").is_some())
}

fn is_yaml(path: &Path) -> bool {
    has_extension(path, "yaml") || has_extension(path, "yml")
}

fn is_list(path: &Path) -> bool {
    path.file_name().is_some_and(|name| LISTS.iter().any(|list| name == *list))
}

/// The classes that a file lists.
struct List<'a> {
    path: &'a Path,
    /// Their names by their numbers.
    classes: BTreeMap<usize, String>,
    keypoints: Option<Keypoints>,
}

/// The list for a file of labels: that of a folder which holds it, otherwise any.
fn list_of<'a>(text: &Path, lists: &'a [List<'a>]) -> Result<&'a List<'a>, String> {
    let nearest = Some(
        lists
            .iter()
            .filter(|list| list.path.parent().is_some_and(|dir| text.starts_with(dir)))
            .collect::<Vec<_>>(),
    );
    let nearest =
        nearest.filter(|nearest| !nearest.is_empty()).unwrap_or_else(|| lists.iter().collect());
    match nearest.iter().find(|list| list.classes != nearest[0].classes) {
        None => Ok(nearest[0]),
        Some(other) => Err(format!(
            "{} and {} list different classes for the same labels; keep the one that is right, or \
             give each its own folder with its own labels",
            nearest[0].path.display(),
            other.path.display()
        )),
    }
}

/// Reads the labels in the text files of a folder. `names` are the files that list the classes.
pub(super) fn read(names: &[PathBuf], files: &[PathBuf]) -> Drafts {
    let mut drafts = Drafts::default();
    let mut lists = Vec::new();
    for path in names {
        match classes_of(path) {
            Ok((classes, keypoints)) => lists.push(List { path, classes, keypoints }),
            Err(why) => drafts.problem(path, &why),
        }
    }
    if !drafts.problems.is_empty() {
        return drafts;
    }
    let mut texts: BTreeSet<PathBuf> =
        files.iter().filter(|file| has_extension(file, "txt") && !is_list(file)).cloned().collect();
    for picture in files.iter().filter(|file| is_picture(file)) {
        let mut ways = labels_apart(picture).into_iter().chain([picture.with_extension("txt")]);
        let Some(labels_file) = ways.find_map(|way| texts.take(&way)) else {
            drafts.skipped.push((picture.display().to_string(), None));
            continue;
        };
        let list = match list_of(&labels_file, &lists) {
            Ok(list) => list,
            Err(why) => {
                if !drafts.problems.contains(&why) {
                    drafts.problems.push(why);
                }
                continue;
            }
        };
        if let Some(marks) = marks_of(&labels_file, list, &mut drafts) {
            let (path, unit) = (picture.clone(), Unit::Shares);
            let (stated_px, shown_upright) = (None, false);
            drafts.photos.push(DraftPhoto {
                path,
                labels_file,
                stated_px,
                shown_upright,
                unit,
                marks,
            });
        }
    }
    // Lists of photos and notes are text files too; label files hold numbers from the first line
    // on.
    for text in texts {
        let Ok(list) = list_of(&text, &lists) else { continue };
        let marks = marks_of(&text, list, &mut Drafts::default());
        if marks.is_some_and(|marks| !marks.is_empty()) {
            drafts.problem(
                &text,
                "labels without a photo of this name; put the photo beside them or into images/, and call the two \
                 alike, such as a.jpg and a.txt",
            );
        }
    }
    drafts
}

/// The label file `labels/..txt` for `images/..jpg`; the last folder with that name is replaced.
fn labels_apart(picture: &Path) -> Option<PathBuf> {
    let mut parts: Vec<&OsStr> = picture.iter().collect();
    let images = parts.iter().rposition(|part| *part == "images")?;
    parts[images] = OsStr::new("labels");
    Some(parts.into_iter().collect::<PathBuf>().with_extension("txt"))
}

/// The objects in the lines of a file; each that is wrong is a problem. `None` if there are such.
fn marks_of(path: &Path, list: &List, drafts: &mut Drafts) -> Option<Vec<Mark>> {
    let text = match text_at(path, MAX_SETTINGS_BYTES) {
        Ok(text) => text,
        Err(why) => {
            drafts.problem(path, &why);
            return None;
        }
    };
    let mut marks = Some(Vec::new());
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = format!("line {}", i + 1);
        match mark_of(line, &list.classes, list.keypoints) {
            Ok(mark) => {
                if let Some(marks) = &mut marks {
                    marks.push(Mark { at, ..mark });
                }
            }
            Err(why) => {
                drafts.problem(path, &format!("{at}: {why}"));
                marks = None;
            }
        }
    }
    marks
}

/// Keypoints of each object: how many, and how many numbers each has (3 with its visibility).
type Keypoints = (usize, usize);

fn mark_of(
    line: &str,
    classes: &BTreeMap<usize, String>,
    keypoints: Option<Keypoints>,
) -> Result<Mark, String> {
    let mut words = line.split_whitespace();
    let class = words.next().unwrap_or_default();
    let class: usize = class
        .parse()
        .map_err(|_| format!("\"{class}\" is not a class; expected its number, counted from 0"))?;
    let numbers: Vec<f64> = words
        .map(|word| number(word).ok_or_else(|| format!("\"{word}\" is not a number")))
        .collect::<Result<_, String>>()?;
    let name = classes
        .get(&class)
        .ok_or_else(|| format!("class {class} has no name; {} classes are named", classes.len()))?;
    let mut shares = numbers.clone();
    let a_box = |x: f64, y: f64, width: f64, height: f64| {
        let corner = Point::new(x - width / 2.0, y - height / 2.0);
        Some(Outline::of_box(corner, (width, height)))
    };
    let outline = match (numbers.as_slice(), keypoints) {
        (&[x, y, w, h], _) => a_box(x, y, w, h),
        (&[x, y, w, h, ref points @ ..], Some((count, each))) if points.len() == count * each => {
            // Visibility 0: not labelled. It is not a fraction of the picture.
            let visible =
                points.chunks(each).filter(|p| p.get(2).is_none_or(|visible| *visible > 0.0));
            let visible: Vec<Point> = visible.map(|p| Point::new(p[0], p[1])).collect();
            shares = visible.iter().flat_map(|p| [p.x, p.y]).chain([x, y]).collect();
            Outline::of_keypoints(&visible, a_box(x, y, w, h))
        }
        // A box with a confidence and the number of a track is no border of three corners.
        (corners, _) => Outline::of_numbers(corners).filter(|_| corners.len() >= 8),
    };
    let outline = outline.ok_or_else(|| {
        format!(
            "{} numbers after the class; expected a box (4: its middle and size), corners (8, or \
             more: x and y of each), or a box and keypoints as kpt_shape in data.yaml says; take out \
             what a detector or a tracker adds",
            numbers.len()
        )
    })?;
    // How far one may reach out of the picture is seen with its pixels.
    if let Some(far) = shares.iter().find(|v| !(-1.0..=2.0).contains(*v)) {
        return Err(format!("{far} is not a fraction of the picture; expected 0 to 1, not pixels"));
    }
    Ok(Mark { class: name.clone(), outline, at: String::new() })
}

/// The class names by their numbers, and the keypoints of each object if there are any.
fn classes_of(path: &Path) -> Result<(BTreeMap<usize, String>, Option<Keypoints>), String> {
    let text = text_at(path, MAX_SETTINGS_BYTES)?;
    let named = if is_yaml(path) {
        names_of_yaml(&text)
    } else {
        text.trim_end().lines().map(|line| line.trim().to_owned()).enumerate().collect()
    };
    if named.is_empty() {
        return Err("names no class; expected a list such as names: [1fgd, 2spd]".to_owned());
    }
    let mut classes = BTreeMap::new();
    for (number, name) in named {
        if name.is_empty() {
            return Err(format!(
                "class {number}, counted from 0, has no name; name it, or take out the gap if the \
                 labels do not count it"
            ));
        }
        if let Some(before) = classes.insert(number, name.clone()) {
            return Err(format!(
                "class {number} is called {before} and {name}; give each class a number of its own"
            ));
        }
    }
    if is_yaml(path) {
        return Ok((classes, keypoints_of_yaml(&text)));
    }
    let notes = path.with_file_name("notes.json");
    let Some(numbered) = classes_of_notes(&notes)? else { return Ok((classes, None)) };
    let names =
        |classes: &BTreeMap<usize, String>| classes.values().cloned().collect::<BTreeSet<_>>();
    if names(&numbered) != names(&classes) {
        let notes = notes.display();
        return Err(format!("lists other classes than {notes}; keep the file that is right"));
    }
    Ok((numbered, None))
}

/// The classes by their numbers, which Label Studio writes beside a list in another order; `None` without such
/// notes.
fn classes_of_notes(path: &Path) -> Result<Option<BTreeMap<usize, String>>, String> {
    if !path.exists() {
        return Ok(None);
    }
    let unread = |why: String| format!("stands beside {}, which {why}", path.display());
    let notes: Value = serde_json::from_str(&text_at(path, MAX_SETTINGS_BYTES).map_err(unread)?)
        .map_err(|error| unread(format!("is not JSON: {}", json_fault(&error))))?;
    let Some(categories) = notes["categories"].as_array() else { return Ok(None) };
    let mut classes = BTreeMap::new();
    for category in categories {
        let number = category["id"].as_u64().and_then(|id| usize::try_from(id).ok());
        let named = number.zip(text_of(&category["name"]));
        let added = named.is_some_and(|(id, name)| classes.insert(id, name).is_none());
        if !added {
            return Err(unread("has a category without a number and a name of its own".to_owned()));
        }
    }
    Ok(Some(classes))
}

/// `kpt_shape: [4, 3]`, the only way in which it is written.
fn keypoints_of_yaml(text: &str) -> Option<Keypoints> {
    let line = text.lines().find_map(|line| value_of(line, "kpt_shape"))?;
    let inside = line.split_once('[')?.1.split_once(']')?.0;
    let (count, each) = inside.split_once(',')?;
    let (count, each) = (count.trim().parse().ok()?, each.trim().parse().ok()?);
    (count > 0 && (2..=3).contains(&each)).then_some((count, each))
}

/// What stands after a key at the start of a line: `names: x`.
fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (name, value) = line.split_once(':')?;
    (name == key).then(|| value.trim())
}

/// `names:` of a `data.yaml`, in each of the four ways in which YAML can write a list of words. A full
/// YAML parser would be too large a dependency for this.
fn names_of_yaml(text: &str) -> Vec<(usize, String)> {
    let mut lines = text.lines();
    let first = lines.find_map(|line| value_of(line, "names")).unwrap_or_default();
    let items: Vec<String> = if first.starts_with(['[', '{']) {
        let flow: Vec<&str> = std::iter::once(first).chain(lines).collect();
        split_outside_quotes(&flow.join(" ")[1..])
    } else {
        let items = lines
            .take_while(|line| line.starts_with([' ', '\t', '-', '#']) || line.is_empty())
            .map(str::trim);
        let items = items.filter(|line| !line.is_empty() && !line.starts_with('#'));
        items.map(|item| item.strip_prefix("- ").unwrap_or(item).to_owned()).collect()
    };
    items.into_iter().enumerate().map(|(i, item)| numbered(i, &item)).collect()
}

/// `3: 2spd`, as opposed to a name with a colon in it.
fn numbered(i: usize, item: &str) -> (usize, String) {
    let pair = item.split_once(':').and_then(|(key, name)| {
        Some((key.trim().trim_matches(['\'', '"']).parse::<usize>().ok()?, name))
    });
    let (number, name) = pair.unwrap_or((i, item));
    (number, unquoted(name))
}

/// The items of a list up to its end.
fn split_outside_quotes(text: &str) -> Vec<String> {
    let (mut items, mut item, mut quote) = (Vec::new(), String::new(), None);
    for c in text.chars() {
        match c {
            ']' | '}' if quote.is_none() => break,
            ',' if quote.is_none() => items.push(std::mem::take(&mut item)),
            c => {
                if quote == Some(c) {
                    quote = None;
                } else if quote.is_none() && (c == '\'' || c == '"') {
                    quote = Some(c);
                }
                item.push(c);
            }
        }
    }
    // A comma may end the list.
    if !item.trim().is_empty() {
        items.push(item);
    }
    items
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    for quote in ['\'', '"'] {
        let inside = text.strip_prefix(quote).and_then(|rest| rest.split(quote).next());
        if let Some(inside) = inside {
            return inside.to_owned();
        }
    }
    text.split(" #").next().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_however_yaml_writes_them() {
        let expected = [(0, "1fgd".to_owned()), (1, "two striped purple diamonds".to_owned())];
        for names in [
            "names: [1fgd, 'two striped purple diamonds']  # two\nnc: 2",
            "names: [\n  \"1fgd\",\n  two striped purple diamonds,\n]\n",
            "names:\n- 1fgd\n- two striped purple diamonds\nnc: 2",
            "names:\n  # classes\n\n  0: 1fgd  # one\n  1: 'two striped purple diamonds'\nval: x",
            "names: {0: 1fgd, 1: \"two striped purple diamonds\"}",
        ] {
            assert_eq!(names_of_yaml(&format!("path: .\n{names}\n")), expected, "{names}");
        }
        assert!(names_of_yaml("nc: 2\n").is_empty());
    }

    #[test]
    fn labels_lie_where_images_do() {
        let expected = PathBuf::from("images/x/labels/train/a.b.txt");
        assert_eq!(labels_apart(Path::new("images/x/images/train/a.b.jpg")), Some(expected));
        assert_eq!(labels_apart(Path::new("obj_train_data/a.jpg")), None);
    }

    #[test]
    fn a_line_that_is_no_label_is_reported() {
        let classes = [(0, "2spd".to_owned())].into();
        let why = |line: &str| mark_of(line, &classes, None).unwrap_err();
        assert!(why("2spd 0.5 0.5 0.1 0.1").contains("\"2spd\" is not a class"));
        assert!(why("1 0.5 0.5 0.1 0.1").contains("class 1 has no name; 1 classes"));
        // A confidence, and the number of a track.
        assert!(why("0 0.5 0.5 0.1 0.1 0.91").contains("5 numbers after the class"));
        assert!(why("0 0.5 0.5 0.1 0.1 0.91 1").contains("6 numbers after the class"));
        assert!(why("0 0.5 0.5 0.1").contains("3 numbers after the class"));
        assert!(why("0 0.5 0.5 0.1 x").contains("\"x\" is not a number"));
        assert!(why("0 640 0.5 0.1 0.1").contains("640 is not a fraction of the picture"));
        assert!(why("0 nan 0.5 0.1 0.1").contains("\"nan\" is not a number"));
    }
}

//! How heavy the project is: lines of text in each room, a room being a crate, the program or a folder beside
//! them, and words of the pages. Alone it prints what `docs/inside/weight.toml` may say; `tests/architecture.rs`
//! includes it, too.

use std::{collections::BTreeMap, fs, io, path::Path};

/// Budgets are whole steps, so that only a change that counts moves one.
pub const LINE_STEP: usize = 100;
pub const WORD_STEP: usize = 1000;

/// The folders that hold rooms, or are one.
const FOLDERS: [&str; 9] =
    ["benches", "crates", "examples", "findings", "fuzz", "models", "src", "tests", "tools"];

#[derive(Debug, Default)]
pub struct Weight {
    /// Lines of every text that is no page, by room: sources, scripts, styles, test data, snapshots.
    pub lines: BTreeMap<String, usize>,
    /// Words of the pages (`*.md`), by their folder below `docs`; all others are one.
    pub words: BTreeMap<String, usize>,
}

impl Weight {
    /// Of the project in the folder `root`.
    pub fn measure(root: &Path) -> io::Result<Self> {
        let mut weight = Self::default();
        for folder in FOLDERS.iter().chain(&["datasets", "docs"]) {
            weight.add_folder(root, Path::new(folder))?;
        }
        for entry in fs::read_dir(root)? {
            let name = entry?.file_name();
            if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                weight.add_file(root, Path::new(&name))?;
            }
        }
        Ok(weight)
    }

    fn add_folder(&mut self, root: &Path, below: &Path) -> io::Result<()> {
        for entry in fs::read_dir(root.join(below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if !entry.file_type()?.is_dir() {
                self.add_file(root, &path)?;
            } else if !["target", "__pycache__", "node_modules"]
                .iter()
                .any(|built| entry.file_name() == *built)
            {
                self.add_folder(root, &path)?;
            }
        }
        Ok(())
    }

    fn add_file(&mut self, root: &Path, path: &Path) -> io::Result<()> {
        let bytes = fs::read(root.join(path))?;
        // Pictures and weights; a zero byte is what `grep` knows them by.
        let Ok(text) = String::from_utf8(bytes) else { return Ok(()) };
        if text.contains('\0') {
            return Ok(());
        }
        let mut parts = path.iter().filter_map(|part| part.to_str());
        let top = parts.next().unwrap_or_default();
        let second = parts.next().filter(|_| parts.next().is_some());
        if path.extension().is_some_and(|extension| extension == "md") {
            let folder = second.filter(|_| top == "docs").unwrap_or("elsewhere");
            *self.words.entry(folder.into()).or_default() += text.split_whitespace().count();
        } else if FOLDERS.contains(&top) {
            let room = second.filter(|_| top == "crates").unwrap_or(top);
            *self.lines.entry(room.into()).or_default() += text.matches('\n').count();
        }
        Ok(())
    }

    /// The sections of `docs/inside/weight.toml` that would just hold this.
    pub fn sections(&self) -> String {
        format!(
            "{}\n{}",
            section("lines", &self.lines, LINE_STEP),
            section("words", &self.words, WORD_STEP)
        )
    }
}

fn section(title: &str, counts: &BTreeMap<String, usize>, step: usize) -> String {
    let budgets =
        counts.iter().map(|(name, count)| format!("{name} = {}\n", count.next_multiple_of(step)));
    format!("[{title}]\n{}", budgets.collect::<String>())
}

#[allow(dead_code)] // The test that includes this file has a `main` of its own.
fn main() -> io::Result<()> {
    let weight = Weight::measure(Path::new("."))?;
    print!("{}", weight.sections());
    let (lines, words) = (weight.lines.values(), weight.words.values());
    println!("# all: {} lines, {} words", lines.sum::<usize>(), words.sum::<usize>());
    Ok(())
}

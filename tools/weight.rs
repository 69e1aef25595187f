//! How heavy the Rust of each room is, a room being a crate, the program or a folder beside them: lines and
//! bytes of what runs, and of what tests it. Alone it prints the table; `tests/architecture.rs` includes it, too.

use std::{collections::BTreeMap, fs, io, path::Path};

/// Lines and bytes, as `wc` counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    pub lines: usize,
    pub bytes: usize,
}

/// What a room holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    pub production: Weight,
    pub tests: Weight,
}

/// The folders that hold rooms, or are one.
const FOLDERS: [&str; 8] =
    ["benches", "crates", "examples", "fuzz", "models", "src", "tests", "tools"];

/// The rooms below the project's folder, by name.
pub fn rooms(root: &Path) -> io::Result<BTreeMap<String, Room>> {
    let mut rooms = BTreeMap::new();
    for folder in FOLDERS {
        weigh(root, Path::new(folder), &mut rooms)?;
    }
    Ok(rooms)
}

fn weigh(root: &Path, below: &Path, rooms: &mut BTreeMap<String, Room>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            // What is built is not ours.
            if entry.file_name() != "target" {
                weigh(root, &path, rooms)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(root.join(&path))?;
            let mut parts = path.iter().filter_map(|part| part.to_str());
            let room = match parts.next() {
                Some("crates") => parts.next(),
                other => other,
            };
            add(rooms.entry(room.unwrap_or_default().to_owned()).or_default(), &path, &text);
        }
    }
    Ok(())
}

/// Adds a file: below a folder `tests`, or called so, it tests; in any other, what stands from its module of
/// tests on.
fn add(room: &mut Room, path: &Path, text: &str) {
    let is_test =
        path.iter().any(|part| part == "tests" || part == "tests.rs" || part == "testkit");
    let tests_from = match text.find("\n#[cfg(test)]\nmod tests {") {
        _ if is_test => 0,
        Some(at) => at + 1,
        None => text.len(),
    };
    let (production, tests) = text.split_at(tests_from);
    for (weight, part) in [(&mut room.production, production), (&mut room.tests, tests)] {
        weight.lines += part.matches('\n').count();
        weight.bytes += part.len();
    }
}

/// A line of `docs/inside/weight.toml`.
pub fn line(name: &str, room: &Room) -> String {
    let Room { production, tests } = room;
    format!(
        "{name} = {{ lines = {}, bytes = {}, test_lines = {}, test_bytes = {} }}",
        production.lines, production.bytes, tests.lines, tests.bytes
    )
}

#[allow(dead_code)] // The test that includes this file has a `main` of its own.
fn main() -> io::Result<()> {
    let rooms = rooms(Path::new("."))?;
    for (name, room) in &rooms {
        println!("{}", line(name, room));
    }
    let all = || rooms.values().flat_map(|room| [room.production, room.tests]);
    let (lines, bytes) =
        (all().map(|w| w.lines).sum::<usize>(), all().map(|w| w.bytes).sum::<usize>());
    println!("# all: {lines} lines, {bytes} bytes");
    Ok(())
}

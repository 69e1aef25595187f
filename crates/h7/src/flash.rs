//! The board's internal flash: what fits, and scripts made short for it.
//!
//! The plain H7 keeps 128 KB of its flash as a file system: FAT with sectors and clusters of 512
//! bytes. One sector is the boot record, one the table, 32 the root directory; 222 sectors are left,
//! and a file takes whole ones. This follows from the FAT format and the size of the flash, and was
//! not measured on a board.

use std::{io, path::Path};

/// Size of a sector, and of a cluster.
pub const SECTOR_BYTES: u64 = 512;
/// Most sectors that the board's files may take: 110 KB, which leaves two for what the firmware puts
/// there itself.
pub const LIMIT_SECTORS: u64 = 220;

/// Number of sectors that a file takes.
pub(crate) fn sectors(bytes: u64) -> u64 {
    bytes.div_ceil(SECTOR_BYTES)
}

/// Number of sectors that a folder's files take, whatever they are; a folder in it takes one more.
pub fn sectors_of(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        sum += if entry.file_type()?.is_dir() {
            1 + sectors_of(&entry.path())?
        } else {
            sectors(entry.metadata()?.len())
        };
    }
    Ok(sum)
}

/// A script without comments, docstrings and empty lines, indented by one space instead of four. It
/// must have no other strings of three quotes, and no block of a docstring alone.
pub(crate) fn shortened(script: &str) -> String {
    const QUOTES: &str = "\"\"\"";
    let mut short = String::new();
    let mut in_docstring = false;
    for line in script.lines() {
        let text = line.trim_start();
        if in_docstring {
            in_docstring = !text.contains(QUOTES);
            continue;
        }
        if let Some(rest) = text.strip_prefix(QUOTES) {
            in_docstring = !rest.contains(QUOTES);
            continue;
        }
        let code = without_comment(text);
        if !code.is_empty() {
            let indent = (line.len() - text.len()) / 4;
            short.extend(std::iter::repeat_n(' ', indent));
            short += code;
            short.push('\n');
        }
    }
    short
}

/// A line up to its comment.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return line[..at].trim_end(),
            (None, '"' | '\'') => quote = Some(c),
            (Some(_), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), _) if open == c && !escaped => quote = None,
            _ => {}
        }
        escaped = false;
    }
    line.trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::{MAIN, SOURCES};

    #[test]
    fn scripts_are_made_short() {
        let script = "# What it is.\n\nA = \"#\"  # a sign\ndef f(x):\n    \"\"\"One\n    or more.\"\"\"\n    \
                      if x:  # so\n        return '\\'#', (\n            x)\n    \"\"\"one\"\"\"\n";
        let short = "A = \"#\"\ndef f(x):\n if x:\n  return '\\'#', (\n   x)\n";
        assert_eq!(shortened(script), short);
    }

    #[test]
    fn every_block_of_the_scripts_keeps_a_body() {
        for (name, text) in SOURCES.into_iter().filter(|(name, _)| *name != MAIN) {
            let short = shortened(text);
            let lines: Vec<&str> = short.lines().collect();
            let indent = |line: &str| line.len() - line.trim_start().len();
            for pair in lines.windows(2).filter(|pair| pair[0].ends_with(':')) {
                assert!(indent(pair[1]) > indent(pair[0]), "{name}: {pair:?}");
            }
            assert!(!short.contains("\"\"\"") && short.len() < text.len(), "{name}");
        }
    }

    #[test]
    fn files_take_whole_sectors() {
        assert_eq!([0, 1, 512, 513].map(sectors), [0, 1, 1, 2]);
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), [0; 513]).unwrap();
        std::fs::create_dir(dir.path().join("b")).unwrap();
        std::fs::write(dir.path().join("b/c"), [0; 5]).unwrap();
        assert_eq!(sectors_of(dir.path()).unwrap(), 4);
    }
}

//! Checks whether a file may be opened as a library. The system's loader trusts the file's header,
//! so a truncated file would end the program by a signal.

use std::io::{self, Read, Seek, SeekFrom};
use std::{fs::File, path::Path};

/// ONNX Runtime's library is larger than this on every system.
const LEAST_BYTES: u64 = 1 << 20;
/// First bytes of Mach-O files, for one architecture and for several.
const MACH_O: [[u8; 4]; 2] = [[0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]];

/// Checks a library's file without opening it as a library.
///
/// # Errors
/// Why the file cannot be a library: missing, no library, or cut off.
pub fn check(path: &Path) -> Result<(), String> {
    let told = |reason: String| format!("{}: {reason}", path.display());
    let metadata = std::fs::metadata(path).map_err(|error| told(error.to_string()))?;
    if !metadata.is_file() {
        return Err(told("is no file; expected a library".into()));
    }
    if metadata.len() < LEAST_BYTES {
        return Err(told(format!(
            "{} bytes; ONNX Runtime's library is larger: fetch it again",
            metadata.len()
        )));
    }
    let mut file = File::open(path).map_err(|error| told(error.to_string()))?;
    match described_bytes(&mut file) {
        Err(error) => Err(told(error.to_string())),
        Ok(None) => Err(told("is no library of this system".into())),
        Ok(Some(bytes)) if bytes > metadata.len() => {
            Err(told(format!("is cut off: {} of {bytes} bytes; fetch it again", metadata.len())))
        }
        Ok(Some(_)) => Ok(()),
    }
}

/// The least number of bytes that a library's header implies; `None` if the file is no library.
fn described_bytes(file: &mut File) -> io::Result<Option<u64>> {
    let mut head = [0; 64];
    file.read_exact(&mut head)?;
    if cfg!(target_os = "windows") {
        return Ok(head.starts_with(b"MZ").then_some(0));
    }
    if cfg!(target_os = "macos") {
        return Ok(MACH_O.iter().any(|magic| head.starts_with(magic)).then_some(0));
    }
    // 64-bit little-endian ELF (System V ABI, chapter 4).
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return Ok(None);
    }
    let at = |from: usize, bytes: usize| {
        let field = &head[from..from + bytes];
        field.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte))
    };
    let (segments, sections) = (at(32, 8), at(40, 8));
    let (segment_bytes, segment_count) = (at(54, 2), at(56, 2));
    let mut end = sections.saturating_add(at(58, 2) * at(60, 2));
    for i in 0..segment_count {
        let mut segment = [0; 40];
        file.seek(SeekFrom::Start(segments.saturating_add(i * segment_bytes)))?;
        if file.read_exact(&mut segment).is_err() {
            return Ok(Some(u64::MAX));
        }
        let field = |from: usize| {
            u64::from_le_bytes(segment[from..from + 8].try_into().expect("eight bytes"))
        };
        end = end.max(field(8).saturating_add(field(32)));
    }
    Ok(Some(end))
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_whole_library_is_told_before_it_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.so");
        let says = |bytes: &[u8], part: &str| {
            std::fs::write(&path, bytes).unwrap();
            let reason = check(&path).unwrap_err();
            assert!(reason.contains(part), "{reason}");
        };
        says(b"no library", "10 bytes");
        says(&vec![b'x'; 2 << 20], "is no library of this system");
        // The test's own executable is as complete as a library.
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        says(&program[..program.len() / 2], "is cut off");
        std::fs::write(&path, &program).unwrap();
        check(&path).unwrap();
        assert!(check(folder.path()).unwrap_err().contains("is no file"));
        assert!(check(&folder.path().join("none")).is_err());
    }
}

//! Files that are read whole into memory: ordinary files of a limited size. Nothing else in the
//! program reads a file of others whole, but for photos (`setsight_photo::source`).
//! The names that Windows gives to devices, in every folder (`NUL`, `con.txt`), are none.

use std::hash::{DefaultHasher, Hasher};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::{error::Error, fmt, fs::File, path::Path};

/// Most bytes of what a person writes or the program keeps for itself: decks, settings, lists of
/// names.
pub const MAX_SETTINGS_BYTES: u64 = 1 << 20;
/// Most bytes of what programs write about many pictures: labels and figures.
pub const MAX_DATA_BYTES: u64 = 128 << 20;
/// Most values of a JSON document, names of members among them: each takes some 150 bytes in memory.
pub const MAX_JSON_VALUES: usize = 4_000_000;
/// Most bytes of weights, together with what training keeps.
pub const MAX_WEIGHTS_BYTES: u64 = 512 << 20;

/// Reads a file of at most `limit` bytes. A device or a pipe is refused before it is opened,
/// because reading it may never end.
///
/// # Errors
/// The system's error; [`ErrorKind::InvalidInput`] for what is no ordinary file; and
/// [`ErrorKind::FileTooLarge`] for one with more bytes.
pub fn read_small(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let metadata = path.metadata()?;
    if !metadata.is_file() || is_device(path) {
        let reason = "it is not an ordinary file but a folder, a device or a pipe";
        return Err(io::Error::new(ErrorKind::InvalidInput, reason));
    }
    let too_large = |bytes: &str| {
        let reason = format!("it has {bytes} bytes; at most {limit} are read");
        io::Error::new(ErrorKind::FileTooLarge, reason)
    };
    if metadata.len() > limit {
        return Err(too_large(&metadata.len().to_string()));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    // A file may grow meanwhile, and files under /proc claim 0 bytes and may be endless.
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(&format!("more than {limit}")));
    }
    Ok(bytes)
}

/// The first bytes of a file, at most so many.
///
/// # Errors
/// The system's error.
pub fn read_head(path: &Path, bytes: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(bytes);
    File::open(path)?.take(bytes as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// What a few blocks of a file hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    hash: u64,
    /// Whether one of them is all zero, as where room was reserved for content that is still to come.
    pub has_gap: bool,
}

impl Sample {
    /// Reads 16 blocks of 512 bytes, from the start to the end of an ordinary file of so many bytes.
    ///
    /// # Errors
    /// The system's error.
    pub fn read(path: &Path, bytes: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let (mut hasher, mut has_gap) = (DefaultHasher::new(), false);
        for part in 0..16 {
            let mut block = Vec::with_capacity(512);
            file.seek(SeekFrom::Start(bytes.saturating_sub(512) / 15 * part))?;
            file.by_ref().take(512).read_to_end(&mut block)?;
            has_gap |= !block.is_empty() && block.iter().all(|byte| *byte == 0);
            hasher.write(&block);
        }
        Ok(Self { hash: hasher.finish(), has_gap })
    }
}

/// Bytes that are not text, and in which line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotText {
    /// Counted from 1.
    pub line: usize,
}

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = "expected UTF-8, or UTF-16 with its byte order mark; save the text as UTF-8";
        write!(f, "line {} is not text; {expected}", self.line)
    }
}

impl Error for NotText {}

/// The text in the bytes of a file or of stdin, without the byte order mark that editors and shells
/// of Windows put at its start. All text that people or other programs write is decoded here.
///
/// # Errors
/// [`NotText`]: neither UTF-8 nor UTF-16 with its mark, or with a zero byte, as UTF-16 without its
/// mark has.
pub fn decode_text(mut bytes: Vec<u8>) -> Result<String, NotText> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    bytes = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => from_utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => from_utf16(rest, u16::from_be_bytes),
        text if text.starts_with(MARK) => text[MARK.len()..].to_vec(),
        _ => bytes,
    };
    let line = |before: &[u8]| 1 + before.iter().filter(|&&byte| byte == b'\n').count();
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        NotText { line: line(&error.as_bytes()[..valid]) }
    })?;
    match text.find('\0') {
        None => Ok(text),
        Some(at) => Err(NotText { line: line(&text.as_bytes()[..at]) }),
    }
}

/// As UTF-8, with a zero byte for what is not a character.
fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let chars = char::decode_utf16(pairs.iter().map(|&pair| unit(pair)));
    let incomplete = (!rest.is_empty()).then_some('\0');
    chars.map(|c| c.unwrap_or('\0')).chain(incomplete).collect::<String>().into_bytes()
}

/// Reads JSON about many pictures, for the caller to parse.
///
/// # Errors
/// Those of [`read_text`] and [`check_json`].
pub fn read_json(path: &Path) -> io::Result<String> {
    let text = read_text(path, MAX_DATA_BYTES)?;
    check_json(&text).map(|()| text)
}

/// Refuses JSON that would fill the memory once it is parsed.
///
/// # Errors
/// [`ErrorKind::FileTooLarge`] for more than [`MAX_JSON_VALUES`].
pub fn check_json(text: &str) -> io::Result<()> {
    if json_values(text.as_bytes()) > MAX_JSON_VALUES {
        let reason = format!("it holds more than {MAX_JSON_VALUES} values; split it");
        return Err(io::Error::new(ErrorKind::FileTooLarge, reason));
    }
    Ok(())
}

/// At least as many as a JSON text has values: each begins a list or an object, or follows what stands between two.
fn json_values(text: &[u8]) -> usize {
    let (mut values, mut at) = (0, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while text.get(at).is_some_and(|&byte| byte != b'"') {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
            }
            b',' | b':' | b'[' | b'{' => values += 1,
            _ => {}
        }
        at += 1;
    }
    values
}

/// Reads a text like [`read_small`].
///
/// # Errors
/// Those of [`read_small`], and [`ErrorKind::InvalidData`] with [`NotText`].
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    decode_text(read_small(path, limit)?)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Whether the system takes a path for a device because of its name, whatever lies there.
pub fn is_device(path: &Path) -> bool {
    cfg!(windows) && is_name_of_device(&path.file_name().unwrap_or_default().to_string_lossy())
}

/// A name for a file in a folder, from a name that others gave: one that leads nowhere else, and that Windows and its
/// shares take as well. They have other uses for some characters, drop dots and spaces at the end, and know devices.
pub fn portable(name: &str) -> String {
    let mut name = name.replace(|c: char| c.is_control() || "<>:\"/\\|?*".contains(c), "_");
    name.truncate(name.trim_end_matches(['.', ' ']).len());
    if name.is_empty() || is_name_of_device(&name) {
        name.insert(0, '_');
    }
    name
}

/// By Microsoft's "Naming Files, Paths, and Namespaces". What follows the first dot or colon does not count.
fn is_name_of_device(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let number = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    let is_port = number.is_some_and(|number| {
        let mut digits = number.chars();
        digits.next().is_some_and(|c| c.is_ascii_digit() || "¹²³".contains(c))
            && digits.next().is_none()
    });
    is_port || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&&*stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("five");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_small(&path, 5).unwrap(), b"12345");
        let error = read_small(&path, 4).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert_eq!(error.to_string(), "it has 5 bytes; at most 4 are read");
        let missing = read_small(&dir.path().join("none"), 4).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
    }

    #[test]
    fn a_name_stays_in_its_folder_on_every_system() {
        let table = [
            ("table 1", "table 1"),
            ("ü é.old", "ü é.old"),
            ("..", "_"),
            (".", "_"),
            ("", "_"),
            ("NUL", "_NUL"),
            ("con.jpg", "_con.jpg"),
            ("com1", "_com1"),
            ("console", "console"),
            ("a:b", "a_b"),
            ("a\nb\\c/d", "a_b_c_d"),
            ("end. .", "end"),
        ];
        for (name, expected) in table {
            assert_eq!(portable(name), expected, "{name:?}");
        }
    }

    #[test]
    fn text_is_decoded_from_either_encoding_and_byte_order() {
        let table: [(&[u8], Result<&str, usize>); 12] = [
            (b"", Ok("")),
            ("ä\na".as_bytes(), Ok("ä\na")),
            ("\u{feff}ä".as_bytes(), Ok("ä")),
            (b"\xff\xfe\xe4\0a\0", Ok("äa")),
            (b"\xfe\xff\0\xe4\0a", Ok("äa")),
            (b"\xff\xfe", Ok("")),
            // An odd byte, half a pair, UTF-32.
            (b"\xff\xfea\0\n\0a", Err(2)),
            (b"\xff\xfe\0\xd8a\0", Err(1)),
            (b"\xff\xfe\0\0a\0\0\0", Err(1)),
            // UTF-16 without its mark, Latin-1.
            (b"2\0s\0", Err(1)),
            (b"\0" as &[u8], Err(1)),
            (b"a\nb\n\xe4", Err(3)),
        ];
        for (bytes, expected) in table {
            let text = decode_text(bytes.to_vec()).map_err(|error| error.line);
            assert_eq!(text.as_deref(), expected.as_ref().copied(), "{bytes:?}");
        }
        assert_eq!(
            NotText { line: 3 }.to_string(),
            "line 3 is not text; expected UTF-8, or UTF-16 with its byte order mark; save the text as UTF-8"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.unwrap().success());
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [dir.path(), &fifo, &link] {
            let (sender, receiver) = std::sync::mpsc::channel();
            let asked = path.to_owned();
            std::thread::spawn(move || sender.send(read_small(&asked, 1 << 20)));
            let answer = receiver.recv_timeout(std::time::Duration::from_secs(60));
            let error = answer.expect("an answer, whatever is there").unwrap_err();
            assert!(
                error.to_string().contains("not an ordinary file"),
                "{}: {error}",
                path.display()
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_hides_its_size_is_cut_off() {
        let error = read_small(Path::new("/proc/self/status"), 10).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 10 bytes; at most 10 are read");
    }

    #[test]
    fn devices_have_these_names_with_any_ending() {
        for name in [
            "NUL",
            "con",
            "Aux.jpg",
            "nul.tar.gz",
            "COM1",
            "lpt9.txt",
            "com²",
            "CON .png",
            "CONIN$",
        ] {
            assert!(is_name_of_device(name), "{name}");
        }
        for name in
            ["", "console.jpg", "null.jpg", "COM", "COM10", "a.con", "table.nul.jpg", ".nul"]
        {
            assert!(!is_name_of_device(name), "{name}");
        }
    }
}

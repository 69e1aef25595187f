//! Names that Windows gives to devices, in every folder: `NUL`, `con.txt`.

use std::path::Path;

/// Whether the system takes a path for a device because of its name, whatever lies there.
pub fn is_device(path: &Path) -> bool {
    cfg!(windows) && is_name_of_device(&path.file_name().unwrap_or_default().to_string_lossy())
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

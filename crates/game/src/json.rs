//! What all JSON output has in common (docs/reference/json.md).

/// The first member, `version`, of every line of JSON. It increases when a member is renamed,
/// removed or changes its meaning; new members do not change it.
pub const VERSION: u32 = 1;

/// A path as members of JSON: its text under `name` and, where that is not all of it, for the path is no
/// UTF-8, its bytes in hexadecimal under `name_bytes`.
pub fn path_members(name: &str, path: &std::path::Path) -> Vec<(String, serde_json::Value)> {
    let mut members = vec![(name.to_owned(), path.to_string_lossy().into())];
    if path.to_str().is_none() {
        let bytes = path.as_os_str().as_encoded_bytes();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        members.push((format!("{name}_bytes"), hex.into()));
    }
    members
}

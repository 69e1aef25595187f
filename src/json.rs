//! What all JSON output has in common (docs/json.md).

/// The first member, `version`, of every line of JSON. It increases when a member is renamed,
/// removed or changes its meaning; new members do not change it.
pub const VERSION: u32 = 1;

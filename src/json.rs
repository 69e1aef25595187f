//! What all that is printed as JSON has in common (docs/json.md).

/// The first member, `version`, of every line of JSON. It grows when a member is renamed, goes away or
/// means something else; members that are new leave it as it is.
pub const VERSION: u32 = 1;

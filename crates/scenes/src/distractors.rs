//! What is no card: other objects on the table, and what people draw on pictures.

pub(crate) mod annotations;
mod catalogue;
mod flyers;
mod objects;
pub(crate) mod placement;

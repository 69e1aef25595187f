//! The contest's game.

//! The generalised game.

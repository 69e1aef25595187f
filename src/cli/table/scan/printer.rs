//! What `setsight scan` prints.

use crate::cli::terminal::ColorChoice;
use anyhow::Context;
use serde_json::Value;
use setsight_game::cards::picture::Ink;
use setsight_vision::output::{CSV_HEADER, Record};
use std::io::{self, Write};

/// How records are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people: the board as it lies, and its sets
    #[default]
    Text,
    /// A line of JSON for each photo
    Json,
    /// A line for each card
    Csv,
}

/// How much of a photo is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Its board and all its sets.
    All,
    /// Its sure sets, and the probable ones if so.
    Sets {
        /// Whether the probable sets are printed, too.
        probable: bool,
    },
}

/// Prints records as they come.
pub struct Printer {
    format: Format,
    extent: Extent,
    ink: Ink,
    begun: bool,
}

impl Printer {
    /// To stdout.
    pub fn new(format: Format, extent: Extent, color: ColorChoice) -> Self {
        Self { format, extent, ink: color.ink(), begun: false }
    }

    /// The line of JSON of one record.
    pub fn line(&self, record: &Record) -> Value {
        match self.extent {
            Extent::All => record.to_json(),
            Extent::Sets { probable } => record.sets_to_json(probable),
        }
    }

    /// Prints one record, at once.
    pub fn print(&mut self, record: &Record) -> anyhow::Result<()> {
        let mut text = String::new();
        match (self.format, self.extent) {
            // What could not be read is named on stderr.
            (Format::Text, _) if record.result.is_err() => return Ok(()),
            (Format::Text, extent) => {
                if self.begun {
                    text.push('\n');
                }
                text += &match extent {
                    Extent::All => record.to_text(self.ink) + hint(record),
                    Extent::Sets { probable } => record.sets_to_text(self.ink, probable),
                };
            }
            (Format::Json, _) => text = format!("{}\n", self.line(record)),
            (Format::Csv, _) => {
                if !self.begun {
                    text += CSV_HEADER;
                }
                text += &record.to_csv();
            }
        }
        self.begun = true;
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
            .context("cannot write the results to stdout")
    }
}

/// What to do about a photo that shows too few cards for a set; nothing for any other.
fn hint(record: &Record) -> &'static str {
    match record.result.as_ref().map_or(usize::MAX, |table| table.cards.len()) {
        0 => {
            "If there are cards on the table, take the photo from above, in even light, and close enough to \
             make out the symbols.\n"
        }
        1 | 2 => "A set needs three cards. Is the rest of the table in the picture?\n",
        _ => "",
    }
}

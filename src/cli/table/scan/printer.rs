//! What `setsight scan` prints.

use crate::cli::terminal::ColorChoice;
use anyhow::Context;
use setsight_game::cards::picture::Ink;
use setsight_vision::record::{CSV_HEADER, Record};
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

/// Prints records as they come.
pub struct Printer {
    format: Format,
    only_sets: bool,
    ink: Ink,
    begun: bool,
}

impl Printer {
    /// To stdout.
    pub fn new(format: Format, only_sets: bool, color: ColorChoice) -> Self {
        Self { format, only_sets, ink: color.ink(), begun: false }
    }

    /// Prints one record, at once.
    ///
    /// # Errors
    /// Stdout cannot be written to.
    pub fn print(&mut self, record: &Record) -> anyhow::Result<()> {
        let mut text = String::new();
        match (self.format, self.only_sets) {
            // What could not be read is named on stderr.
            (Format::Text, _) if record.result.is_err() => return Ok(()),
            (Format::Text, only_sets) => {
                if self.begun {
                    text.push('\n');
                }
                let told = if only_sets { Record::sets_to_text } else { Record::to_text };
                text += &told(record, self.ink);
            }
            (Format::Json, false) => text = format!("{}\n", record.to_json()),
            (Format::Json, true) => text = format!("{}\n", record.sets_to_json()),
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

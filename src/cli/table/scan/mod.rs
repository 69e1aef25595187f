//! `setsight scan`: photos in, cards and sets out.

pub mod folder;
mod printer;
mod resume;
mod scanning;
mod watch;

pub use scanning::Args;

use crate::cli::common::{BadCall, Outcome};
use crate::cli::page;
use printer::Format;
use scanning::{STDIN, Scanning};
use setsight_files::say;
use std::io::{self, IsTerminal};

/// Reads the photos, prints and writes what they hold.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    check(&args)?;
    let mut scan = Scanning::new(&args)?;
    let stopped = if args.watch { watch::watch(&mut scan)? } else { scan.read_paths()? };
    let (failed, counts) = (scan.failed, &scan.counts);
    let mut shown = true;
    let page = scan.out.map(|out| out.finish(stopped, counts)).transpose()?;
    // Programs that read JSON or CSV count for themselves.
    if !stopped && counts.photos > 1 && (page.is_some() || args.results.format == Format::Text) {
        let page = page.as_ref().map(|page| format!("; {}", page.display())).unwrap_or_default();
        say!("{counts}{page}");
    }
    if let Some(written) = page
        && args.results.open
        && !stopped
    {
        shown = page::show(&written);
    }
    Ok(if failed > 0 || stopped || !shown { Outcome::SomeFailed } else { Outcome::Done })
}

fn check(args: &Args) -> Result<(), BadCall> {
    let results = &args.results;
    if results.only_sets && results.format == Format::Csv {
        let message = "--only-sets is for text and JSON; CSV has a line for each card";
        return Err(BadCall(message.to_owned()));
    }
    if args.resume.is_some() {
        if args.watch || args.paths.iter().any(|path| path.as_os_str() == STDIN) {
            let message = "--resume is for photos that are there: neither --watch nor -";
            return Err(BadCall(message.to_owned()));
        }
        if results.format != Format::Json {
            let message = "--resume keeps lines of JSON: add --format json";
            return Err(BadCall(message.to_owned()));
        }
        if results.out.is_some() {
            let message =
                "the page of --out shows the photos of one run: leave out --out or --resume";
            return Err(BadCall(message.to_owned()));
        }
    }
    if args.watch {
        return match args.paths.iter().find(|path| !path.is_dir()) {
            Some(path) => {
                let path = path.display();
                Err(BadCall(format!(
                    "--watch {path}: is no folder; expected one that photos come into"
                )))
            }
            None => Ok(()),
        };
    }
    if args.paths.iter().any(|path| path.as_os_str() == STDIN) {
        if args.paths.len() > 1 {
            let message = "- is one photo from stdin: name no other photo beside it";
            return Err(BadCall(message.to_owned()));
        }
        if io::stdin().is_terminal() {
            let message =
                "- reads a photo from stdin, which is a terminal; setsight scan - < table.jpg";
            return Err(BadCall(message.to_owned()));
        }
    }
    Ok(())
}

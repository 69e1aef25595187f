//! `setsight app`: the window.

use super::photos::{ModelsArgs, ReadingArgs};
use crate::cli::common::{BadCall, Outcome, one_of};
use crate::cli::stop;
#[cfg(windows)]
use crate::cli::{common::error_message, console};
use anyhow::Context;
use setsight_game::game::Deal;
use setsight_window::{Options, Show, deals_of, is_file_of_deals, settings::Brightness};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `app`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight app                          then drop photos on the window
  setsight app holiday-photos
  setsight app table.jpg --show hint
  setsight app deals.txt                the game of the contest, step by step
  setsight app table.jpg --screenshot window.png

In the window F1 shows every key.")]
pub struct Args {
    /// Photos, a folder of photos, or a file of deals (.txt)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What the window shows first [default: solve; deal for a file of deals]
    #[arg(long, value_parser = one_of(Show::all(), Show::name_and_help))]
    show: Option<Show>,
    #[command(flatten)]
    models: ModelsArgs,
    /// Size of the window [default: as it was the last time, 1280x800 at first]
    #[arg(hide = true, long, value_name = "WxH", value_parser = size)]
    size: Option<(f32, f32)>,
    /// Light or dark, whatever the settings say
    #[arg(hide = true, long = "look", value_parser = one_of(&Brightness::ALL, brightness_help))]
    brightness: Option<Brightness>,
    /// Write a picture of the window (PNG) once the photo is read, print what it shows, and close
    #[arg(hide = true, long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
}

fn brightness_help(choice: Brightness) -> (&'static str, &'static str) {
    match choice {
        Brightness::System => ("system", "As the system says"),
        Brightness::Light => ("light", "Dark letters on a light ground"),
        Brightness::Dark => ("dark", "Light letters on a dark ground"),
    }
}

fn size(text: &str) -> Result<(f32, f32), String> {
    match text.split_once('x').and_then(|(w, h)| Some((side(w)?, side(h)?))) {
        Some((w, h)) => Ok((f32::from(w), f32::from(h))),
        _ => Err("expected width and height in points, 200 to 8000, such as 1280x800".to_owned()),
    }
}

fn side(text: &str) -> Option<u16> {
    text.parse().ok().filter(|side| (200..=8000).contains(side))
}

/// The deals of the file that is to be opened, which must be alone.
fn deals(file: &Path, args: &Args) -> Result<Vec<Deal>, BadCall> {
    let name = file.display();
    if args.paths.len() > 1 {
        let message = format!("{name}: a file of deals is opened alone, without photos or others");
        return Err(BadCall(message));
    }
    if let Some(show) = args.show.filter(|show| show.is_of_photos()) {
        let (show, _) = show.name_and_help();
        let message = format!(
            "--show {show}: there is no photo to show in {name}, a file of deals; use --show deal or play"
        );
        return Err(BadCall(message));
    }
    deals_of(file).map_err(|error| BadCall(format!("{name}: {error}")))
}

/// Opens the window and stays until it is closed.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    #[cfg(windows)]
    if console::is_exclusive() {
        console::leave();
        let outcome = open(args);
        if let Err(error) = &outcome {
            // Nobody sees a terminal.
            setsight_desktop::alert("setsight", &error_message(error));
        }
        return outcome;
    }
    open(args)
}

fn open(args: Args) -> anyhow::Result<Outcome> {
    if let Some(missing) = args.paths.iter().find(|path| !path.exists()) {
        let path = missing.display();
        let message = format!("{path}: does not exist; expected a photo or a folder of photos");
        return Err(BadCall(message).into());
    }
    if args.models.models.is_some() {
        // What is wrong with the weights is reported here, not in a window.
        ReadingArgs { models: args.models.clone(), ..ReadingArgs::default() }.pipeline()?;
    }
    let (deals, usual) = match args.paths.iter().find(|path| is_file_of_deals(path)) {
        Some(file) => (deals(file, &args)?, Show::Deal),
        None => (Vec::new(), Show::Solve),
    };
    let show = args.show.unwrap_or(usual);
    let options = Options {
        paths: if deals.is_empty() { args.paths } else { Vec::new() },
        deals,
        show,
        models: args.models.models,
        live: None,
        size: args.size,
        brightness: args.brightness,
        screenshot: args.screenshot,
        stop: stop::asked(),
    };
    if let Some(shown) = setsight_window::open(options)? {
        writeln!(io::stdout().lock(), "{shown}").context("cannot write to stdout")?;
    }
    Ok(Outcome::Done)
}

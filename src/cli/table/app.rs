//! `setsight app`: the window.

use crate::cli::common::{BadCall, Outcome, one_of};
use anyhow::Context;
use setsight_window::settings::Brightness;
use setsight_window::{Options, Show};
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of `app`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight app                          then drop photos on the window
  setsight app holiday-photos
  setsight app table.jpg --show hint
  setsight app table.jpg --screenshot window.png

In the window F1 shows every key.")]
pub struct Args {
    /// Photos, or a folder of photos
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What the window shows first
    #[arg(long, value_parser = one_of(&Show::ALL, Show::name_and_help), default_value = "solve")]
    show: Show,
    /// Size of the window [default: as it was the last time, 1280x800 at first]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(f32, f32)>,
    /// Light or dark, whatever the settings say
    #[arg(long = "look", value_parser = one_of(&Brightness::ALL, brightness_help))]
    brightness: Option<Brightness>,
    /// Write a picture of the window (PNG) once the photo is read, print what it shows, and close
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
    /// Scroll and leaf through the photos for so many seconds, print frame times and memory, and close
    #[arg(long, value_name = "SECONDS", conflicts_with = "screenshot")]
    measure: Option<u16>,
}

fn brightness_help(choice: Brightness) -> (&'static str, &'static str) {
    match choice {
        Brightness::System => ("system", "As the system says"),
        Brightness::Light => ("light", "Dark letters on a light ground"),
        Brightness::Dark => ("dark", "Light letters on a dark ground"),
    }
}

fn size(text: &str) -> Result<(f32, f32), String> {
    let side = |text: &str| text.parse::<u16>().ok().filter(|side| (200..=8000).contains(side));
    let parts = text.split_once('x').and_then(|(w, h)| Some((side(w)?, side(h)?)));
    match parts {
        Some((w, h)) => Ok((f32::from(w), f32::from(h))),
        _ => Err("expected width and height in points, 200 to 8000, such as 1280x800".to_owned()),
    }
}

/// Opens the window and stays until it is closed.
///
/// # Errors
/// A path that is not there; no window can be opened; a picture that cannot be taken or written.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if let Some(missing) = args.paths.iter().find(|path| !path.exists()) {
        let path = missing.display();
        let message = format!("{path}: does not exist; expected a photo or a folder of photos");
        return Err(BadCall(message).into());
    }
    let options = Options {
        paths: args.paths,
        show: args.show,
        live: None,
        size: args.size,
        brightness: args.brightness,
        screenshot: args.screenshot,
        measure: args.measure,
    };
    if let Some(shown) = setsight_window::open(options)? {
        writeln!(io::stdout().lock(), "{shown}").context("cannot write to stdout")?;
    }
    Ok(Outcome::Done)
}

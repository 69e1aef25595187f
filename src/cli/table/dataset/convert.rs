//! `setsight dataset convert`.

use crate::cli::common::{BadCall, Outcome};
use crate::cli::stop;
use crate::cli::table::photos::progress;
use anyhow::Context;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use setsight_eval::convert::{self, Converted, Format};
use setsight_files::{print_result, say};
use setsight_photo::labels::PhotoLabel;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Arguments of `dataset convert`.
#[derive(clap::Args)]
#[command(
    after_help = "Classes are named by their card's code (2spd) or in words (\"two striped purple \
    diamonds\", PURPLE_DIAMOND_2_STRIPED, RedOvalOneSolid). A card in a box with straight sides is labelled by its centre \
    alone; four corners are kept. What is not as its form says is refused.\n\n\
    Nothing of FROM is changed and nothing is replaced. The labels say where the photos lie, by the way \
    from DIR: keep them there, or take copies along with --copy. With the photos' own folder for DIR the \
    labels stand beside them, as `setsight app` has them.\n\n\
    Examples:\n  \
    setsight dataset convert export --out labelled\n  \
    setsight dataset convert project/result.json --out labelled --copy\n  \
    setsight dataset convert photos/centres.csv --out photos"
)]
pub struct Args {
    /// File or folder with labels as another program wrote them
    from: PathBuf,
    /// Folder for labels.json (photos) or labels.csv (crops); made when it does not exist
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// What FROM is
    #[arg(long, value_enum, default_value_t)]
    from_format: From,
    /// Copy the pictures into DIR too, which must be new or empty
    #[arg(long)]
    copy: bool,
    /// A class that is no card, such as backs, to be passed over; may be given often
    #[arg(long, value_name = "CLASS")]
    leave_out: Vec<String>,
}

/// What is converted.
#[derive(Clone, Copy, Debug, Default)]
enum From {
    /// By its content.
    #[default]
    Auto,
    As(Format),
}

impl ValueEnum for From {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [From; 1 + Format::ALL.len()] = {
            let mut all = [From::Auto; 1 + Format::ALL.len()];
            let mut i = 0;
            while i < Format::ALL.len() {
                all[1 + i] = From::As(Format::ALL[i]);
                i += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Auto => PossibleValue::new("auto").help("By the file's content"),
            Self::As(format) => {
                let value = PossibleValue::new(format.name).help(format.looks_like);
                // What it was called while a table held centres alone.
                if format.name == "csv" { value.alias("centres") } else { value }
            }
        })
    }
}

/// Converts labels.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let format = match args.from_format {
        From::Auto => None,
        From::As(format) => Some(format),
    };
    let found = convert::find(&args.from, format).map_err(|error| BadCall(error.to_string()))?;
    let stop = stop::asked();
    let bar = progress(found.pictures());
    let mut go_on = || {
        bar.inc(1);
        !stop.load(Ordering::Relaxed)
    };
    let settled = found.settle(&args.leave_out, &mut go_on);
    bar.finish_and_clear();
    let converted = match settled {
        Ok(converted) => converted,
        Err(error @ convert::SettleError::NoSuchClass { .. }) => {
            return Err(BadCall(error.to_string()).into());
        }
        Err(error) => return Err(error).context("nothing is written"),
    };
    let told = converted.to_string();
    let notes = notes(&converted, args.copy);
    let format = converted.format.name;
    let bar = progress(if args.copy { converted.photos.len() + converted.crops.len() } else { 0 });
    let mut go_on = || {
        bar.inc(1);
        !stop.load(Ordering::Relaxed)
    };
    let written = converted.write(&args.out, args.copy, &mut go_on);
    bar.finish_and_clear();
    let path = written?;
    for note in notes {
        say!("{note}");
    }
    // A closed pipe is no error.
    let _ = print_result!("{}: {told}, from {format}", path.display());
    Ok(Outcome::Done)
}

/// What people should know of the labels.
fn notes(converted: &Converted, copied: bool) -> Vec<String> {
    let bare = |photo: &&(PathBuf, PhotoLabel)| photo.1.cards.is_empty();
    let bare: Vec<String> =
        converted.photos.iter().filter(bare).map(|(path, _)| path.display().to_string()).collect();
    let turned = converted.turned.iter().map(|path| path.display().to_string()).collect();
    let mut notes: Vec<String> = [
        (converted.skipped.clone(), "photos that nobody labelled are left out"),
        (bare, "photos without a card count as truth; take out those that nobody labelled"),
        (turned, "photos are turned by their EXIF data; their labels were taken to speak of them as viewers show them"),
    ]
    .iter()
    .filter_map(|(photos, what)| {
        Some(format!("{} {what}, such as {}", photos.len(), photos.first()?))
    })
    .collect();
    let taken = if copied { "they are copied all the same" } else { "the labels name them there" };
    let outside = converted.outside();
    if let [first, ..] = outside.as_slice() {
        notes.push(format!(
            "{} labelled pictures lie outside of the folder of the labels, such as {}; {taken}",
            outside.len(),
            first.display()
        ));
    }
    notes
}

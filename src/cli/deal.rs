//! `setsight deal`: the contest's game.

use super::terminal;
use crate::cli::common::{BadCall, Outcome, put, read_input};
use anyhow::Context;
use setsight_eval::drawn_card::{SheetWords, Sheets, boards};
use setsight_files::{print_result, say};
use setsight_game::cards::picture::{self, Ink, Slot};
use setsight_game::game::{
    Deal, Difference, Game, Step, describe, first_difference, parse_deals, place_name, transcript,
    write_deals,
};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// A hundred full data sets take 50 KB; the rest is room for blank lines.
const MAX_INPUT_BYTES: u64 = 1 << 20;

/// A hundred games take 2 MB, each of a hundred lines.
const MAX_OUTPUT_BYTES: u64 = 1 << 25;

/// Arguments of `deal`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  setsight deal deals.txt               the transcript of every game of a file
  setsight deal < deals.txt             the same
  setsight deal --random --seed 7       the transcript of a random game
  setsight deal --random --watch        watch a random game step by step
  setsight deal --random --write        a deal to play later
  setsight deal --check out.txt in.txt  whether a program played in.txt correctly
  setsight deal --random --print a.html a board to print, its sets on the back
  setsight deal --random --print a.html --per-sheet 4
                                        four of them on a sheet

A file holds the number of data sets (1 to 100), then for each the number of its cards
(12 to 81) and their codes, one entry to a line.")]
pub struct Args {
    /// File of deals; without it, or with -, it is read from stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Shuffle a deck instead of reading a file
    #[arg(long, conflicts_with = "file")]
    random: bool,
    /// Seed of the shuffled deck; the same seed gives the same deal
    #[arg(long, requires = "random")]
    seed: Option<u64>,
    /// Check what another program printed for these deals; name the first line that differs
    ///
    /// Blank lines, white space and letter case do not matter, nor does the order of a game's last two
    /// messages.
    #[arg(long, value_name = "OUT", conflicts_with_all = ["watch", "write"])]
    check: Option<PathBuf>,
    /// Write the deals themselves in the file's format instead of playing them
    #[arg(long, conflicts_with = "watch")]
    write: bool,
    /// Write a page (HTML) to print on both sides instead: the first twelve cards of each deal, their sets on the back
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watch", "write"])]
    print: Option<PathBuf>,
    /// Boards per sheet: 1, 2 or 4; random ones count up from --seed [default: 1]
    ///
    /// The sets of several boards follow the last board, on separate sheets.
    #[arg(long, value_name = "N", requires = "print", value_parser = per_sheet)]
    per_sheet: Option<usize>,
    /// Show the table after each step; on a terminal, step with Enter, back with b, quit with q
    #[arg(long)]
    watch: bool,
}

/// Plays the deals.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let deals = deals(&args)?;
    if let Some(file) = &args.print {
        let per_sheet = args.per_sheet.unwrap_or(1);
        let sheets = Sheets { per_sheet, paper: None, answers_apart: false };
        let page = boards(&SheetWords::default(), &deals, sheets);
        put(file, setsight_eval::html::head().as_bytes(), args.file.as_slice(), page.as_bytes())?;
        return Ok(Outcome::Done);
    }
    let deals: Vec<Deal> = deals.into_iter().map(|(_, deal)| deal).collect();
    if let Some(output) = &args.check {
        return judge(&deals, output);
    }
    let mut out = io::stdout().lock();
    if args.write {
        out.write_all(write_deals(&deals).as_bytes())
    } else if !args.watch {
        out.write_all(transcript(&deals).as_bytes())
    } else {
        let keys_are_free = args.random || args.file.as_ref().is_some_and(|f| f.as_os_str() != "-");
        let interactive = keys_are_free && io::stdin().is_terminal() && out.is_terminal();
        watch(&mut out, &deals, terminal::ink(), interactive)
    }
    .context("cannot write the game")?;
    Ok(Outcome::Done)
}

/// Says where another program's transcript first differs from the right one; fails if it does.
fn judge(deals: &[Deal], output: &Path) -> anyhow::Result<Outcome> {
    let (text, name) = read_input(Some(output), MAX_OUTPUT_BYTES, "transcript")?;
    let Some(Difference { line, data_set, expected, found }) = first_difference(deals, &text)
    else {
        print_result!("{name}: right")?;
        return Ok(Outcome::Done);
    };
    let place = if data_set == 0 { String::new() } else { format!(", data set {data_set}") };
    print_result!(
        "{name}, line {line}{place}: expected {}, found {}",
        quoted(expected),
        quoted(found)
    )?;
    Ok(Outcome::SomeFailed)
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn quoted(line: Option<String>) -> String {
    line.map_or("the end".into(), |line| format!("{line:?}"))
}

fn per_sheet(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| [1, 2, 4].contains(count));
    count.ok_or_else(|| "expected 1, 2 or 4 boards on a sheet".to_owned())
}

/// The deals, each with what it is called.
fn deals(args: &Args) -> anyhow::Result<Vec<(String, Deal)>> {
    if args.random {
        let seed = args.seed.unwrap_or_else(|| {
            let seed = terminal::fresh_seed();
            say!("this deal again: --random --seed {seed}");
            seed
        });
        let count = args.per_sheet.unwrap_or(1) as u64;
        let seeds = (0..count).map(|more| seed.wrapping_add(more));
        return Ok(seeds.map(|n| (format!("Board {n}"), Deal::random(n))).collect());
    }
    let (file, name) = read_input(args.file.as_deref(), MAX_INPUT_BYTES, "file of deals")?;
    match parse_deals(file.as_bytes()) {
        Ok(deals) => Ok(numbered(&name, deals)),
        Err(error) => Err(BadCall(format!("{name}, {error}")).into()),
    }
}

/// Deals of one name, distinguished by their numbers.
fn numbered(name: &str, deals: Vec<Deal>) -> Vec<(String, Deal)> {
    let all = deals.len();
    if all == 1 {
        return deals.into_iter().map(|deal| (name.to_owned(), deal)).collect();
    }
    (1..).zip(deals).map(|(n, deal)| (format!("{name}, board {n} of {all}"), deal)).collect()
}

/// A game taken apart: each step with the game as it is then.
fn steps(deal: &Deal) -> Vec<(Step, Game)> {
    let mut game = Game::new(deal);
    let mut steps = Vec::new();
    while let Some(step) = game.next() {
        steps.push((step, game.clone()));
    }
    steps
}

fn watch(out: &mut impl Write, deals: &[Deal], ink: Ink, interactive: bool) -> io::Result<()> {
    for (i, deal) in deals.iter().enumerate() {
        let steps = steps(deal);
        let mut at = 0;
        while let Some((step, game)) = steps.get(at) {
            if interactive {
                // Clear the screen, go to its top left.
                out.write_all(b"\x1b[2J\x1b[H")?;
            }
            let title = format!(
                "Data Set {} of {}, step {} of {}",
                i + 1,
                deals.len(),
                at + 1,
                steps.len()
            );
            out.write_all(picture(&title, step, game, ink).as_bytes())?;
            out.flush()?;
            at = match interactive.then(ask).transpose()? {
                Some(Answer::Back) => at.saturating_sub(1),
                Some(Answer::Quit) => return Ok(()),
                Some(Answer::Next) | None => at + 1,
            };
        }
    }
    Ok(())
}

enum Answer {
    Next,
    Back,
    Quit,
}

fn ask() -> io::Result<Answer> {
    eprint!("Enter: next, b: back, q: quit ");
    let mut line = String::new();
    // The end of the input is a wish to leave, too.
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Ok(Answer::Quit);
    }
    Ok(match line.trim().chars().next() {
        Some('b' | 'B') => Answer::Back,
        Some('q' | 'Q') => Answer::Quit,
        _ => Answer::Next,
    })
}

/// The step in words, then the table, with the cards in question marked.
fn picture(title: &str, step: &Step, game: &Game, ink: Ink) -> String {
    let marked: &[usize] = match step {
        Step::Found(sets) => &sets[0].0,
        Step::Added(places) => places,
        _ => &[],
    };
    let rows: Vec<Vec<Slot>> = game
        .rows()
        .map(|row| {
            row.map(|i| {
                let (card, marked) = (game.places()[i], marked.contains(&i));
                Slot { label: format!("{} {}", i + 1, place_name(i)), card, marked }
            })
            .collect()
        })
        .collect();
    let words = match step {
        // The list of the sets with their places, and the first marked.
        Step::Found(sets) => {
            let lines = describe(step, game);
            let (count, listed) = lines.split_once('\n').unwrap_or_default();
            let places = sets.iter().map(|set| {
                // The list has the cards of a set in their own order.
                let mut places = set.0;
                places.sort_by_key(|&place| game.places()[place]);
                places.map(place_name).join(" ")
            });
            let listed = listed.lines().zip(places).map(|(set, at)| format!("{set}   {at}\n"));
            format!("{count}\n{}", listed.collect::<String>())
        }
        // The first line; the table is drawn below.
        _ => describe(step, game).lines().take(1).map(|line| format!("{line}\n")).collect(),
    };
    format!(
        "{}: {} to deal, {} taken\n{words}{}\n",
        ink.bold(title),
        count(game.stock(), "card"),
        count(game.removed().len() / 3, "set"),
        picture::grid(&rows, ink)
    )
}

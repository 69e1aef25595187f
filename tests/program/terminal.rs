//! What a terminal shows, which is not what a pipe gets: colours, bars, the code for a phone.

use crate::common::{World, pictures::*};
use image::ImageFormat;

const PROGRAM: &str = env!("CARGO_BIN_EXE_setsight");

/// A character of a screen and the luminance of its ink and of its ground, 0 to 255.
type Cell = (char, u8, u8);

/// The cells that a terminal shows of a line: light on dark until colours are set. Only the colours that the
/// program sets are known here.
fn cells(line: &str) -> Vec<Cell> {
    const USUAL: (u8, u8) = (200, 0);
    let (mut ink, mut ground) = USUAL;
    let mut cells = Vec::new();
    let mut rest = line.trim_end_matches('\r').chars();
    while let Some(c) = rest.next() {
        if c != '\x1b' {
            cells.push((c, ink, ground));
            continue;
        }
        let code: String = rest.by_ref().take_while(|&c| c != 'm').collect();
        match code.as_str() {
            "[0" => (ink, ground) = USUAL,
            "[38;5;16;48;5;231" => (ink, ground) = (0, 255),
            other => panic!("ESC {other}m in {line:?}"),
        }
    }
    cells
}

const MODULE_PX: usize = 6;

fn luminance(code: &[Vec<Cell>], x: usize, y: usize) -> u8 {
    let (column, row) = (x / MODULE_PX, y / MODULE_PX);
    // Beyond its end a line is as dark as the terminal.
    let (c, ink, ground) = code[row / 2].get(column).copied().unwrap_or((' ', 0, 0));
    match (c, row % 2) {
        ('█', _) | ('▀', 0) | ('▄', 1) => ink,
        (' ' | '▀' | '▄', _) => ground,
        other => panic!("{other:?} in a code"),
    }
}

/// What a phone reads from lines whose characters are two modules each, one above the other.
fn scanned(code: &[Vec<Cell>]) -> String {
    let width = MODULE_PX * code.iter().map(Vec::len).max().unwrap();
    let height = 2 * MODULE_PX * code.len();
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let screen: Vec<u8> = places.map(|(x, y)| luminance(code, x, y)).collect();
    let mut scanner = quircs::Quirc::default();
    let codes: Vec<_> = scanner.identify(width, height, &screen).collect();
    let [Ok(code)] = codes.as_slice() else { panic!("{} codes in the terminal", codes.len()) };
    String::from_utf8(code.decode().unwrap().payload).unwrap()
}

#[test]
fn a_phone_reads_the_code_off_any_terminal() {
    for setting in ["", "NO_COLOR=1 ", "TERM=dumb "] {
        let world = World::new();
        let call = format!("{setting}exec {PROGRAM} serve --listen 127.0.0.1");
        let (mut terminal, _keys) = world.on_a_terminal(&call);
        let mut code = Vec::new();
        loop {
            let line = terminal.line();
            if line.starts_with("Scan this code") {
                break;
            }
            let line = cells(&line);
            if line.iter().all(|(c, ..)| " █▀▄".contains(*c)) {
                code.push(line);
            }
        }
        assert_eq!(scanned(&code), terminal.line().trim(), "{setting}");
    }
}

/// Of each command what must come as an escape sequence, and come through.
#[test]
fn colours_and_bars_are_never_spelt_out() {
    let world = World::new();
    let photo = encoded(table(&BOARD).0, ImageFormat::Jpeg);
    for name in ["photos/1.jpg", "photos/2.jpg"] {
        world.file(name, &photo);
    }
    for (command, sequences) in [
        ("scan photos", &["\x1b[1m", "\x1b[38;5;196m", "\x1b[2K"][..]),
        ("sets 1fro 2fro 3fro", &["\x1b[1m", "\x1b[38;5;196m"]),
        ("deck check photos", &["\x1b[2K"]),
        ("live --headless --video photos", &[]),
        ("simulate --games 2000", &["\x1b[2K"]),
    ] {
        let (terminal, _keys) = world.on_a_terminal(&format!("exec {PROGRAM} {command}"));
        let shown = String::from_utf8(terminal.end().stdout).unwrap();
        let missing: Vec<_> = sequences.iter().filter(|one| !shown.contains(**one)).collect();
        assert!(
            missing.is_empty() && !shown.contains("\\u{"),
            "{command}: {missing:?} in {shown:?}"
        );
        assert!(shown.lines().count() > 0, "{command}");
    }
}

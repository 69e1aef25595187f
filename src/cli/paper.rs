//! The published figures of the paper on the generalised game, for comparison.

use setsight_generalized::{Kind, Rules, Without};

/// The paper's mean CPU seconds (in Python) for n = 2 to 6, and over how many games.
struct Paper {
    values: usize,
    properties: usize,
    games: u32,
    smt: [f64; 5],
    dynamic: [f64; 5],
    brute: [f64; 5],
}

const PAPER: [Paper; 2] = [
    Paper {
        values: 3,
        properties: 4,
        games: 10,
        smt: [0.0830945, 0.1309777, 0.1469017, 0.1981986, 0.2494722],
        dynamic: [0.0012532, 0.0021258, 0.00206, 0.0031261, 0.0051556],
        brute: [0.0792278, 0.1288052, 0.1598722, 0.2002846, 0.2630714],
    },
    Paper {
        values: 4,
        properties: 5,
        games: 5,
        smt: [0.8491608, 1.7955682, 1.930447, 2.4920082, 2.2934102],
        dynamic: [0.2452296, 0.2946156, 0.4328736, 0.3662846, 0.4965884],
        brute: [1.1175872, 1.1840924, 1.7126942, 2.5330248, 2.2322826],
    },
];

/// The paper's figure for a game, and its number of games. `cover` is not in the paper.
pub fn paper(kind: Kind, rules: &Rules) -> Option<(f64, u32)> {
    let table =
        PAPER.iter().find(|t| t.values == rules.values() && t.properties == rules.properties())?;
    let row = match kind {
        Kind::Smt(Without::NOTHING) | Kind::SmtBoolean => &table.smt,
        Kind::Dynamic | Kind::DynamicPaper => &table.dynamic,
        Kind::Brute => &table.brute,
        Kind::Smt(_) | Kind::Cover => return None,
    };
    let column = usize::try_from(rules.sets().checked_sub(2)?).ok()?;
    row.get(column).map(|&seconds| (seconds, table.games))
}

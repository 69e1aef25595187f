//! The paper's conclusions, each with its figure there and here.

use super::experiment::Cell;
use super::report::{Row, Table, times};
use crate::cli::paper::paper;
use crate::cli::simulate::grouped;
use setsight_general::deal::{Dealer, Rejection};
use setsight_general::{Budget, Kind, Rules, Trace, Without};

/// Above the claims.
pub const TITLE: &str = "The paper's conclusions";

const SMT: Kind = Kind::Smt(Without::NOTHING);

/// Where the paper's tables have none.
const NO_FIGURE: &str = "-";

/// Times that differ by less than this are alike: it is the noise of such short games.
const CLEARLY: f64 = 1.1;

/// A conclusion of the paper.
struct Claim {
    text: &'static str,
    there: String,
    here: String,
    holds: bool,
}

/// The table of the claims on which the results have a say.
pub fn table(results: &[Row]) -> Option<Table> {
    let cells: Vec<&Cell> = results.iter().flat_map(|(_, cells)| cells).collect();
    let mut claims = Vec::new();
    for deck in decks(&cells) {
        claims.extend(fastest(&cells, deck));
        claims.extend(as_fast(&cells, deck));
        claims.extend(combinations(&cells, deck));
    }
    claims.extend(longer(&cells));
    claims.extend(optimisation(
        &cells,
        "the order of a set's cards saves SMT time",
        Without { order: true, delayed_deletion: false },
    ));
    claims.extend(optimisation(
        &cells,
        "delayed deletion saves SMT time",
        Without { order: false, delayed_deletion: true },
    ));
    claims.extend(nothing_overlooked(&cells));
    let row = |claim: Claim| {
        let holds = if claim.holds { "yes" } else { "no" };
        vec![claim.text.to_owned(), claim.there, claim.here, holds.to_owned()]
    };
    (!claims.is_empty()).then(|| Table {
        above: "The paper's conclusions, as far as these results have a say. Its solvers are in \
                Python; here all are compiled, so that the work which they do is compared and not \
                the language."
            .into(),
        head: ["claim", "in the paper", "here", "holds"].map(String::from).to_vec(),
        rows: claims.into_iter().map(row).collect(),
    })
}

/// Values and properties of the games that the paper has figures of, each once.
fn decks(cells: &[&Cell]) -> Vec<(usize, usize)> {
    let with_paper = cells.iter().filter(|cell| paper(cell.kind, &cell.rules).is_some());
    let mut decks: Vec<(usize, usize)> =
        with_paper.map(|cell| (cell.rules.values(), cell.rules.properties())).collect();
    decks.sort_unstable();
    decks.dedup();
    decks
}

/// A solver's mean and the paper's, at the numbers of sets where both and the others' are known.
type Times = Vec<(u64, [f64; 2])>;

fn times_of(cells: &[&Cell], kind: Kind, (v, p): (usize, usize)) -> Times {
    let of_deck = cells.iter().filter(|cell| {
        cell.kind == kind && (cell.rules.values(), cell.rules.properties()) == (v, p)
    });
    let mut known: Times = of_deck
        .filter_map(|cell| {
            let (paper, _) = paper(kind, &cell.rules)?;
            Some((cell.rules.sets(), [paper, cell.mean()?]))
        })
        .collect();
    known.sort_by_key(|(sets, _)| *sets);
    known.dedup_by_key(|(sets, _)| *sets);
    known
}

/// Times of two solvers at the same numbers of sets: `[paper, here]` of each.
fn both(cells: &[&Cell], kinds: [Kind; 2], deck: (usize, usize)) -> Vec<[[f64; 2]; 2]> {
    let [a, b] = kinds.map(|kind| times_of(cells, kind, deck));
    let pair = |(sets, of_a): &(u64, [f64; 2])| {
        let (_, of_b) = b.iter().find(|(other, _)| other == sets)?;
        Some([*of_a, *of_b])
    };
    a.iter().filter_map(pair).collect()
}

fn fastest(cells: &[&Cell], deck: (usize, usize)) -> Option<Claim> {
    let of = |other| both(cells, [Kind::Dynamic, other], deck);
    let (brute, smt) = (of(Kind::Brute), of(SMT));
    if brute.is_empty() || brute.len() != smt.len() {
        return None;
    }
    // How many times as long as dynamic the better of the two others takes.
    let lead = |place: usize| -> Vec<f64> {
        let ratio = |pair: &[[f64; 2]; 2]| pair[1][place] / pair[0][place];
        brute.iter().zip(&smt).map(|(brute, smt)| ratio(brute).min(ratio(smt))).collect()
    };
    let wins = |lead: &[f64]| lead.iter().filter(|&&lead| lead > CLEARLY).count();
    let (v, p) = deck;
    let told = |lead: &[f64]| {
        let won = wins(lead);
        format!(
            "in {won} of {} games at ({v}, {p}), the next takes {} times as long",
            lead.len(),
            range(lead)
        )
    };
    let (there, here) = (lead(0), lead(1));
    Some(Claim {
        text: "dynamic is the fastest of the three in many cases",
        there: told(&there),
        here: told(&here),
        holds: wins(&here) * 2 > here.len(),
    })
}

/// The least and the most of some ratios, once where they are written alike.
fn range(ratios: &[f64]) -> String {
    let least = times(ratios.iter().copied().fold(f64::INFINITY, f64::min));
    let most = times(ratios.iter().copied().fold(0.0, f64::max));
    if least == most { least } else { format!("{least} to {most}") }
}

fn as_fast(cells: &[&Cell], deck: (usize, usize)) -> Option<Claim> {
    let known = both(cells, [Kind::Brute, SMT], deck);
    if known.is_empty() {
        return None;
    }
    let ratios = |place: usize| -> Vec<f64> {
        known.iter().map(|[brute, smt]| smt[place] / brute[place]).collect()
    };
    let (v, p) = deck;
    let told = |ratios: &[f64]| format!("SMT takes {} times as long at ({v}, {p})", range(ratios));
    let here = ratios(1);
    Some(Claim {
        text: "brute force and SMT take about as long",
        there: told(&ratios(0)),
        here: told(&here),
        holds: here.iter().all(|ratio| (0.5..2.0).contains(ratio)),
    })
}

/// What brute force tries on a first board without a set, counted.
fn combinations(cells: &[&Cell], (v, p): (usize, usize)) -> Option<Claim> {
    cells.iter().find(|cell| {
        cell.kind == Kind::Brute && (cell.rules.values(), cell.rules.properties()) == (v, p)
    })?;
    let rules = Rules::new(v as u64, p as u64, 1).ok()?;
    let mut solver = Kind::Brute.solver(&rules).ok()?;
    let mut dealer = Rejection::new(&rules, 0);
    // One board in thirty of twelve ordinary cards holds none, of larger decks almost each.
    let tried = (0..10_000).find_map(|seed| {
        let (mut board, mut trace) = (Vec::new(), Trace::up_to(0));
        dealer.shuffle(seed);
        dealer.deal(rules.first_board(), &mut board);
        solver.clear();
        solver.drawn(&board);
        let found = solver.find_watched(&Budget::unlimited(), &mut Vec::new(), &mut trace);
        (found == Ok(false)).then_some(trace.count)
    })?;
    let cards = rules.first_board() as u64;
    let choices = |k: u64| (0..k).fold(1, |all, i| all * (cards - i) / (i + 1));
    Some(Claim {
        text: "brute force tries C(vp, v) combinations (a draft: C(vp, 3))",
        there: format!("{} ({})", grouped(choices(v as u64)), grouped(choices(3))),
        here: format!("{} on {cards} cards without a set", grouped(tried)),
        holds: tried == choices(v as u64),
    })
}

fn longer(cells: &[&Cell]) -> Option<Claim> {
    let mut steps = [[0usize; 2]; 2];
    for deck in decks(cells) {
        for kind in [Kind::Brute, SMT, Kind::Dynamic] {
            for pair in times_of(cells, kind, deck).windows(2) {
                for place in [0, 1] {
                    steps[place][0] += usize::from(pair[0].1[place] < pair[1].1[place]);
                    steps[place][1] += 1;
                }
            }
        }
    }
    let [there, here] = steps;
    let told = |[longer, all]: [usize; 2]| format!("in {longer} of {all} steps");
    (here[1] > 0).then(|| Claim {
        text: "one set more to find takes longer",
        there: told(there),
        here: told(here),
        holds: here[0] * 10 >= here[1] * 9,
    })
}

fn optimisation(cells: &[&Cell], text: &'static str, without: Without) -> Option<Claim> {
    let mut ratios = Vec::new();
    for cell in cells.iter().filter(|cell| cell.kind == Kind::Smt(without)) {
        let whole = cells.iter().find(|whole| whole.kind == SMT && whole.rules == cell.rules);
        ratios.extend(whole.and_then(|whole| Some(cell.mean()? / whole.mean()?)));
    }
    ratios.sort_by(f64::total_cmp);
    let (least, most) = (ratios.first()?, ratios.last()?);
    Some(Claim {
        text,
        there: NO_FIGURE.into(),
        here: format!("without it {least:.2} to {most:.2} times as long"),
        holds: ratios[ratios.len() / 2] > CLEARLY,
    })
}

fn nothing_overlooked(cells: &[&Cell]) -> Option<Claim> {
    let counted: Vec<_> = cells.iter().filter_map(|cell| cell.overlooked).collect();
    let boards: usize = counted.iter().map(|all| all.boards).sum();
    let overlooked: usize = counted.iter().map(|all| all.overlooked).sum();
    (boards > 0).then(|| Claim {
        text: "the greedy, as it is written, finds a set where there is one",
        there: NO_FIGURE.into(),
        here: format!(
            "overlooked on {} of {} boards",
            grouped(overlooked as u64),
            grouped(boards as u64)
        ),
        holds: overlooked == 0,
    })
}

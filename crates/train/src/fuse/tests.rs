use super::threshold::{MOST_WRONG, most_wrong};
use super::*;
use setsight_nets::reader;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::print::dice::{Dice, Purpose};
use setsight_vision::{classify::fused::least_lead, refiner::Answer};

fn outline(i: usize) -> CardOutline {
    let at = Point::new(200.0 * i as f64, 0.0);
    let quad = Quad::rectangle(110.0, 70.0);
    let outline = CardOutline::at(Quad::new(quad.0.map(|p| p + at)));
    CardOutline { score: 2.0, ..outline }
}

/// A network's accuracy and the log odds it gives, for usual cards and for doubtful ones.
#[derive(Clone, Copy)]
struct Net {
    usual: (f64, f32),
    doubtful: (f64, f32),
}

/// Right on nine cards in ten, with the confidence of 399 in 400.
const TOO_SURE: Net = Net { usual: (0.9, 6.0), doubtful: (0.9, 6.0) };
/// Calibrated: unsure of the cards that it often gets wrong.
const HONEST: Net = Net { usual: (1.0, 9.0), doubtful: (0.6, 1.1) };

/// Tables whose doubtful cards also have outputs of a refiner that is right on four in five and of
/// features that are right on three in five. The last outline of each table holds no card, and the
/// network and the refiner say so.
fn made_up(tables: u64, seed: u64, net: Net) -> Source {
    let tables =
        (0..tables).map(|index| made_up_table(Dice::new(seed, index, Purpose::Ranges), index, net));
    Source { name: "made up".into(), has_outlines: true, tables: tables.collect() }
}

fn made_up_table(mut dice: Dice, index: u64, net: Net) -> ExampleTable {
    let mut say = |right: usize, often: f64, sure: f32| -> [f32; 3] {
        let chosen = if dice.chance(often) { right } else { (right + 1 + dice.below(2)) % 3 };
        std::array::from_fn(|v| if v == chosen { sure } else { 0.0 })
    };
    let examples = (0..12)
        .map(|i| {
            let card = Card::from_index((i * 7 + index as usize) % 81);
            let nothing = i == 11;
            let mut values = [0.0; 3 * reader::PROPERTIES];
            let mut context = Answer {
                right: if nothing { -3.0 } else { 3.0 },
                values: Default::default(),
                corrected: None,
            };
            let mut features = Reading::UNKNOWN;
            for (p, property) in Property::ALL.into_iter().enumerate() {
                let value = card.value(property);
                // One card in six is doubtful.
                let (often, sure) = if i % 6 == 5 { net.doubtful } else { net.usual };
                values[3 * p..3 * p + 3].copy_from_slice(&say(value, often, sure));
                context.values[3 * p..3 * p + 3].copy_from_slice(&say(value, 0.8, 1.5));
                let odds = say(value, 0.6, 1.0).map(f32::exp);
                features.values[p] = odds.map(|o| o / odds.iter().sum::<f32>());
            }
            let card_odds = if nothing { -4.0 } else { 4.0 };
            let is_clear = least_lead(&values) >= 4.0;
            let features = Some(features);
            let escalation = (!is_clear).then_some(Escalation { context: Some(context), features });
            let truth = if nothing { Truth::Nothing } else { Truth::Card(card) };
            Example {
                outline: outline(i),
                outputs: ClassifierOutputs { values, card: card_odds, escalation, ..CLEAR },
                truth,
            }
        })
        .collect();
    ExampleTable { examples, is_screen: None }
}

/// The outputs for a card of which the network is sure.
const CLEAR: ClassifierOutputs =
    ClassifierOutputs { values: [0.0; 12], card: 0.0, second: None, escalation: None, place: None };

#[test]
fn too_sure_a_network_is_cooled_and_each_witness_heard_as_it_deserves() {
    let joint = fit_joint(&[made_up(160, 1, TOO_SURE)], None, MOST_WRONG).0;
    for weights in &joint.properties {
        // Nine in ten are log odds of 2.9 against either other value; the network gives 6.
        assert!((0.4..0.6).contains(&weights.clear.reader), "{weights:?}");
    }
    let (joint, report) = fit_joint(&[made_up(600, 2, HONEST)], None, MOST_WRONG);
    for ClassifierWeights { reader, refiner, features, .. } in joint.properties.map(|w| w.doubtful)
    {
        // Six in ten are log odds of 1.1 against either other value, and the network gives 1.1.
        assert!((0.7..1.3).contains(&reader), "{reader}");
        // Four in five are 2.1; the refiner gives 1.5. Three in five are 1.1; the features give 1.
        assert!((1.1..1.7).contains(&refiner), "{refiner}");
        assert!((0.8..1.4).contains(&features), "{features}");
    }
    for weights in joint.properties.map(|weights| weights.without_context) {
        assert!(weights.refiner == 0.0 && weights.features > 0.8, "{weights:?}");
    }
    let [network, joined] = report.sources[0].right_percent;
    assert!(joined > network + 2.0, "{report}");
    assert!(joint.card.reader > 0.0);
}

#[test]
fn where_the_network_is_at_a_loss_a_right_outline_speaks_for_a_card() {
    let mut source = made_up(120, 6, Net { usual: (0.6, 1.1), doubtful: (0.6, 1.1) });
    for example in source.tables.iter_mut().flat_map(|table| &mut table.examples) {
        example.outputs.card = 0.0;
    }
    let joint = fit_joint(std::slice::from_ref(&source), None, MOST_WRONG).0;
    for example in &source.tables[0].examples {
        let is_card = joint.reading(&example.outputs, &example.outline).is_card;
        let is_right = if example.truth == Truth::Nothing { is_card < 0.2 } else { is_card > 0.8 };
        assert!(is_right, "{is_card} {:?} {:?}", example.truth, joint.card);
    }
}

/// The reader takes the top of a stack for a card, the finder does not.
#[test]
fn stacks_teach_whom_to_trust_and_leave_the_threshold_alone() {
    let source = made_up(600, 7, HONEST);
    let mut stacks = made_up(60, 8, HONEST);
    for example in stacks.tables.iter_mut().flat_map(|table| &mut table.examples) {
        if example.truth == Truth::Nothing {
            example.outputs = ClassifierOutputs { card: 4.0, ..CLEAR };
            example.outline.score = -1.0;
        }
    }
    let in_bad_light = Source { tables: Vec::new(), ..source.clone() };
    let auxiliary = AuxiliaryTables { with_stacks: stacks, in_bad_light };
    let [without, with] = [None, Some(&auxiliary)]
        .map(|auxiliary| fit_joint(std::slice::from_ref(&source), auxiliary, MOST_WRONG));
    let top = &auxiliary.with_stacks.tables[0].examples[11];
    let [before, after] =
        [&without.0, &with.0].map(|joint| joint.reading(&top.outputs, &top.outline).is_card);
    assert!(before > 0.5, "{:?}", without.0.card);
    assert!(after < 0.1, "{:?}", with.0.card);
    assert_eq!(without.1.sources[0].kept, with.1.sources[0].kept, "{}", with.1);
}

#[test]
fn the_limit_leaves_few_wrong_claims() {
    let (joint, report) = fit_joint(&[made_up(900, 3, HONEST)], None, MOST_WRONG);
    assert!(report.claims > 3000, "{report}");
    assert!(report.claims_wrong as f64 <= MOST_WRONG * report.claims as f64, "{report}");
    assert!(report.claims_wrong_at_most < 3.0 * MOST_WRONG, "{report}");
    // Tables that the fit never saw.
    let fresh = made_up(900, 4, HONEST);
    let claims: Vec<_> = fresh
        .tables
        .iter()
        .flat_map(|table| assigned_cards(table, &joint))
        .filter(|(card, _)| !card.unsure)
        .collect();
    let wrong = claims.iter().filter(|(card, truth)| truth.card() != Some(card.card)).count();
    assert!(claims.len() > 6000 && (wrong as f64) < 3.0 * MOST_WRONG * claims.len() as f64);
}

#[test]
fn few_claims_prove_nothing() {
    let report = fit_joint(&[made_up(20, 5, HONEST)], None, MOST_WRONG).1;
    assert_eq!(report.claims, 0, "{report}");
    assert!(report.limit > 0.99);
}

#[test]
fn the_bound_is_that_of_the_rule_of_three() {
    assert!((most_wrong(0, 3000) - 2.9957 / 3000.0).abs() < 1e-6);
    // Tabulated Poisson bounds at 95 %: 4.744 for one event, 10.513 for five.
    assert!((most_wrong(1, 1000) - 4.744e-3).abs() < 1e-5);
    assert!((most_wrong(5, 1000) - 10.513e-3).abs() < 1e-5);
    assert_eq!(most_wrong(0, 0), 1.0);
}

#[test]
fn company_counts_as_far_as_places_tell() {
    for ([apart, _], [silent, _]) in with_places(2.0).into_iter().zip(with_places(0.0)) {
        assert!(apart > 0.4 && silent < 0.2, "{apart} {silent}");
    }
}

fn with_places(apart: f32) -> [[f32; 2]; 2] {
    let mut source = made_up(160, 9, HONEST);
    let examples = source.tables.iter_mut().flat_map(|table| &mut table.examples);
    for (i, example) in examples.enumerate() {
        let [filling, outline] = company::PROPERTIES
            .map(|property| example.truth.card().map_or(0.0, |card| card.value(property) as f32));
        // A deviation of one, as places have it.
        let mut dice = Dice::new(10, i as u64, Purpose::Ranges);
        example.outputs.place = Some(std::array::from_fn(|d| {
            let value = if d < company::DIMENSIONS[0] { filling } else { outline };
            dice.between(-1.7, 1.7) as f32 + apart * value
        }));
    }
    let joint = fit_joint(std::slice::from_ref(&source), None, MOST_WRONG).0;
    fit_company(&[source], &joint).0
}

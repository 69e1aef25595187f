//! Fits the similarity of two cards' prints, from features of the networks that read screens and bad light.
//!
//! On drawn tables of known and invented decks, the features before its last layer and the measurements of a
//! card are projected: cards alike in a property lie together and others apart. The projection is linear
//! discriminant analysis (Fisher 1936; Rao 1948) of the deviations within the groups of a table and of the groups'
//! means on it. Nothing is learnt of any deck, only what varies between prints of the same.

use super::collect::{CollectError, Networks, Truth, truth_at};
use crate::layers::Tensor;
use crate::net::run_graph;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rayon::prelude::*;
use setsight_game::cards::{Card, Property};
use setsight_nets::graph::{Graph, Op};
use setsight_nets::reader::{CHANNELS, HEIGHT, OUTPUTS, WIDTH};
use setsight_scenes::params::{DeckChoice, Params};
use setsight_scenes::{Scene, scenes};
use setsight_vision::classify::{Cards, neural};
use setsight_vision::table::alike::{FILL, LIKENESS, MeasuredLikeness, TEXTURE, measured};
use setsight_vision::table::company;
use setsight_vision::{CardOutline, PipelineError, Trace};
use std::collections::BTreeMap;

/// The features of a card's print.
pub struct Print {
    card: Card,
    /// The networks' features, then the measured filling, then the measured ink.
    values: Vec<f64>,
}

/// How much a measured value counts beside a feature of the network, by a feature's usual deviation.
const MEASURED: [f64; 2] = [36.0, 120.0];
/// Numbers that are measured of the filling and of the ink.
const NUMBERS: [usize; 2] = [FILL + TEXTURE, 5];

/// Draws tables as screens show them, every second one of an invented deck, and takes the prints of their
/// cards. Calls `done` after each.
///
/// # Errors
/// A table cannot be drawn, or its cards not be found.
pub fn prints(
    graphs: [&Graph; 2],
    networks: Networks,
    tables: u64,
    seed: u64,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Vec<Print>>, CollectError> {
    let features = graphs.map(before_last);
    let tables = (0..tables).into_par_iter().map(|index| {
        let scene = scenes::screen_but(seed, index, |params| {
            params.strange = 0.0;
            mix_decks(params, index);
        })?;
        let cards = cards_on(&scene, networks)?.of_drawing();
        done();
        Ok(screen_prints(&scene, &cards, &features))
    });
    tables.collect()
}

/// The prints of a screen's cards: both networks' features and the measurements.
fn screen_prints(scene: &Scene, cards: &Cards, graphs: &[Graph; 2]) -> Vec<Print> {
    let [first, second] = graphs.each_ref().map(|graph| features_of(graph, cards));
    let features = first.into_iter().zip(second).zip(measured(&cards.images, |_| true));
    let prints =
        features.zip(&*cards.outlines).filter_map(|(((first, second), measured), outline)| {
            let measured = measured?;
            let values = [first, second, measured.filling(), measured.ink.to_vec()].concat();
            Print::on_scene(scene, outline, values)
        });
    prints.collect()
}

/// Draws photos of tables in good and bad light, every second one of an invented deck, and takes the prints of their
/// cards as one network sees them. Calls `done` after each.
///
/// # Errors
/// A table cannot be drawn, or its cards not be found.
pub fn prints_on_photos(
    graph: &Graph,
    networks: Networks,
    tables: u64,
    seed: u64,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Vec<Print>>, CollectError> {
    let features = before_last(graph);
    let tables = (0..tables).into_par_iter().map(|index| {
        let scene = scenes::in_bad_light(seed, index, |params| mix_decks(params, index))?;
        let cards = cards_on(&scene, networks)?;
        done();
        let all = features_of(&features, &cards).into_iter().zip(&*cards.outlines);
        Ok(all.filter_map(|(values, outline)| Print::on_scene(&scene, outline, values)).collect())
    });
    tables.collect()
}

/// Every second table shows an invented deck.
fn mix_decks(params: &mut Params, index: u64) {
    if index % 2 == 1 {
        params.decks = vec![(DeckChoice::Invented, 1.0)];
    }
}

/// The cards of a drawn table that the finder finds.
fn cards_on<'a>(scene: &'a Scene, networks: Networks) -> Result<Cards<'a>, CollectError> {
    let outlines = networks.finder.find(&scene.image, &mut Trace::default());
    let mut outlines = outlines.map_err(PipelineError::from)?;
    outlines.retain(|at| matches!(truth_at(scene, at), Truth::Card(_)));
    Ok(Cards::of_found(&scene.image, outlines))
}

/// A network without its last layer.
fn before_last(graph: &Graph) -> Graph {
    Graph { nodes: graph.nodes[..graph.nodes.len() - 1].to_vec(), ..graph.clone() }
}

/// A network's features before its last layer, for each card.
fn features_of(graph: &Graph, cards: &Cards) -> Vec<Vec<f32>> {
    let count = cards.images.len();
    if count == 0 {
        return Vec::new();
    }
    let input = cards.images.iter().flat_map(neural::input_of).collect();
    let outputs = run_graph(graph, Tensor::new(input, &[count, CHANNELS, HEIGHT, WIDTH])).values;
    outputs.chunks_exact(outputs.len() / count).map(<[f32]>::to_vec).collect()
}

impl Print {
    fn on_scene(scene: &Scene, outline: &CardOutline, values: Vec<f32>) -> Option<Self> {
        let card = truth_at(scene, outline).card()?;
        Some(Self { card, values: values.into_iter().map(f64::from).collect() })
    }
}

/// The networks with further outputs whose sums give the likeness of cards, and the weights of the measurements beside
/// them. `None` if a network has no last layer of its own, or the tables too few cards.
pub fn fit_likeness(
    graphs: [&Graph; 2],
    tables: &[Vec<Print>],
) -> Option<([Graph; 2], MeasuredLikeness)> {
    /// Part of the mean deviation within groups that is added to each, more where values are measured.
    const RIDGE: [f64; 3] = [1.0, 1.0, 0.3];
    let mut graphs = graphs.map(Graph::clone);
    let mut counts = [0; 2];
    for (graph, count) in graphs.iter_mut().zip(&mut counts) {
        let (weights, bias) = last_layer(graph)?;
        *count = weights.len() / bias.len();
        weights.truncate(OUTPUTS * *count);
        bias.truncate(OUTPUTS);
    }
    let features: usize = counts.iter().sum();
    let usual = usual_deviation(tables, features)?;
    let mut measured_rows = [Vec::new(), Vec::new()];
    for (k, property) in
        [Property::Shading, Property::Color, Property::Shape].into_iter().enumerate()
    {
        // The networks' features, and what is measured of this property.
        let from = features + if k == 1 { NUMBERS[0] } else { 0 };
        let count = NUMBERS.get(k).copied().unwrap_or(0);
        let scale = MEASURED.get(k).map_or(0.0, |times| times * usual);
        let rows = discriminants(tables, property, LIKENESS[k], RIDGE[k], &|print| {
            let measured = print.values[from..from + count].iter().map(|v| scale * v);
            let all = print.values[..features].iter().copied().chain(measured);
            DVector::from_iterator(features + count, all)
        })?;
        for row in rows.row_iter() {
            let all: Vec<f32> = row.iter().map(|v| *v as f32).collect();
            let (mut network_weights, measured) = all.split_at(features);
            for (graph, count) in graphs.iter_mut().zip(counts) {
                let (own_weights, rest) = network_weights.split_at(count);
                let (weights, bias) = last_layer(graph)?;
                weights.extend(own_weights);
                bias.push(0.0);
                network_weights = rest;
            }
            if count > 0 {
                measured_rows[k].push(measured.iter().map(|v| v * scale as f32).collect());
            }
        }
    }
    let [filling, ink] = measured_rows;
    let measured = MeasuredLikeness { filling: rows_of(filling)?, ink: rows_of(ink)? };
    Some((graphs, measured))
}

/// Adds outputs that embed cards of photos, see [`company`]. `None` if the network has no last layer of
/// its own, or the tables too few cards.
pub fn fit_places(graph: &mut Graph, tables: &[Vec<Print>]) -> Option<()> {
    for (property, dimensions) in company::PROPERTIES.into_iter().zip(company::DIMENSIONS) {
        let rows = discriminants(tables, property, dimensions, 1.0, &|print: &Print| {
            DVector::from_column_slice(&print.values)
        })?;
        let (weights, bias) = last_layer(graph)?;
        for row in rows.row_iter() {
            weights.extend(row.iter().map(|v| *v as f32));
            bias.push(0.0);
        }
    }
    Some(())
}

/// Weights and bias of a network's dense last layer.
fn last_layer(graph: &mut Graph) -> Option<(&mut Vec<f32>, &mut Vec<f32>)> {
    match &mut graph.nodes.last_mut()?.op {
        Op::Dense { weights, bias, .. } => Some((weights, bias)),
        _ => None,
    }
}

fn rows_of<const D: usize, const N: usize>(rows: Vec<Vec<f32>>) -> Option<[[f32; D]; N]> {
    let rows: Option<Vec<[f32; D]>> = rows.into_iter().map(|row| row.try_into().ok()).collect();
    rows?.try_into().ok()
}

/// Mean standard deviation of the network's features.
fn usual_deviation(tables: &[Vec<Print>], features: usize) -> Option<f64> {
    let all: Vec<&[f64]> = tables.iter().flatten().map(|print| &print.values[..features]).collect();
    let n = all.len() as f64;
    (!all.is_empty()).then(|| {
        (0..features)
            .map(|at| {
                let mean = all.iter().map(|row| row[at]).sum::<f64>() / n;
                (all.iter().map(|row| (row[at] - mean).powi(2)).sum::<f64>() / n).sqrt()
            })
            .sum::<f64>()
            / features as f64
    })
}

/// The directions in which groups of cards that are alike in a property lie farthest apart by the deviations
/// within them, as rows whose deviation within groups is one.
fn discriminants(
    tables: &[Vec<Print>],
    property: Property,
    dimensions: usize,
    ridge: f64,
    values: &dyn Fn(&Print) -> DVector<f64>,
) -> Option<DMatrix<f64>> {
    let length = values(tables.iter().flatten().next()?).len();
    let (mut within, mut between) =
        (DMatrix::zeros(length, length), DMatrix::zeros(length, length));
    let (mut free_within, mut free_between) = (0, 0);
    for table in tables {
        let mut groups: BTreeMap<usize, Vec<DVector<f64>>> = BTreeMap::new();
        for print in table {
            groups.entry(print.card.value(property)).or_default().push(values(print));
        }
        groups.values().for_each(|group| add_scatter(group, &mut within, &mut free_within));
        let means =
            groups.values().map(|group| group.iter().sum::<DVector<f64>>() / group.len() as f64);
        add_scatter(&means.collect::<Vec<_>>(), &mut between, &mut free_between);
    }
    if free_within == 0 || free_between == 0 {
        return None;
    }
    let (within, between) = (within / free_within as f64, between / free_between as f64);
    let ridge = ridge * within.trace() / length as f64;
    let within = SymmetricEigen::new(within + DMatrix::identity(length, length) * ridge);
    let scale = DMatrix::from_diagonal(&within.eigenvalues.map(|value| value.powf(-0.5)));
    let whiten = &within.eigenvectors * scale * within.eigenvectors.transpose();
    let apart = SymmetricEigen::new(&whiten * between * &whiten);
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|&a, &b| apart.eigenvalues[b].total_cmp(&apart.eigenvalues[a]));
    let best: Vec<DVector<f64>> =
        order[..dimensions].iter().map(|&at| apart.eigenvectors.column(at).into_owned()).collect();
    Some(DMatrix::from_columns(&best).transpose() * whiten)
}

/// Adds the scatter of rows about their mean, and its degrees of freedom.
fn add_scatter(rows: &[DVector<f64>], to: &mut DMatrix<f64>, free: &mut usize) {
    if rows.len() < 2 {
        return;
    }
    let mean = rows.iter().sum::<DVector<f64>>() / rows.len() as f64;
    let off: Vec<DVector<f64>> = rows.iter().map(|row| row - &mean).collect();
    let off = DMatrix::from_columns(&off);
    to.gemm(1.0, &off, &off.transpose(), 1.0);
    *free += rows.len() - 1;
}

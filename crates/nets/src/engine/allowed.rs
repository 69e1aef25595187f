//! Limits on the contents of a network's file and on the cost of one run. An engine runs everything in a file,
//! including endless loops and huge arrays; these networks need few operators. Limits on each node do not
//! bound the cost: adding two small arrays may broadcast to a huge one, and each of many cheap nodes may
//! enlarge the previous result.

use crate::Kind;
use onnx_rs::ast::{Attribute, Graph, Model, Node, OpType};
use std::collections::HashMap;

/// Largest file that is accepted; this program's largest network has 1.5 megabytes.
pub const MAX_BYTES: usize = 32 << 20;
const MAX_NODES: usize = 2_000;
/// Most numbers in one array of weights.
const MAX_NUMBERS: u64 = 8 << 20;
/// Largest kernel size, stride, dilation and padding.
const MAX_WINDOW: i64 = 64;
const MAX_GROUPS: i64 = 4_096;
/// Largest factor by which a network may enlarge its arrays.
const MAX_FACTOR: f32 = 4.0;

/// Checks a parsed file before an engine sees it.
///
/// # Errors
/// What is not allowed, and where it is.
pub fn check(model: &Model, kind: Kind) -> Result<(), String> {
    let graph = model.graph.as_ref().ok_or("it holds no graph")?;
    if graph.node.len() > MAX_NODES {
        return Err(format!("it has {} nodes; at most {MAX_NODES} are run", graph.node.len()));
    }
    if !model.functions.is_empty() {
        return Err("it brings operators of its own, which are not run".into());
    }
    check_weights(graph)?;
    for node in &graph.node {
        check_node(node, graph).map_err(|problem| format!("node `{}`: {problem}", node.name))?;
    }
    check_cost(graph, kind).map(|_| ())
}

/// The whole numbers of a node's attribute; none if it is left out.
fn ints<'a>(node: &'a Node, name: &str) -> &'a [i64] {
    let found = node.attribute.iter().find(|attribute| attribute.name == name);
    found.map_or(&[], values_of)
}

fn values_of<'a>(attribute: &'a Attribute) -> &'a [i64] {
    if attribute.ints.is_empty() { std::slice::from_ref(&attribute.i) } else { &attribute.ints }
}

fn check_weights(graph: &Graph) -> Result<(), String> {
    if !graph.sparse_initializer.is_empty() {
        return Err("it holds sparse weights, which are not read".into());
    }
    for array in &graph.initializer {
        let (name, sides) = (array.name(), array.dims());
        if !array.external_data().is_empty() {
            return Err(format!("weights `{name}` lie in another file, which is not read"));
        }
        let numbers = sides.iter().try_fold(1u64, |product, n| product.checked_mul(unsigned(n)?));
        if numbers.is_none_or(|numbers| numbers > MAX_NUMBERS) {
            return Err(format!(
                "weights `{name}` are {sides:?}; at most {MAX_NUMBERS} numbers are read"
            ));
        }
    }
    Ok(())
}

fn unsigned(side: &i64) -> Option<u64> {
    u64::try_from(*side).ok()
}

fn check_node(node: &Node, graph: &Graph) -> Result<(), String> {
    use OpType::{
        Add, AveragePool, Cast, Conv, Flatten, Gemm, GlobalAveragePool, MaxPool, Relu, Resize,
    };
    if !matches!(
        node.op_type,
        Add | AveragePool
            | Cast
            | Conv
            | Flatten
            | Gemm
            | GlobalAveragePool
            | MaxPool
            | Relu
            | Resize
    ) {
        return Err(format!("{} is not run", node.op_type.as_str()));
    }
    if node.op_type == Resize {
        // The inputs after the picture are a region, factors and sizes. Only factors may be given.
        let factors = node.input.get(2).and_then(|name| graph.get_initializer(name));
        let factors = factors.and_then(|factors| factors.as_f32());
        if factors.is_none_or(|all| !all.iter().all(|by| (1.0..=MAX_FACTOR).contains(by))) {
            return Err(format!("resizes by other than fixed factors of 1 to {MAX_FACTOR}"));
        }
    }
    for attribute in &node.attribute {
        if attribute.g.is_some() || !attribute.graphs.is_empty() {
            return Err(format!("`{}` is a graph of its own, which is not run", attribute.name));
        }
        let (least, most) = match attribute.name {
            "strides" | "dilations" | "kernel_shape" => (1, MAX_WINDOW),
            "pads" => (0, MAX_WINDOW),
            "group" => (1, MAX_GROUPS),
            _ => continue,
        };
        let values = values_of(attribute);
        if values.iter().any(|value| !(least..=most).contains(value)) {
            return Err(format!("`{}` is {values:?}; expected {least} to {most}", attribute.name));
        }
    }
    Ok(())
}

/// Most numbers that all nodes may give for one picture: 256 MB. The shipped networks give at most
/// 3.8 million.
const MAX_NUMBERS_GIVEN: u64 = 64 << 20;
/// Most multiply-adds for one picture. The shipped networks take at most 0.32 thousand million.
const MAX_MULTIPLY_ADDS: u64 = 4 << 30;

/// Side of the picture by which a network without a fixed size is judged: that of the finder's
/// first pass.
const FREE_SIDE_PX: usize = 320;

/// The sides of an array.
type Shape = Vec<u64>;

/// Numbers given and multiply-adds made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Numbers that all nodes give.
    pub numbers: u64,
    /// Multiplications with additions, comparisons counted alike.
    pub multiply_adds: u64,
}

/// Checks what a network of this kind costs for one picture, before an engine prepares it.
///
/// # Errors
/// A node whose result has no shape, or one from which on the sum is too large.
fn check_cost(graph: &Graph, kind: Kind) -> Result<Cost, String> {
    let [rows, columns] = kind.input_size().unwrap_or([FREE_SIDE_PX; 2]);
    let input = [1, kind.input_channels(), rows, columns];
    let mut shapes: HashMap<&str, Shape> = HashMap::new();
    for value in &graph.input {
        shapes.insert(value.name, input.map(|side| side as u64).to_vec());
    }
    for array in &graph.initializer {
        let sides = array.dims().iter().map(|&side| u64::try_from(side).unwrap_or(0));
        shapes.insert(array.name(), sides.collect());
    }
    let mut cost = Cost::default();
    for node in &graph.node {
        let in_node = |problem: String| format!("node `{}`: {problem}", node.name);
        let (shape, factor) = result_of(node, graph, &shapes).map_err(in_node)?;
        let numbers = shape.iter().try_fold(1u64, |product, &side| product.checked_mul(side));
        let numbers = numbers.unwrap_or(u64::MAX);
        cost.numbers = cost.numbers.saturating_add(numbers);
        cost.multiply_adds = cost.multiply_adds.saturating_add(numbers.saturating_mul(factor));
        if cost.numbers > MAX_NUMBERS_GIVEN || cost.multiply_adds > MAX_MULTIPLY_ADDS {
            return Err(in_node(format!(
                "up to it the network gives {} numbers by {} multiply-adds for {input:?}; at most \
                 {MAX_NUMBERS_GIVEN} and {MAX_MULTIPLY_ADDS} are run",
                cost.numbers, cost.multiply_adds
            )));
        }
        let [output] = node.output.as_slice() else {
            return Err(in_node(format!("{} results; expected one", node.output.len())));
        };
        shapes.insert(output, shape);
    }
    Ok(cost)
}

/// The shape of a node's result, and the multiply-adds for each number of it.
fn result_of(
    node: &Node,
    graph: &Graph,
    shapes: &HashMap<&str, Shape>,
) -> Result<(Shape, u64), String> {
    let input = |i: usize| input(node, i, shapes);
    let picture = |i: usize| picture(input(i)?);
    Ok(match node.op_type {
        OpType::Conv => {
            let ([n, ..], [outputs, inputs, rows, columns]) = (picture(0)?, picture(1)?);
            let [height, width] = windows(node, picture(0)?, [rows, columns])?;
            (vec![n, outputs, height, width], inputs.saturating_mul(rows * columns))
        }
        OpType::MaxPool | OpType::AveragePool => {
            let [rows, columns] = pair(node, "kernel_shape")?;
            let [n, channels, ..] = picture(0)?;
            let [height, width] = windows(node, picture(0)?, [rows, columns])?;
            (vec![n, channels, height, width], rows * columns)
        }
        OpType::GlobalAveragePool => {
            let [n, channels, height, width] = picture(0)?;
            (vec![n, channels, 1, 1], height.saturating_mul(width))
        }
        OpType::Flatten => {
            let shape = input(0)?;
            let rest =
                shape.iter().skip(1).try_fold(1u64, |product, &side| product.checked_mul(side));
            match ints(node, "axis").first() {
                None | Some(1) => {}
                Some(axis) => return Err(format!("`axis` is {axis}; expected 1")),
            }
            (vec![*shape.first().unwrap_or(&1), rest.unwrap_or(u64::MAX)], 1)
        }
        OpType::Gemm => {
            let [rows, inner] = matrix_sides(node, input(0)?, "transA")?;
            let [_, columns] = matrix_sides(node, input(1)?, "transB")?;
            (vec![rows, columns], inner)
        }
        OpType::Add => (broadcast(input(0)?, input(1)?), 1),
        OpType::Resize => {
            let factors = node.input.get(2).and_then(|name| graph.get_initializer(name));
            let factors = factors.and_then(|factors| factors.as_f32()).unwrap_or_default();
            (
                input(0)?
                    .iter()
                    .zip(factors.iter())
                    .map(|(&side, &by)| (side as f64 * f64::from(by)) as u64)
                    .collect(),
                1,
            )
        }
        // Relu and Cast.
        _ => (input(0)?.clone(), 1),
    })
}

/// Rows and columns of a matrix, which an attribute may transpose.
fn matrix_sides(node: &Node, shape: &Shape, transposed: &str) -> Result<[u64; 2], String> {
    let &[rows, columns] = shape.as_slice() else {
        return Err(format!("takes an array of {shape:?}; expected two sides"));
    };
    let transposed = ints(node, transposed).first().is_some_and(|&is| is != 0);
    Ok(if transposed { [columns, rows] } else { [rows, columns] })
}

fn input<'a>(node: &Node, i: usize, shapes: &'a HashMap<&str, Shape>) -> Result<&'a Shape, String> {
    let name = node.input.get(i).copied().unwrap_or_default();
    shapes.get(name).ok_or_else(|| format!("takes `{name}`, which nothing gives"))
}

fn picture(shape: &Shape) -> Result<[u64; 4], String> {
    <[u64; 4]>::try_from(shape.as_slice())
        .map_err(|_| format!("takes an array of {shape:?}; expected four sides"))
}

/// Rows and columns that windows of this size give.
fn windows(node: &Node, picture: [u64; 4], window: [u64; 2]) -> Result<[u64; 2], String> {
    let (steps, apart) = (pair(node, "strides")?, pair(node, "dilations")?);
    let pads = match ints(node, "pads") {
        [] => [0; 4],
        pads => <[i64; 4]>::try_from(pads).map_err(|_| format!("`pads` is {pads:?}"))?,
    };
    let rounds_up = ints(node, "ceil_mode").first().is_some_and(|&mode| mode != 0);
    if rounds_up || node.attribute.iter().any(|a| a.name == "auto_pad" && a.s != b"NOTSET") {
        return Err("rounds up or pads by itself, which is not run".into());
    }
    let [rows, columns] = [0, 1].map(|axis| {
        // The limits of each node keep these small.
        let padded = picture[2 + axis].saturating_add((pads[axis] + pads[axis + 2]) as u64);
        let reach = apart[axis] * window[axis].saturating_sub(1) + 1;
        padded
            .checked_sub(reach)
            .map(|room| room / steps[axis] + 1)
            .ok_or_else(|| format!("windows of {reach} pixels do not fit into {padded}"))
    });
    Ok([rows?, columns?])
}

/// Two numbers of an attribute; 1 and 1 if it is left out.
fn pair(node: &Node, name: &str) -> Result<[u64; 2], String> {
    match ints(node, name) {
        [] => Ok([1, 1]),
        &[rows, columns] if rows > 0 && columns > 0 => Ok([rows as u64, columns as u64]),
        other => Err(format!("`{name}` is {other:?}; expected two numbers from 1 on")),
    }
}

/// The shape of a sum of two arrays, by ONNX's rules of broadcasting. Where they do not fit, the
/// engine says so.
fn broadcast(a: &[u64], b: &[u64]) -> Shape {
    let sides = a.len().max(b.len());
    let side =
        |shape: &[u64], i: usize| (i + shape.len()).checked_sub(sides).map_or(1, |i| shape[i]);
    (0..sides).map(|i| side(a, i).max(side(b, i))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Models, file_of};
    use super::*;

    #[test]
    fn the_shipped_networks_cost_a_fraction_of_what_is_allowed() {
        for kind in Kind::ALL.into_iter().filter(|kind| Models::Shipped.has(file_of(*kind))) {
            let bytes = Models::Shipped.read(file_of(kind)).unwrap();
            let model = onnx_rs::parse(&bytes).unwrap();
            let cost = check_cost(model.graph.as_ref().unwrap(), kind).unwrap();
            assert!(cost.numbers > 10_000 && cost.multiply_adds > 1_000_000, "{cost:?}");
            assert!(cost.numbers < MAX_NUMBERS_GIVEN / 10, "{cost:?}");
            assert!(cost.multiply_adds < MAX_MULTIPLY_ADDS / 10, "{cost:?}");
        }
    }
}

//! What a network's file may contain. An engine runs everything that a file asks for, including
//! endless loops and huge arrays; these networks need few operators.

use super::cost;
use crate::Kind;
use onnx_rs::ast::{Attribute, Graph, Model, Node, OpType};

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
    cost::check(graph, kind).map(|_| ())
}

/// The whole numbers of a node's attribute; none if it is left out.
pub fn ints<'a>(node: &'a Node, name: &str) -> &'a [i64] {
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
        let side = |side: &i64| u64::try_from(*side).ok();
        let numbers = sides.iter().try_fold(1u64, |product, n| product.checked_mul(side(n)?));
        if numbers.is_none_or(|numbers| numbers > MAX_NUMBERS) {
            return Err(format!(
                "weights `{name}` are {sides:?}; at most {MAX_NUMBERS} numbers are read"
            ));
        }
    }
    Ok(())
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

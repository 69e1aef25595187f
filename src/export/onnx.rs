//! ONNX: written for ONNX Runtime and the embedded engine, and read back.
//!
//! Only a few operators of opset 17 are used, and attributes that equal their default are left out.
//! The number of pictures is free in every file, rows and columns are where [`Graph::input_size`]
//! says nothing.
//!
//! The finder's and the refiner's weights are stored as 16-bit floats, with a `Cast` to 32 bits before
//! each use that both engines compute once, when they load: half the file, and of a weight no more than
//! a two-thousandth part is lost.

use crate::model::graph::{Conv, Graph, Node, Op};
use crate::model::{Kind, Metadata, MetadataError};
use half::f16;
use onnx_rs::ast::{self, Attribute, AttributeType, DataType, Dimension, OpType, TensorProto};
use std::collections::HashMap;

/// The operator set: old enough for both engines, new enough for today's meaning of `Resize`.
const OPSET: i64 = 17;
/// The file format that came with it.
const IR_VERSION: i64 = 8;

/// Why an ONNX file is no network of this program.
#[derive(Debug, thiserror::Error)]
pub enum OnnxError {
    /// Not ONNX, or cut off.
    #[error("it is no whole ONNX file ({0})")]
    Broken(String),
    /// ONNX, but not described as this program does.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// It computes something that this program's networks do not.
    #[error("node `{node}`: {problem}")]
    Node {
        /// Its name.
        node: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Writes a network.
///
/// # Panics
/// If the graph is not well formed (a node that takes a tensor that is not there yet).
pub fn encode(graph: &Graph, metadata: &Metadata) -> Vec<u8> {
    let kind = metadata.kind;
    let names = Names::new(graph, metadata);
    let mut nodes = Vec::new();
    let mut initializers = Vec::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        let own = &names.nodes[i];
        let inputs: Vec<&str> = node
            .inputs
            .iter()
            .map(|&tensor| {
                assert!(tensor <= i, "node {i} takes tensor {tensor}, which is not there yet");
                names.tensor(tensor)
            })
            .collect();
        let output = names.tensor(i + 1);
        if let Some(halves) = &own.halves {
            nodes.push(halves.cast(own.part("weights")));
        }
        let main = |op_type, inputs: Vec<_>, more: &[&'static str], attribute| {
            let mut input: Vec<&str> = inputs;
            input.extend(
                own.parts.iter().filter(|(part, _)| more.contains(part)).map(|(_, n)| &**n),
            );
            // What a second node finishes has a name between.
            let output = vec![if names.two_steps(i) { own.between.as_str() } else { output }];
            ast::Node { name: &own.name, op_type, input, output, attribute, ..Default::default() }
        };
        match &node.op {
            Op::Conv(conv) => {
                let [rows, columns] = conv.kernel;
                let dims = [conv.outputs(), conv.inputs() / conv.groups, rows, columns];
                initializers.push(own.weights(&dims, &conv.weights));
                initializers.push(own.floats("bias", &[conv.outputs()], &conv.bias));
                let attribute = conv_attributes(conv);
                nodes.push(main(OpType::Conv, inputs, &["weights", "bias"], attribute));
            }
            Op::Dense { weights, bias, .. } => {
                let dims = [bias.len(), weights.len() / bias.len()];
                initializers.push(own.weights(&dims, weights));
                initializers.push(own.floats("bias", &[bias.len()], bias));
                let attribute = vec![integer("transB", 1)];
                nodes.push(main(OpType::Gemm, inputs, &["weights", "bias"], attribute));
            }
            Op::MaxPool { size } => {
                nodes.push(main(OpType::MaxPool, inputs, &[], window(*size)));
            }
            Op::AveragePool { size } => {
                nodes.push(main(OpType::AveragePool, inputs, &[], window(*size)));
            }
            Op::GlobalAveragePool => {
                nodes.push(main(OpType::GlobalAveragePool, inputs, &[], vec![]));
            }
            Op::Flatten => nodes.push(main(OpType::Flatten, inputs, &[], vec![])),
            Op::Add { .. } => nodes.push(main(OpType::Add, inputs, &[], vec![])),
            Op::Upsample => {
                initializers.push(own.floats("scales", &[4], &[1.0, 1.0, 2.0, 2.0]));
                // An empty name is an input left out: the region of interest.
                let inputs = vec![inputs[0], ""];
                let attribute = vec![
                    text("coordinate_transformation_mode", b"asymmetric"),
                    text("nearest_mode", b"floor"),
                ];
                nodes.push(main(OpType::Resize, inputs, &["scales"], attribute));
            }
        }
        if names.two_steps(i) {
            let pooled = matches!(node.op, Op::GlobalAveragePool);
            nodes.push(ast::Node {
                name: &own.second,
                op_type: if pooled { OpType::Flatten } else { OpType::Relu },
                input: vec![&own.between],
                output: vec![output],
                ..Default::default()
            });
        }
    }
    let size =
        graph.input_size.map_or([Dimension::Param("height"), Dimension::Param("width")], |s| {
            s.map(|side| Dimension::Value(side as i64))
        });
    let [rows, columns] = size;
    let channels = Dimension::Value(graph.input_channels as i64);
    let outputs = Dimension::Value(kind.labels().len() as i64);
    // The sides of the finder's maps follow from the input's; ONNX wants a name for them.
    let mut output_shape = vec![Dimension::Param("n"), outputs];
    if graph.input_size.is_none() {
        output_shape.extend([Dimension::Param("map_height"), Dimension::Param("map_width")]);
    }
    let properties = metadata.properties();
    let model = ast::Model {
        ir_version: IR_VERSION,
        opset_import: vec![ast::OperatorSetId { domain: "", version: OPSET }],
        producer_name: "setsight",
        producer_version: env!("CARGO_PKG_VERSION"),
        graph: Some(ast::Graph {
            name: kind.name(),
            node: nodes,
            initializer: initializers,
            input: vec![value(
                kind.input_name(),
                vec![Dimension::Param("n"), channels, rows, columns],
            )],
            output: vec![value(kind.output_name(), output_shape)],
            ..Default::default()
        }),
        metadata_props: properties
            .iter()
            .map(|(key, value)| ast::StringStringEntry { key, value })
            .collect(),
        ..Default::default()
    };
    onnx_rs::encode(&model)
}

/// The names that a file's parts borrow.
struct Names {
    input: &'static str,
    nodes: Vec<NodeNames>,
    two_steps: Vec<bool>,
}

struct NodeNames {
    name: String,
    /// Of the result.
    output: String,
    /// Of the result before a second node finishes it.
    between: String,
    /// Of that second node.
    second: String,
    /// Of the weights, by their part.
    parts: Vec<(&'static str, String)>,
    /// The weights in half as many bits, where they are stored so.
    halves: Option<Halves>,
}

/// Weights as 16-bit floats, and the node that makes 32-bit ones of them.
struct Halves {
    /// Of the stored numbers.
    name: String,
    /// Of the node.
    cast: String,
    /// Low byte first.
    bytes: Vec<u8>,
}

impl Halves {
    /// Nothing where a weight is beyond what 16 bits hold.
    fn new(node: &str, weights: &[f32]) -> Option<Self> {
        let bytes = weights
            .iter()
            .map(|&weight| f16::from_f32(weight))
            .map(|weight| weight.is_finite().then(|| weight.to_le_bytes()))
            .collect::<Option<Vec<_>>>()?
            .concat();
        Some(Self { name: format!("{node}.halves"), cast: format!("{node}.cast"), bytes })
    }

    fn cast<'a>(&'a self, output: &'a str) -> ast::Node<'a> {
        ast::Node {
            name: &self.cast,
            op_type: OpType::Cast,
            input: vec![&self.name],
            output: vec![output],
            attribute: vec![integer("to", DataType::Float as i64)],
            ..Default::default()
        }
    }
}

impl Names {
    fn new(graph: &Graph, metadata: &Metadata) -> Self {
        let last = graph.nodes.len().saturating_sub(1);
        let names = |(i, node): (usize, &Node)| {
            let (what, parts): (_, &[&'static str]) = match &node.op {
                Op::Conv(_) => ("conv", &["weights", "bias"]),
                Op::Dense { .. } => ("dense", &["weights", "bias"]),
                Op::MaxPool { .. } => ("max", &[]),
                Op::AveragePool { .. } => ("average", &[]),
                Op::GlobalAveragePool => ("mean", &[]),
                Op::Flatten => ("flat", &[]),
                Op::Add { .. } => ("add", &[]),
                Op::Upsample => ("upsample", &["scales"]),
            };
            let name = format!("{what}{i}");
            let output =
                if i == last { metadata.kind.output_name().into() } else { format!("t{i}") };
            let halves = match (&node.op, metadata.kind) {
                (_, Kind::Reader) => None,
                (Op::Conv(Conv { weights, .. }) | Op::Dense { weights, .. }, _) => {
                    Halves::new(&name, weights)
                }
                _ => None,
            };
            NodeNames {
                output,
                halves,
                between: format!("t{i}.between"),
                second: format!("{name}.end"),
                parts: parts.iter().map(|&part| (part, format!("{name}.{part}"))).collect(),
                name,
            }
        };
        let two_steps = |node: &Node| match &node.op {
            Op::Conv(conv) => conv.relu,
            Op::Dense { relu, .. } | Op::Add { relu } => *relu,
            Op::GlobalAveragePool => true,
            _ => false,
        };
        Self {
            input: metadata.kind.input_name(),
            nodes: graph.nodes.iter().enumerate().map(names).collect(),
            two_steps: graph.nodes.iter().map(two_steps).collect(),
        }
    }

    fn tensor(&self, number: usize) -> &str {
        number.checked_sub(1).map_or(self.input, |node| &self.nodes[node].output)
    }

    fn two_steps(&self, node: usize) -> bool {
        self.two_steps[node]
    }
}

impl NodeNames {
    fn part(&self, part: &str) -> &str {
        let found = self.parts.iter().find(|(own, _)| *own == part);
        found.map(|(_, name)| name.as_str()).expect("a part it has")
    }

    fn floats(&self, part: &str, dims: &[usize], values: &[f32]) -> TensorProto<'_> {
        TensorProto::from_f32(self.part(part), signed(dims), values.to_vec())
    }

    fn weights(&self, dims: &[usize], values: &[f32]) -> TensorProto<'_> {
        let Some(Halves { name, bytes, .. }) = &self.halves else {
            return self.floats("weights", dims, values);
        };
        TensorProto::from_raw(name, signed(dims), DataType::Float16, bytes)
    }
}

fn signed(dims: &[usize]) -> Vec<i64> {
    dims.iter().map(|&d| d as i64).collect()
}

fn value<'a>(name: &'a str, dims: Vec<Dimension<'a>>) -> ast::ValueInfo<'a> {
    let dim = |value| ast::TensorShapeDimension { value, denotation: "" };
    let shape = ast::TensorShape { dim: dims.into_iter().map(dim).collect() };
    let tensor = ast::TensorTypeProto { elem_type: DataType::Float, shape: Some(shape) };
    ast::ValueInfo {
        name,
        r#type: Some(ast::TypeProto {
            value: Some(ast::TypeValue::Tensor(tensor)),
            denotation: "",
        }),
        ..Default::default()
    }
}

fn integer(name: &'static str, i: i64) -> Attribute<'static> {
    Attribute { name, r#type: AttributeType::Int, i, ..Default::default() }
}

fn integers(name: &'static str, ints: Vec<i64>) -> Attribute<'static> {
    Attribute { name, r#type: AttributeType::Ints, ints, ..Default::default() }
}

fn text(name: &'static str, s: &'static [u8]) -> Attribute<'static> {
    Attribute { name, r#type: AttributeType::String, s, ..Default::default() }
}

fn window(size: usize) -> Vec<Attribute<'static>> {
    let both = vec![size as i64; 2];
    let mut attributes = vec![integers("kernel_shape", both.clone())];
    if size != 1 {
        attributes.push(integers("strides", both));
    }
    attributes
}

fn conv_attributes(conv: &Conv) -> Vec<Attribute<'static>> {
    let mut attributes = vec![integers("kernel_shape", conv.kernel.map(|k| k as i64).to_vec())];
    if conv.stride != 1 {
        attributes.push(integers("strides", vec![conv.stride as i64; 2]));
    }
    if conv.padding != [0; 4] {
        attributes.push(integers("pads", conv.padding.map(|p| p as i64).to_vec()));
    }
    if conv.dilation != 1 {
        attributes.push(integers("dilations", vec![conv.dilation as i64; 2]));
    }
    if conv.groups != 1 {
        attributes.push(integer("group", conv.groups as i64));
    }
    attributes
}

/// Reads a network that [`encode`] wrote.
///
/// # Errors
/// [`OnnxError`]: not whole, not of this program, or with weights that do not fit.
pub fn decode(bytes: &[u8]) -> Result<(Graph, Metadata), OnnxError> {
    let model = onnx_rs::parse(bytes).map_err(|error| OnnxError::Broken(error.to_string()))?;
    let metadata = Metadata::from_properties(|name| {
        model.metadata_props.iter().find(|entry| entry.key == name).map(|entry| entry.value)
    })?;
    let broken = |what: &str| OnnxError::Broken(what.to_owned());
    let file = model.graph.as_ref().ok_or_else(|| broken("it holds no graph"))?;
    let (input_channels, input_size) = input_of(file, &metadata)?;
    let mut reading = Reading {
        file,
        numbers: HashMap::new(),
        halves: HashMap::new(),
        nodes: Vec::new(),
        open: false,
    };
    reading.numbers.insert(metadata.kind.input_name(), 0);
    for node in &file.node {
        reading.take(node)?;
    }
    let last = reading.nodes.len();
    let end = reading.numbers.get(metadata.kind.output_name());
    if reading.open || last == 0 || end != Some(&last) {
        return Err(broken("its last node does not give its output"));
    }
    Ok((Graph { input_channels, input_size, nodes: reading.nodes }, metadata))
}

/// Channels, and rows and columns where they are fixed.
type InputShape = (usize, Option<[usize; 2]>);

fn input_of(file: &ast::Graph, metadata: &Metadata) -> Result<InputShape, OnnxError> {
    let broken = || OnnxError::Broken("its input is not four-dimensional pictures".to_owned());
    let [input] = file.input.as_slice() else { return Err(broken()) };
    let shape = input.tensor_shape().ok_or_else(broken)?;
    if input.name != metadata.kind.input_name() || shape.dim.len() != 4 {
        return Err(broken());
    }
    let fixed = |i: usize| match shape.dim[i].value {
        Dimension::Value(n) => usize::try_from(n).ok().filter(|&n| n > 0),
        Dimension::Param(_) => None,
    };
    Ok((
        fixed(1).ok_or_else(broken)?,
        fixed(2).zip(fixed(3)).map(|(rows, columns)| [rows, columns]),
    ))
}

/// A file being read node by node.
struct Reading<'a> {
    file: &'a ast::Graph<'a>,
    /// Of the tensors that are there.
    numbers: HashMap<&'a str, usize>,
    /// Stored numbers of 16 bits, by the name that they have once they are of 32.
    halves: HashMap<&'a str, &'a str>,
    nodes: Vec<Node>,
    /// Whether the last node still wants the one that makes it flat.
    open: bool,
}

impl<'a> Reading<'a> {
    fn take(&mut self, node: &'a ast::Node<'a>) -> Result<(), OnnxError> {
        let wrong = |problem: String| OnnxError::Node { node: node.name.to_owned(), problem };
        let [output] = node.output.as_slice() else {
            return Err(wrong(format!("{} results; expected one", node.output.len())));
        };
        if let (OpType::Cast, [stored]) = (&node.op_type, node.input.as_slice()) {
            let to = Attributes(&node.attribute).number("to", 0).map_err(wrong)?;
            if to != DataType::Float as usize {
                return Err(wrong(format!("casts to type {to}; expected 32-bit floats")));
            }
            self.halves.insert(output, stored);
            return Ok(());
        }
        let tensors = match node.op_type {
            OpType::Add => 2,
            _ => 1,
        };
        let inputs = (0..tensors)
            .map(|i| {
                let name = node.input.get(i).copied().unwrap_or_default();
                let number = self.numbers.get(name).copied();
                number.ok_or_else(|| wrong(format!("takes `{name}`, which nothing gives")))
            })
            .collect::<Result<Vec<usize>, _>>()?;
        // A second step belongs to the node before it, whose first result nobody else may take.
        let last = self.nodes.len();
        let finished = match (&node.op_type, self.nodes.last_mut().map(|node| &mut node.op)) {
            _ if inputs[0] != last => false,
            (OpType::Flatten, Some(Op::GlobalAveragePool)) => std::mem::take(&mut self.open),
            (
                OpType::Relu,
                Some(Op::Conv(Conv { relu, .. }) | Op::Dense { relu, .. } | Op::Add { relu }),
            ) => !std::mem::replace(relu, true),
            _ => false,
        };
        if self.open {
            return Err(wrong("follows a mean that was not made flat".to_owned()));
        }
        if finished {
            self.numbers.retain(|_, number| *number != last);
            self.numbers.insert(output, last);
            return Ok(());
        }
        let attributes = Attributes(&node.attribute);
        let op = match node.op_type {
            OpType::Conv => Op::Conv(self.conv(node, &attributes).map_err(wrong)?),
            OpType::Gemm => self.dense(node, &attributes).map_err(wrong)?,
            OpType::MaxPool => Op::MaxPool { size: attributes.window().map_err(wrong)? },
            OpType::AveragePool => Op::AveragePool { size: attributes.window().map_err(wrong)? },
            OpType::GlobalAveragePool => {
                self.open = true;
                Op::GlobalAveragePool
            }
            OpType::Flatten => Op::Flatten,
            OpType::Add => Op::Add { relu: false },
            OpType::Resize => {
                let scales = self.floats(node, 2).map_err(wrong)?;
                if scales.1 != [1.0, 1.0, 2.0, 2.0] {
                    return Err(wrong(format!("scales {:?}; expected 1, 1, 2, 2", scales.1)));
                }
                Op::Upsample
            }
            ref other => {
                return Err(wrong(format!(
                    "`{}` is no operator of these networks",
                    other.as_str()
                )));
            }
        };
        self.nodes.push(Node { op, inputs });
        self.numbers.insert(output, self.nodes.len());
        Ok(())
    }

    /// The dimensions and values of a node's input that is stored in the file.
    fn floats(&self, node: &ast::Node, input: usize) -> Result<(Vec<usize>, Vec<f32>), String> {
        let name = node.input.get(input).copied().unwrap_or_default();
        let stored = self.halves.get(name).copied().unwrap_or(name);
        let tensor = self.file.initializer.iter().find(|tensor| tensor.name() == stored);
        let tensor = tensor.ok_or_else(|| format!("its input {input} (`{name}`) is not stored"))?;
        let dims: Vec<usize> =
            tensor.dims().iter().map(|&d| usize::try_from(d).unwrap_or(0)).collect();
        let values: Vec<f32> = if tensor.data_type() == DataType::Float16 {
            let pairs = tensor.as_raw().unwrap_or_default().chunks_exact(2);
            pairs.map(|pair| f16::from_le_bytes([pair[0], pair[1]]).to_f32()).collect()
        } else {
            tensor.as_f32().map(|values| values.into_owned()).unwrap_or_default()
        };
        let expected = dims.iter().try_fold(1usize, |product, &d| product.checked_mul(d));
        if values.is_empty() || expected != Some(values.len()) {
            return Err(format!("`{name}` holds {} numbers for {dims:?}", values.len()));
        }
        Ok((dims, values))
    }

    fn conv(&self, node: &ast::Node, attributes: &Attributes) -> Result<Conv, String> {
        let (dims, weights) = self.floats(node, 1)?;
        let (bias_dims, bias) = self.floats(node, 2)?;
        let &[outputs, _, rows, columns] = dims.as_slice() else {
            return Err(format!("weights {dims:?}; expected four dimensions"));
        };
        if bias_dims != [outputs] {
            return Err(format!("bias {bias_dims:?}; expected [{outputs}]"));
        }
        let padding = attributes.numbers("pads", 4, 0)?;
        Ok(Conv {
            weights,
            bias,
            kernel: [rows, columns],
            stride: attributes.twice("strides")?,
            padding: padding.try_into().expect("four of them"),
            dilation: attributes.twice("dilations")?,
            groups: attributes.number("group", 1)?,
            relu: false,
        })
    }

    fn dense(&self, node: &ast::Node, attributes: &Attributes) -> Result<Op, String> {
        let (dims, weights) = self.floats(node, 1)?;
        let (bias_dims, bias) = self.floats(node, 2)?;
        let &[outputs, _] = dims.as_slice() else {
            return Err(format!("weights {dims:?}; expected two dimensions"));
        };
        if bias_dims != [outputs] {
            return Err(format!("bias {bias_dims:?}; expected [{outputs}]"));
        }
        if attributes.number("transB", 0)? != 1 {
            return Err("transB is not 1: weights must be [outputs, inputs]".to_owned());
        }
        Ok(Op::Dense { weights, bias, relu: false })
    }
}

/// A node's attributes; those left out have the default of ONNX.
struct Attributes<'a>(&'a [Attribute<'a>]);

impl Attributes<'_> {
    fn number(&self, name: &str, default: i64) -> Result<usize, String> {
        let found = self.0.iter().find(|a| a.name == name).map_or(default, |a| a.i);
        usize::try_from(found).map_err(|_| format!("{name} is {found}; expected 0 or more"))
    }

    fn numbers(&self, name: &str, count: usize, default: i64) -> Result<Vec<usize>, String> {
        let found = self.0.iter().find(|a| a.name == name);
        let found = found.map_or_else(|| vec![default; count], |a| a.ints.clone());
        let numbers: Vec<usize> = found.iter().filter_map(|&i| usize::try_from(i).ok()).collect();
        if found.len() != count || numbers.len() != count {
            return Err(format!("{name} is {found:?}; expected {count} numbers, 0 or more"));
        }
        Ok(numbers)
    }

    /// One number for both directions.
    fn twice(&self, name: &str) -> Result<usize, String> {
        match self.numbers(name, 2, 1)?.as_slice() {
            &[rows, columns] if rows == columns && rows > 0 => Ok(rows),
            other => Err(format!("{name} is {other:?}; expected one step for both directions")),
        }
    }

    /// Side of a pool whose windows do not overlap.
    fn window(&self) -> Result<usize, String> {
        let (size, step) = (self.twice("kernel_shape")?, self.twice("strides")?);
        if size != step {
            return Err(format!("windows of {size} every {step}; expected windows side by side"));
        }
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;
    use proptest::prelude::*;

    fn numbers(n: usize, seed: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 37 + seed * 101) % 199) as f32 / 199.0 - 0.5).collect()
    }

    fn conv(inputs: usize, outputs: usize, kernel: [usize; 2], seed: usize) -> Conv {
        Conv {
            weights: numbers(outputs * inputs * kernel[0] * kernel[1], seed),
            bias: numbers(outputs, seed + 1),
            kernel,
            stride: 1,
            padding: [kernel[0] / 2, kernel[1] / 2, kernel[0] / 2, kernel[1] / 2],
            dilation: 1,
            groups: 1,
            relu: true,
        }
    }

    fn metadata(kind: Kind) -> Metadata {
        Metadata {
            kind,
            version: "0.1.0".into(),
            training_set: "ab".repeat(32),
            command: "setsight train".into(),
            seed: 3,
        }
    }

    /// Every operator, in the manner of a reader.
    fn reader() -> Graph {
        let depthwise = Conv {
            weights: numbers(8 * 9, 5),
            groups: 8,
            stride: 2,
            padding: [0, 0, 1, 1],
            ..conv(1, 8, [3, 3], 5)
        };
        let step = |op, input| Node { op, inputs: vec![input] };
        let nodes = vec![
            step(Op::Conv(conv(3, 8, [5, 5], 1)), 0),
            step(Op::MaxPool { size: 2 }, 1),
            step(Op::Conv(depthwise), 2),
            step(Op::Conv(Conv { relu: false, ..conv(8, 8, [1, 1], 7) }), 3),
            Node { op: Op::Add { relu: true }, inputs: vec![4, 3] },
            step(Op::AveragePool { size: 2 }, 5),
            step(Op::GlobalAveragePool, 6),
            step(Op::Flatten, 7),
            step(Op::Dense { weights: numbers(16 * 8, 2), bias: numbers(16, 4), relu: true }, 8),
            step(Op::Dense { weights: numbers(13 * 16, 9), bias: numbers(13, 8), relu: false }, 9),
        ];
        Graph { input_channels: 3, input_size: Some([64, 96]), nodes }
    }

    /// In the manner of a finder: two paths, free sides.
    fn finder() -> Graph {
        let step = |op, input| Node { op, inputs: vec![input] };
        let nodes = vec![
            step(Op::Conv(Conv { stride: 2, ..conv(3, 8, [3, 3], 1) }), 0),
            step(Op::Conv(Conv { stride: 2, ..conv(8, 8, [3, 3], 2) }), 1),
            step(Op::Conv(Conv { stride: 2, ..conv(8, 8, [3, 3], 3) }), 2),
            step(Op::Conv(Conv { dilation: 2, padding: [2, 2, 2, 2], ..conv(8, 8, [3, 3], 4) }), 3),
            step(Op::Upsample, 4),
            Node { op: Op::Add { relu: false }, inputs: vec![2, 5] },
            step(Op::Conv(Conv { relu: false, ..conv(8, 12, [1, 1], 6) }), 6),
        ];
        Graph { input_channels: 3, input_size: None, nodes }
    }

    /// With the weights that the file of a kind can hold.
    fn stored(mut graph: Graph, kind: Kind) -> Graph {
        for node in &mut graph.nodes {
            let Op::Conv(Conv { weights, .. }) = &mut node.op else { continue };
            if kind != Kind::Reader {
                weights.iter_mut().for_each(|w| *w = f16::from_f32(*w).to_f32());
            }
        }
        graph
    }

    #[test]
    fn a_weight_too_large_for_sixteen_bits_keeps_its_thirty_two() {
        let mut graph = finder();
        let Op::Conv(conv) = &mut graph.nodes[1].op else { unreachable!() };
        conv.weights[3] = 1e6;
        let (back, _) = decode(&encode(&graph, &metadata(Kind::Finder))).unwrap();
        assert_eq!(back.nodes[1], graph.nodes[1]);
        assert_ne!(back.nodes[2], graph.nodes[2]);
    }

    #[test]
    fn a_cast_to_anything_but_floats_is_refused() {
        let bytes = encode(&finder(), &metadata(Kind::Finder));
        let mut model = onnx_rs::parse(&bytes).unwrap();
        let node = &mut model.graph.as_mut().unwrap().node[0];
        assert_eq!(node.name, "conv0.cast");
        node.attribute[0].i = 7;
        let error = decode(&onnx_rs::encode(&model)).unwrap_err().to_string();
        assert_eq!(error, "node `conv0.cast`: casts to type 7; expected 32-bit floats");
    }

    #[test]
    fn what_is_written_comes_back() {
        for (kind, graph) in [(Kind::Reader, reader()), (Kind::Finder, finder())] {
            let bytes = encode(&graph, &metadata(kind));
            let (back, said) = decode(&bytes).unwrap();
            assert_eq!(back, stored(graph, kind));
            assert_eq!(said, metadata(kind));
            assert_eq!(encode(&back, &said), bytes);
        }
    }

    #[test]
    fn a_result_before_its_relu_is_nobody_elses() {
        let bytes = encode(&reader(), &metadata(Kind::Reader));
        let mut model = onnx_rs::parse(&bytes).unwrap();
        let graph = model.graph.as_mut().unwrap();
        let pool = graph.node.iter_mut().find(|node| node.name == "max1").unwrap();
        assert_eq!(pool.input, ["t0"]);
        pool.input = vec!["t0.between"];
        let error = decode(&onnx_rs::encode(&model)).unwrap_err().to_string();
        assert_eq!(error, "node `max1`: takes `t0.between`, which nothing gives");
    }

    #[test]
    fn a_foreign_file_is_refused_by_name() {
        let error = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        assert_eq!(
            error(b""),
            "it has no property `kind`: it was not written by `setsight export onnx`"
        );
        assert!(error(b"\x89PNG\r\n\x1a\n").starts_with("it is no whole ONNX file"));
        let bytes = encode(&reader(), &metadata(Kind::Reader));
        let mut model = onnx_rs::parse(&bytes).unwrap();
        model.graph.as_mut().unwrap().node[1].op_type = OpType::Sin;
        assert_eq!(
            error(&onnx_rs::encode(&model)),
            "node `conv0.end`: `Sin` is no operator of these networks"
        );
        let mut model = onnx_rs::parse(&bytes).unwrap();
        model.graph.as_mut().unwrap().initializer.remove(0);
        assert_eq!(
            error(&onnx_rs::encode(&model)),
            "node `conv0`: its input 1 (`conv0.weights`) is not stored"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_cut_file_is_an_error_and_no_panic(share in 0.0..1.0f64) {
            let bytes = encode(&finder(), &metadata(Kind::Finder));
            let cut = (bytes.len() as f64 * share) as usize;
            prop_assert!(decode(&bytes[..cut]).is_err());
        }
    }
}

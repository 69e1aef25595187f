//! Writes ONNX.

use crate::graph::{Conv, Graph, Node, Op};
use crate::{Kind, Metadata};
use half::f16;
use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataType, Dimension, GraphProto, ModelProto, NodeProto,
    OperatorSetIdProto, StringStringEntryProto, TensorProto, TensorShapeProto, TypeProto,
    TypeProtoTensor, ValueInfoProto,
};
use rten_onnx::protobuf::{EncodeMessage, MessageWriter, ProtobufError, ValueWriter, WriteValue};
use std::cell::RefCell;

/// The operator set: old enough for both engines, new enough for the current definition of
/// `Resize`.
const OPSET: i64 = 17;
/// The file format version that goes with it.
const IR_VERSION: i64 = 8;

/// Most weights of a reader that are stored as 32-bit floats: the board's are quantised from them.
const MOST_EXACT: usize = 50_000;

/// Writes a network, a large one with weights of 16 bits.
///
/// # Panics
/// If the graph is malformed, with a node that uses a tensor before it is computed.
pub fn encode(graph: &Graph, metadata: &Metadata) -> Vec<u8> {
    let halves = metadata.kind != Kind::Reader || graph.parameters() > MOST_EXACT;
    encode_with(graph, metadata, halves)
}

/// Writes a network with weights of 32 bits, as OpenCV up to 4.6 needs them.
///
/// # Panics
/// As [`encode`].
pub fn encode_floats(graph: &Graph, metadata: &Metadata) -> Vec<u8> {
    encode_with(graph, metadata, false)
}

fn encode_with(graph: &Graph, metadata: &Metadata, halves: bool) -> Vec<u8> {
    let kind = metadata.kind;
    let last = graph.nodes.len().saturating_sub(1);
    let mut writing = Writing { halves, file: GraphProto::default() };
    let mut tensors = vec![kind.input_name().to_owned()];
    for (i, node) in graph.nodes.iter().enumerate() {
        let output = if i == last { kind.output_name().to_owned() } else { format!("t{i}") };
        let inputs = node.inputs.iter().map(|&tensor| {
            assert!(tensor <= i, "node {i} takes tensor {tensor}, which is not there yet");
            tensors[tensor].clone()
        });
        let inputs = inputs.collect();
        writing.node(i, node, inputs, output.clone());
        tensors.push(output);
    }
    let [rows, columns] = match graph.input_size {
        Some(size) => size.map(side),
        None => ["height", "width"].map(free_side),
    };
    let outputs = side(kind.labels().len());
    // The size of the finder's maps follows from the input size; ONNX requires a name for it.
    let mut output_shape = vec![free_side("n"), outputs];
    if graph.input_size.is_none() {
        output_shape.extend(["map_height", "map_width"].map(free_side));
    }
    let input_shape = vec![free_side("n"), side(graph.input_channels), rows, columns];
    let model = ModelProto {
        ir_version: Some(IR_VERSION),
        opset_import: vec![OperatorSetIdProto { version: Some(OPSET), ..Default::default() }],
        producer_name: Some("setsight".to_owned()),
        producer_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        graph: None,
        metadata_props: metadata
            .properties()
            .into_iter()
            .map(|(key, value)| StringStringEntryProto {
                key: Some(key.to_owned()),
                value: Some(value),
            })
            .collect(),
    };
    let file = GraphProto {
        input: vec![value(kind.input_name(), input_shape)],
        output: vec![value(kind.output_name(), output_shape)],
        ..writing.file
    };
    let mut bytes = Vec::new();
    let model = NamedModel { model, graph: NamedGraph { name: kind.name(), graph: file } };
    model.encode(ValueWriter::new(&mut bytes)).expect("memory can be written to");
    bytes
}

/// A model and its graph's name, which the standard requires and the library lacks.
struct NamedModel {
    model: ModelProto,
    graph: NamedGraph,
}

struct NamedGraph {
    name: &'static str,
    graph: GraphProto,
}

impl EncodeMessage for NamedModel {
    fn encode_fields<W: WriteValue>(
        &self,
        fields: &mut MessageWriter<W>,
    ) -> Result<(), ProtobufError> {
        self.model.encode_fields(fields)?;
        fields.write_message(7, &self.graph)
    }
}

impl EncodeMessage for NamedGraph {
    fn encode_fields<W: WriteValue>(
        &self,
        fields: &mut MessageWriter<W>,
    ) -> Result<(), ProtobufError> {
        fields.write_string(2, self.name)?;
        self.graph.encode_fields(fields)
    }
}

/// State of writing a file node by node.
struct Writing {
    /// Whether weights are stored as 16-bit floats.
    halves: bool,
    file: GraphProto,
}

impl Writing {
    fn node(&mut self, i: usize, node: &Node, mut inputs: Vec<String>, output: String) {
        let what = match &node.op {
            Op::Conv(_) => "conv",
            Op::Dense { .. } => "dense",
            Op::MaxPool { .. } => "max",
            Op::AveragePool { .. } => "average",
            Op::GlobalAveragePool => "mean",
            Op::Flatten => "flat",
            Op::Add { .. } => "add",
            Op::Upsample => "upsample",
        };
        let name = format!("{what}{i}");
        let (operator, attributes) = match &node.op {
            Op::Conv(conv) => {
                let [rows, columns] = conv.kernel;
                let dims = [conv.outputs(), conv.inputs() / conv.groups, rows, columns];
                inputs.push(self.weights(&name, &dims, &conv.weights));
                inputs.push(self.floats(&name, "bias", &[conv.outputs()], &conv.bias));
                ("Conv", conv_attributes(conv))
            }
            Op::Dense { weights, bias, .. } => {
                let dims = [bias.len(), weights.len() / bias.len()];
                inputs.push(self.weights(&name, &dims, weights));
                inputs.push(self.floats(&name, "bias", &[bias.len()], bias));
                ("Gemm", vec![integer("transB", 1)])
            }
            Op::MaxPool { size } => ("MaxPool", window(*size)),
            Op::AveragePool { size } => ("AveragePool", window(*size)),
            Op::GlobalAveragePool => ("GlobalAveragePool", vec![]),
            Op::Flatten => ("Flatten", vec![]),
            Op::Add { .. } => ("Add", vec![]),
            Op::Upsample => {
                // An empty name omits an input, here the region of interest.
                inputs.push(String::new());
                inputs.push(self.floats(&name, "scales", &[4], &[1.0, 1.0, 2.0, 2.0]));
                let attributes = [
                    ("coordinate_transformation_mode", "asymmetric"),
                    // The standard's default, which OpenCV demands all the same.
                    ("mode", "nearest"),
                    ("nearest_mode", "floor"),
                ];
                ("Resize", attributes.map(|(name, value)| text(name, value)).to_vec())
            }
        };
        let second = match &node.op {
            Op::Conv(Conv { relu: true, .. })
            | Op::Dense { relu: true, .. }
            | Op::Add { relu: true } => Some("Relu"),
            Op::GlobalAveragePool => Some("Flatten"),
            _ => None,
        };
        match second {
            None => self.add(&name, operator, inputs, output, attributes),
            // The tensor between two nodes of one operation has a name of its own.
            Some(second) => {
                let between = format!("t{i}.between");
                self.add(&name, operator, inputs, between.clone(), attributes);
                self.add(&format!("{name}.end"), second, vec![between], output, vec![]);
            }
        }
    }

    fn add(
        &mut self,
        name: &str,
        operator: &str,
        input: Vec<String>,
        output: String,
        attribute: Vec<AttributeProto>,
    ) {
        self.file.node.push(NodeProto {
            name: Some(name.to_owned()),
            op_type: Some(operator.to_owned()),
            input,
            output: vec![output],
            attribute,
            ..Default::default()
        });
    }

    /// Stores a node's weights, as 16-bit floats if the network has them so and they fit, and returns
    /// the name of their 32-bit version.
    fn weights(&mut self, node: &str, dims: &[usize], weights: &[f32]) -> String {
        let halves = weights.iter().map(|&weight| f16::from_f32(weight));
        let bytes = halves.map(|half| half.is_finite().then(|| half.to_le_bytes()));
        let halves = if self.halves { bytes.collect::<Option<Vec<_>>>() } else { None };
        let Some(halves) = halves else { return self.floats(node, "weights", dims, weights) };
        let stored = format!("{node}.halves");
        self.store(&stored, DataType::FLOAT16, dims, halves.concat());
        let name = format!("{node}.weights");
        let to = integer("to", DataType::FLOAT.0.into());
        self.add(&format!("{node}.cast"), "Cast", vec![stored], name.clone(), vec![to]);
        name
    }

    /// Stores 32-bit floats of a node and returns their name.
    fn floats(&mut self, node: &str, part: &str, dims: &[usize], values: &[f32]) -> String {
        let name = format!("{node}.{part}");
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.store(&name, DataType::FLOAT, dims, bytes);
        name
    }

    fn store(&mut self, name: &str, data_type: DataType, dims: &[usize], bytes: Vec<u8>) {
        self.file.initializer.push(TensorProto {
            name: Some(name.to_owned()),
            data_type: Some(data_type),
            dims: dims.iter().map(|&side| side as i64).collect(),
            raw_data: Some(RefCell::new(bytes)),
            ..Default::default()
        });
    }
}

fn side(length: usize) -> Dimension {
    Dimension { dim_value: Some(length as i64), dim_param: None }
}

fn free_side(name: &str) -> Dimension {
    Dimension { dim_value: None, dim_param: Some(name.to_owned()) }
}

fn value(name: &str, dim: Vec<Dimension>) -> ValueInfoProto {
    let shape = Some(TensorShapeProto { dim });
    let tensor_type = Some(TypeProtoTensor { elem_type: Some(DataType::FLOAT), shape });
    let r#type = Some(TypeProto { tensor_type, ..Default::default() });
    ValueInfoProto { name: Some(name.to_owned()), r#type }
}

fn attribute(name: &str, r#type: AttributeType) -> AttributeProto {
    AttributeProto { name: Some(name.to_owned()), r#type: Some(r#type), ..Default::default() }
}

fn integer(name: &str, i: i64) -> AttributeProto {
    AttributeProto { i: Some(i), ..attribute(name, AttributeType::INT) }
}

fn integers(name: &str, numbers: &[usize]) -> AttributeProto {
    let ints = numbers.iter().map(|&i| i as i64).collect();
    AttributeProto { ints, ..attribute(name, AttributeType::INTS) }
}

fn text(name: &str, s: &str) -> AttributeProto {
    AttributeProto { s: Some(s.to_owned()), ..attribute(name, AttributeType::STRING) }
}

fn window(size: usize) -> Vec<AttributeProto> {
    let mut attributes = vec![integers("kernel_shape", &[size; 2])];
    if size != 1 {
        attributes.push(integers("strides", &[size; 2]));
    }
    attributes
}

fn conv_attributes(conv: &Conv) -> Vec<AttributeProto> {
    let mut attributes = vec![integers("kernel_shape", &conv.kernel)];
    if conv.stride != 1 {
        attributes.push(integers("strides", &[conv.stride; 2]));
    }
    if conv.padding != [0; 4] {
        attributes.push(integers("pads", &conv.padding));
    }
    if conv.dilation != 1 {
        attributes.push(integers("dilations", &[conv.dilation; 2]));
    }
    if conv.groups != 1 {
        attributes.push(integer("group", conv.groups as i64));
    }
    attributes
}

//! Writes a network as a TFLite file (schema version 3). The tables are few, so they are written
//! field by field.
//! Their fields and codes have the names of TensorFlow's public schema.

use super::net::{Activation, Net, Op, Window};
use buffer as buffer_field;
use flatbuffers::{FlatBufferBuilder, ForwardsUOffset, TableFinishedWIPOffset, Vector, WIPOffset};
use operator_code as code_field;
use quantization as quantization_field;

/// The offset of each field in its table's vtable, as flatc computes it.
macro_rules! fields {
    ($table:ident: $($field:ident = $place:literal),+) => {
        pub(super) mod $table {
            $(pub(crate) const $field: flatbuffers::VOffsetT = 4 + 2 * $place;)+
        }
    };
}

fields!(model: VERSION = 0, OPERATOR_CODES = 1, SUBGRAPHS = 2, DESCRIPTION = 3, BUFFERS = 4);
fields!(operator_code: DEPRECATED_BUILTIN_CODE = 0, VERSION = 2, BUILTIN_CODE = 3);
fields!(subgraph: TENSORS = 0, INPUTS = 1, OUTPUTS = 2, OPERATORS = 3);
fields!(buffer: DATA = 0);
fields!(tensor: SHAPE = 0, TYPE = 1, BUFFER = 2, NAME = 3, QUANTIZATION = 4);
fields!(quantization: SCALE = 2, ZERO_POINT = 3, QUANTIZED_DIMENSION = 6);
fields!(operator: OPCODE_INDEX = 0, INPUTS = 1, OUTPUTS = 2, BUILTIN_OPTIONS_TYPE = 3, BUILTIN_OPTIONS = 4);
// The options of all three kinds of operators begin with the same fields.
fields!(window: PADDING = 0, STRIDE_W = 1, STRIDE_H = 2);
fields!(conv: FUSED_ACTIVATION_FUNCTION = 3);
fields!(depthwise: DEPTH_MULTIPLIER = 3, FUSED_ACTIVATION_FUNCTION = 4);
fields!(pool: FILTER_WIDTH = 3, FILTER_HEIGHT = 4);

/// File identifier, from the fifth byte on.
const IDENTIFIER: &str = "TFL3";
/// Version of the schema.
const VERSION: u32 = 3;
/// Alignment of weights, from the beginning of the file.
const DATA_ALIGNMENT: usize = 16;

const TYPE_INT32: i8 = 2;
const TYPE_INT8: i8 = 9;

const AVERAGE_POOL_2D: i8 = 1;
const CONV_2D: i8 = 3;
const DEPTHWISE_CONV_2D: i8 = 4;
const MAX_POOL_2D: i8 = 17;

const CONV_OPTIONS: u8 = 1;
const DEPTHWISE_OPTIONS: u8 = 2;
const POOL_OPTIONS: u8 = 5;

const PADDING_SAME: i8 = 0;
const PADDING_VALID: i8 = 1;
const ACTIVATION_NONE: i8 = 0;
const ACTIVATION_RELU: i8 = 1;

type Table = WIPOffset<TableFinishedWIPOffset>;
type Builder = FlatBufferBuilder<'static>;

/// Code and version of an operator.
fn operator_code(op: &Op) -> (i8, i32) {
    match op {
        Op::Conv(..) => (CONV_2D, 3),
        Op::Depthwise(..) => (DEPTHWISE_CONV_2D, 3),
        Op::MaxPool(_) => (MAX_POOL_2D, 2),
        Op::AveragePool(_) => (AVERAGE_POOL_2D, 2),
    }
}

/// The file's bytes.
pub(crate) fn write(net: &Net, description: &str) -> Vec<u8> {
    let mut fbb = Builder::new();
    let mut parts = Parts::default();
    let mut last = parts.activation(&mut fbb, "card", &net.input);
    let input = last;
    for (i, layer) in net.layers.iter().enumerate() {
        let mut inputs = vec![last];
        if let Some(weights) = layer.op.weights() {
            let from = net.input_of(i);
            let (shape, dimension) = match &layer.op {
                Op::Conv(w, _) => {
                    (vec![layer.output.channels, w.kernel[0], w.kernel[1], from.channels], 0)
                }
                Op::Depthwise(w, _) => (vec![1, w.kernel[0], w.kernel[1], from.channels], 3),
                Op::MaxPool(_) | Op::AveragePool(_) => unreachable!("pools have no weights"),
            };
            let bytes: Vec<u8> = weights.values.iter().map(|v| v.to_le_bytes()[0]).collect();
            let quant = quantization(&mut fbb, &weights.scales, 0, dimension);
            let name = format!("weights{i}");
            inputs.push(parts.tensor(&mut fbb, &name, &shape, TYPE_INT8, &bytes, quant));
            let bytes: Vec<u8> = weights.bias.iter().flat_map(|v| v.to_le_bytes()).collect();
            let scales: Vec<f32> = weights.scales.iter().map(|s| s * from.quant.scale).collect();
            let quant = quantization(&mut fbb, &scales, 0, 0);
            let shape = [weights.bias.len()];
            let name = format!("bias{i}");
            inputs.push(parts.tensor(&mut fbb, &name, &shape, TYPE_INT32, &bytes, quant));
        }
        let name = if i + 1 == net.layers.len() { "logits".into() } else { format!("layer{i}") };
        last = parts.activation(&mut fbb, &name, &layer.output);
        parts.operator(&mut fbb, &layer.op, &inputs, last);
    }
    let subgraph = {
        let tensors = tables(&mut fbb, &parts.tensors);
        let inputs = fbb.create_vector(&[input]);
        let outputs = fbb.create_vector(&[last]);
        let operators = tables(&mut fbb, &parts.operators);
        let start = fbb.start_table();
        fbb.push_slot_always(subgraph::TENSORS, tensors);
        fbb.push_slot_always(subgraph::INPUTS, inputs);
        fbb.push_slot_always(subgraph::OUTPUTS, outputs);
        fbb.push_slot_always(subgraph::OPERATORS, operators);
        fbb.end_table(start)
    };
    let codes: Vec<Table> = parts
        .codes
        .iter()
        .map(|&(code, version)| {
            let start = fbb.start_table();
            // Old parsers read only the first field, new ones the second.
            fbb.push_slot_always(code_field::DEPRECATED_BUILTIN_CODE, code);
            fbb.push_slot_always(code_field::VERSION, version);
            fbb.push_slot_always(code_field::BUILTIN_CODE, i32::from(code));
            fbb.end_table(start)
        })
        .collect();
    let buffers: Vec<Table> = std::iter::once(&Vec::new())
        .chain(&parts.buffers)
        .map(|bytes| buffer(&mut fbb, bytes))
        .collect();
    let description = fbb.create_string(description);
    let codes = tables(&mut fbb, &codes);
    let subgraphs = tables(&mut fbb, &[subgraph]);
    let buffers = tables(&mut fbb, &buffers);
    let start = fbb.start_table();
    fbb.push_slot_always(model::VERSION, VERSION);
    fbb.push_slot_always(model::OPERATOR_CODES, codes);
    fbb.push_slot_always(model::SUBGRAPHS, subgraphs);
    fbb.push_slot_always(model::DESCRIPTION, description);
    fbb.push_slot_always(model::BUFFERS, buffers);
    let model = fbb.end_table(start);
    // The file is built from its end: data aligned there is aligned in the file if the total size
    // is a multiple of the alignment. Identifier and root take 8 bytes more.
    pad(&mut fbb, 8);
    fbb.finish(model, Some(IDENTIFIER));
    fbb.finished_data().to_vec()
}

/// Adds zeros so that `more` bytes will end at a multiple of the alignment.
fn pad(fbb: &mut Builder, more: usize) {
    while !(fbb.unfinished_data().len() + more).is_multiple_of(DATA_ALIGNMENT) {
        fbb.push(0u8);
    }
}

fn buffer(fbb: &mut Builder, bytes: &[u8]) -> Table {
    let data = (!bytes.is_empty()).then(|| {
        pad(fbb, bytes.len());
        fbb.create_vector(bytes)
    });
    let start = fbb.start_table();
    if let Some(data) = data {
        fbb.push_slot_always(buffer_field::DATA, data);
    }
    fbb.end_table(start)
}

fn tables(
    fbb: &mut Builder,
    tables: &[Table],
) -> WIPOffset<Vector<'static, ForwardsUOffset<TableFinishedWIPOffset>>> {
    fbb.create_vector(tables)
}

fn quantization(fbb: &mut Builder, scales: &[f32], zero: i32, dimension: i32) -> Table {
    let zeros = fbb.create_vector(&vec![i64::from(zero); scales.len()]);
    let scales = fbb.create_vector(scales);
    let start = fbb.start_table();
    fbb.push_slot_always(quantization_field::SCALE, scales);
    fbb.push_slot_always(quantization_field::ZERO_POINT, zeros);
    fbb.push_slot_always(quantization_field::QUANTIZED_DIMENSION, dimension);
    fbb.end_table(start)
}

/// The parts written so far.
#[derive(Default)]
struct Parts {
    tensors: Vec<Table>,
    operators: Vec<Table>,
    codes: Vec<(i8, i32)>,
    /// Buffers from number 1 on; buffer 0 is empty by convention.
    buffers: Vec<Vec<u8>>,
}

impl Parts {
    /// Adds a tensor and returns its number. A tensor without bytes is not a constant.
    fn tensor(
        &mut self,
        fbb: &mut Builder,
        name: &str,
        shape: &[usize],
        kind: i8,
        bytes: &[u8],
        quant: Table,
    ) -> i32 {
        let buffer = if bytes.is_empty() {
            0
        } else {
            self.buffers.push(bytes.to_vec());
            self.buffers.len() as u32
        };
        let shape: Vec<i32> = shape.iter().map(|&n| n as i32).collect();
        let shape = fbb.create_vector(&shape);
        let name = fbb.create_string(name);
        let start = fbb.start_table();
        fbb.push_slot_always(tensor::SHAPE, shape);
        fbb.push_slot_always(tensor::TYPE, kind);
        fbb.push_slot_always(tensor::BUFFER, buffer);
        fbb.push_slot_always(tensor::NAME, name);
        fbb.push_slot_always(tensor::QUANTIZATION, quant);
        self.tensors.push(fbb.end_table(start));
        self.tensors.len() as i32 - 1
    }

    fn activation(&mut self, fbb: &mut Builder, name: &str, of: &Activation) -> i32 {
        let quant = quantization(fbb, &[of.quant.scale], of.quant.zero, 0);
        let shape = [1, of.height, of.width, of.channels];
        self.tensor(fbb, name, &shape, TYPE_INT8, &[], quant)
    }

    fn operator(&mut self, fbb: &mut Builder, op: &Op, inputs: &[i32], output: i32) {
        let code = operator_code(op);
        let index = self.codes.iter().position(|c| *c == code).unwrap_or_else(|| {
            self.codes.push(code);
            self.codes.len() - 1
        });
        let (kind, options) = options(fbb, op);
        let inputs = fbb.create_vector(inputs);
        let outputs = fbb.create_vector(&[output]);
        let start = fbb.start_table();
        fbb.push_slot_always(operator::OPCODE_INDEX, index as u32);
        fbb.push_slot_always(operator::INPUTS, inputs);
        fbb.push_slot_always(operator::OUTPUTS, outputs);
        fbb.push_slot_always(operator::BUILTIN_OPTIONS_TYPE, kind);
        fbb.push_slot_always(operator::BUILTIN_OPTIONS, options);
        self.operators.push(fbb.end_table(start));
    }
}

fn options(fbb: &mut Builder, op: &Op) -> (u8, Table) {
    let relu = op.weights().is_some_and(|w| w.relu);
    let activation = if relu { ACTIVATION_RELU } else { ACTIVATION_NONE };
    let start = fbb.start_table();
    let kind = match op {
        Op::Conv(window, _) => {
            push_steps(fbb, window);
            fbb.push_slot_always(conv::FUSED_ACTIVATION_FUNCTION, activation);
            CONV_OPTIONS
        }
        Op::Depthwise(window, _) => {
            push_steps(fbb, window);
            fbb.push_slot_always(depthwise::DEPTH_MULTIPLIER, 1i32);
            fbb.push_slot_always(depthwise::FUSED_ACTIVATION_FUNCTION, activation);
            DEPTHWISE_OPTIONS
        }
        Op::MaxPool([height, width]) | Op::AveragePool([height, width]) => {
            fbb.push_slot_always(window::PADDING, PADDING_VALID);
            fbb.push_slot_always(window::STRIDE_W, *width as i32);
            fbb.push_slot_always(window::STRIDE_H, *height as i32);
            fbb.push_slot_always(pool::FILTER_WIDTH, *width as i32);
            fbb.push_slot_always(pool::FILTER_HEIGHT, *height as i32);
            POOL_OPTIONS
        }
    };
    (kind, fbb.end_table(start))
}

fn push_steps(fbb: &mut Builder, of: &Window) {
    let padding = if of.same { PADDING_SAME } else { PADDING_VALID };
    fbb.push_slot_always(window::PADDING, padding);
    fbb.push_slot_always(window::STRIDE_W, of.stride as i32);
    fbb.push_slot_always(window::STRIDE_H, of.stride as i32);
}

#[cfg(test)]
mod tests {
    use crate::quantise::{ActivationRanges, Calibration, quantise};
    use crate::{folder::sha256, sample};
    use setsight_nets::engine::hex;

    /// Another hash is another file: run `tools/h7/verify`, which runs it on interpreters, then write the new
    /// hash here.
    #[test]
    fn a_network_gives_the_file_that_interpreters_have_run() {
        let files = (0..4).flat_map(|seed| {
            let (graph, crops) = (sample::graph(seed), [0, 1].map(sample::crop));
            let ranges = ActivationRanges::over(&graph, &crops);
            super::write(&quantise(&graph, &ranges, Calibration::MinMax).unwrap(), "a test")
        });
        assert_eq!(
            hex(&sha256(&files.collect::<Vec<u8>>())),
            "236ae0a59e0fd5e90faca744aa97a8916237c9433a9ff448b58b1971a0c26225"
        );
    }
}

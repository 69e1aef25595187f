//! Reads a TFLite file of the form that [`super::tflite`] writes; the file is untrusted.

use super::net::{Activation, Layer, Net, Op, Quant, Weights, Window};
use super::schema::{
    ACTIVATION_NONE, ACTIVATION_RELU, AVERAGE_POOL_2D, CONV_2D, DATA_ALIGNMENT, DEPTHWISE_CONV_2D,
    IDENTIFIER, MAX_POOL_2D, PADDING_SAME, PADDING_VALID, TYPE_INT8, TYPE_INT32, VERSION,
};
use super::schema::{
    buffer, conv, depthwise, model, operator, operator_code, pool, quantization, subgraph, tensor,
    window,
};
use super::tflite;
use flatbuffers::VOffsetT;

/// Why a file cannot be a network for the board.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TfliteError {
    /// An offset that points outside the file.
    #[error("the file is damaged or cut short: something should be at byte {0} of {1}")]
    Outside(usize, usize),
    /// Not a TFLite file.
    #[error("not a TFLite file: it should begin with four bytes and then {IDENTIFIER:?}")]
    Identifier,
    /// Another version of the schema.
    #[error("version {0} of the TFLite format; expected {VERSION}")]
    Version(u32),
    /// An unexpected operator.
    #[error(
        "operator code {0}, version {1}; expected one of CONV_2D 3, DEPTHWISE_CONV_2D 3, MAX_POOL_2D 2, AVERAGE_POOL_2D 2"
    )]
    Operator(i32, i32),
    /// Any other difference from the files that this program writes.
    #[error("{0}")]
    Odd(String),
}

fn odd(what: impl Into<String>) -> TfliteError {
    TfliteError::Odd(what.into())
}

type Result<T> = std::result::Result<T, TfliteError>;

/// A table: the file and the table's offset.
#[derive(Clone, Copy)]
struct Table<'a> {
    file: &'a [u8],
    at: usize,
}

fn take<const N: usize>(file: &[u8], at: usize) -> Result<[u8; N]> {
    let bytes = at.checked_add(N).and_then(|end| file.get(at..end));
    Ok(bytes.ok_or(TfliteError::Outside(at, file.len()))?.try_into().expect("N bytes"))
}

fn u32_at(file: &[u8], at: usize) -> Result<usize> {
    Ok(u32::from_le_bytes(take(file, at)?) as usize)
}

/// The target of the offset at `at`.
fn follow(file: &[u8], at: usize) -> Result<usize> {
    let to = at + u32_at(file, at)?;
    if to < file.len() { Ok(to) } else { Err(TfliteError::Outside(to, file.len())) }
}

impl<'a> Table<'a> {
    /// Position of a field, if it is present.
    fn place(&self, field: VOffsetT) -> Result<Option<usize>> {
        let back = i32::from_le_bytes(take(self.file, self.at)?);
        let outside = TfliteError::Outside(self.at, self.file.len());
        let vtable = i64::try_from(self.at).unwrap_or(0) - i64::from(back);
        let vtable = usize::try_from(vtable).map_err(|_| outside)?;
        let size = u16::from_le_bytes(take(self.file, vtable)?);
        if field >= size {
            return Ok(None);
        }
        let offset = u16::from_le_bytes(take(self.file, vtable + usize::from(field))?);
        Ok((offset != 0).then_some(self.at + usize::from(offset)))
    }

    fn i8(&self, field: VOffsetT) -> Result<i8> {
        let at = self.place(field)?;
        at.map_or(Ok(0), |at| Ok(i8::from_le_bytes(take(self.file, at)?)))
    }

    fn i32(&self, field: VOffsetT, default: i32) -> Result<i32> {
        let at = self.place(field)?;
        at.map_or(Ok(default), |at| Ok(i32::from_le_bytes(take(self.file, at)?)))
    }

    fn size(&self, field: VOffsetT) -> Result<usize> {
        let value = self.i32(field, 0)?;
        usize::try_from(value).map_err(|_| odd(format!("a size of {value}")))
    }

    fn table(&self, field: VOffsetT) -> Result<Option<Table<'a>>> {
        let at = self.place(field)?;
        at.map(|at| Ok(Table { file: self.file, at: follow(self.file, at)? })).transpose()
    }

    /// Number of elements of a vector, and the position of the first.
    fn vector(&self, field: VOffsetT, size: usize) -> Result<(usize, usize)> {
        let Some(at) = self.place(field)? else { return Ok((0, 0)) };
        let at = follow(self.file, at)?;
        let (count, first) = (u32_at(self.file, at)?, at + 4);
        let end = count.checked_mul(size).and_then(|bytes| first.checked_add(bytes));
        match end {
            Some(end) if end <= self.file.len() => Ok((count, first)),
            _ => Err(TfliteError::Outside(first, self.file.len())),
        }
    }

    fn values<T, const N: usize>(&self, field: VOffsetT, from: fn([u8; N]) -> T) -> Result<Vec<T>> {
        let (count, first) = self.vector(field, N)?;
        (0..count).map(|i| Ok(from(take(self.file, first + N * i)?))).collect()
    }

    fn tables(&self, field: VOffsetT) -> Result<Vec<Table<'a>>> {
        let (count, first) = self.vector(field, 4)?;
        (0..count)
            .map(|i| Ok(Table { file: self.file, at: follow(self.file, first + 4 * i)? }))
            .collect()
    }
}

struct Tensor<'a> {
    shape: Vec<usize>,
    kind: i8,
    bytes: &'a [u8],
    scales: Vec<f32>,
    zeros: Vec<i64>,
    dimension: i32,
}

impl<'a> Tensor<'a> {
    fn read(table: &Table<'a>, buffers: &[Table<'a>]) -> Result<Self> {
        let shape = table.values(tensor::SHAPE, i32::from_le_bytes)?;
        let shape = shape
            .into_iter()
            .map(|n| usize::try_from(n).map_err(|_| odd(format!("a side of {n}"))))
            .collect::<Result<_>>()?;
        let number = table.size(tensor::BUFFER)?;
        let found = buffers.get(number).ok_or_else(|| odd(format!("no buffer {number}")))?;
        let (count, first) = found.vector(buffer::DATA, 1)?;
        if count > 0 && !first.is_multiple_of(DATA_ALIGNMENT) {
            return Err(odd(format!(
                "buffer {number} begins at byte {first}, no multiple of {DATA_ALIGNMENT}"
            )));
        }
        let quant = table
            .table(tensor::QUANTIZATION)?
            .ok_or_else(|| odd("a tensor without quantisation"))?;
        let scales = quant.values(quantization::SCALE, f32::from_le_bytes)?;
        if scales.is_empty() || scales.iter().any(|s| !(s.is_finite() && *s > 0.0)) {
            return Err(odd("a scale that is not above 0"));
        }
        Ok(Self {
            shape,
            kind: table.i8(tensor::TYPE)?,
            bytes: &table.file[first..first + count],
            scales,
            zeros: quant.values(quantization::ZERO_POINT, i64::from_le_bytes)?,
            dimension: quant.i32(quantization::QUANTIZED_DIMENSION, 0)?,
        })
    }

    fn activation(&self) -> Result<Activation> {
        let [height, width, channels] = match self.shape[..] {
            [1, height, width, channels] => [height, width, channels],
            _ => return Err(odd(format!("an activation of shape {:?}", self.shape))),
        };
        let limit = 1 << 22;
        if self.kind != TYPE_INT8 || !self.bytes.is_empty() {
            return Err(odd("an activation that is no int8"));
        }
        if [height, width, channels].iter().any(|&n| n == 0 || n > limit)
            || height.saturating_mul(width).saturating_mul(channels) > limit
        {
            return Err(odd(format!("an activation of shape {:?}", self.shape)));
        }
        let (&[scale], &[zero]) = (&self.scales[..], &self.zeros[..]) else {
            return Err(odd("an activation with more than one scale"));
        };
        let zero = i32::try_from(zero).ok().filter(|z| (-128..=127).contains(z));
        let zero = zero.ok_or_else(|| odd("a zero point that is no int8"))?;
        Ok(Activation { height, width, channels, quant: Quant { scale, zero } })
    }
}

/// The network in a file.
pub fn read(file: &[u8]) -> Result<Net> {
    if file.get(4..8) != Some(IDENTIFIER.as_bytes()) {
        return Err(TfliteError::Identifier);
    }
    let root = Table { file, at: follow(file, 0)? };
    let version = root.i32(model::VERSION, 0)? as u32;
    if version != VERSION {
        return Err(TfliteError::Version(version));
    }
    let buffers = root.tables(model::BUFFERS)?;
    if buffers.first().is_none_or(|b| b.vector(buffer::DATA, 1).is_ok_and(|(n, _)| n > 0)) {
        return Err(odd("buffer 0 is not empty"));
    }
    let codes: Vec<(i32, i32)> = root
        .tables(model::OPERATOR_CODES)?
        .iter()
        .map(|code| {
            let (old, new) = (
                i32::from(code.i8(operator_code::DEPRECATED_BUILTIN_CODE)?),
                code.i32(operator_code::BUILTIN_CODE, 0)?,
            );
            if old != new {
                return Err(odd(format!("an operator with two codes, {old} and {new}")));
            }
            Ok((new, code.i32(operator_code::VERSION, 1)?))
        })
        .collect::<Result<_>>()?;
    let graphs = root.tables(model::SUBGRAPHS)?;
    let [graph] = graphs[..] else {
        return Err(odd(format!("{} graphs, expected one", graphs.len())));
    };
    let tensors: Vec<Tensor> = graph
        .tables(subgraph::TENSORS)?
        .iter()
        .map(|t| Tensor::read(t, &buffers))
        .collect::<Result<_>>()?;
    let numbered = |number: i32| {
        let found = usize::try_from(number).ok().and_then(|i| tensors.get(i));
        found.ok_or_else(|| odd(format!("no tensor {number}")))
    };
    let (inputs, outputs) = (
        graph.values(subgraph::INPUTS, i32::from_le_bytes)?,
        graph.values(subgraph::OUTPUTS, i32::from_le_bytes)?,
    );
    let (&[input], &[output]) = (&inputs[..], &outputs[..]) else {
        return Err(odd("more than one input or output"));
    };
    let mut last = input;
    let mut from = numbered(input)?.activation()?;
    let mut net = Net { input: from, layers: Vec::new(), output_offset: 0.0 };
    for step in graph.tables(subgraph::OPERATORS)? {
        let index = step.size(operator::OPCODE_INDEX)?;
        let &code = codes.get(index).ok_or_else(|| odd(format!("no operator code {index}")))?;
        let inputs = step.values(operator::INPUTS, i32::from_le_bytes)?;
        let outputs = step.values(operator::OUTPUTS, i32::from_le_bytes)?;
        let &[made] = &outputs[..] else {
            return Err(odd("an operator without one result"));
        };
        if inputs.first() != Some(&last) {
            return Err(odd("the operators are no chain"));
        }
        let constants =
            inputs[1..].iter().map(|&i| numbered(i)).collect::<Result<Vec<&Tensor>>>()?;
        let options = step
            .table(operator::BUILTIN_OPTIONS)?
            .ok_or_else(|| odd("an operator without options"))?;
        let to = numbered(made)?.activation()?;
        let op = read_op(code, &options, &constants, &from)?;
        check_sizes(&op, &from, &to)?;
        if tflite::operator_code(&op) != (code.0 as i8, code.1) {
            return Err(TfliteError::Operator(code.0, code.1));
        }
        net.layers.push(Layer { op, output: to });
        (last, from) = (made, to);
    }
    if last != output || net.layers.is_empty() {
        return Err(odd("the last operator does not make the output"));
    }
    Ok(net)
}

fn read_op(
    code: (i32, i32),
    options: &Table,
    constants: &[&Tensor],
    from: &Activation,
) -> Result<Op> {
    let relu = |field: VOffsetT| match options.i8(field)? {
        ACTIVATION_NONE => Ok(false),
        ACTIVATION_RELU => Ok(true),
        other => Err(odd(format!("activation function {other}"))),
    };
    let is = |known: i8| code.0 == i32::from(known);
    if is(MAX_POOL_2D) || is(AVERAGE_POOL_2D) {
        let size = [options.size(pool::FILTER_HEIGHT)?, options.size(pool::FILTER_WIDTH)?];
        if [options.size(window::STRIDE_H)?, options.size(window::STRIDE_W)?] != size
            || options.i8(window::PADDING)? != PADDING_VALID
            || size.contains(&0)
        {
            return Err(odd("a pool whose windows overlap or are padded"));
        }
        return Ok(if is(MAX_POOL_2D) { Op::MaxPool(size) } else { Op::AveragePool(size) });
    }
    if !(is(CONV_2D) || is(DEPTHWISE_CONV_2D)) {
        return Err(TfliteError::Operator(code.0, code.1));
    }
    let &[weights, bias] = constants else {
        return Err(odd("an operator without weights and bias"));
    };
    let weights_of = |relu: bool, channels: usize, dimension: i32| {
        let length: usize = weights.shape.iter().product();
        let bias_values: Vec<i32> = bias
            .bytes
            .chunks_exact(4)
            .map(|b| i32::from_le_bytes(b.try_into().expect("four bytes")))
            .collect();
        let scales = weights.scales.len();
        if weights.kind != TYPE_INT8
            || bias.kind != TYPE_INT32
            || weights.bytes.len() != length
            || bias_values.len() != channels
            || weights.zeros.iter().any(|&z| z != 0)
            || scales != channels
            || weights.dimension != dimension
        {
            return Err(odd("weights that do not fit their operator"));
        }
        Ok(Weights {
            values: weights.bytes.iter().map(|&b| i8::from_le_bytes([b])).collect(),
            scales: weights.scales.clone(),
            bias: bias_values,
            relu,
        })
    };
    let &[first, rows, columns, channels] = &weights.shape[..] else {
        return Err(odd("a kernel without four sides"));
    };
    let stride = options.size(window::STRIDE_W)?;
    let same = match options.i8(window::PADDING)? {
        PADDING_SAME => true,
        PADDING_VALID => false,
        other => return Err(odd(format!("padding {other}"))),
    };
    let dilation = if is(CONV_2D) {
        [conv::DILATION_W_FACTOR, conv::DILATION_H_FACTOR]
    } else {
        [depthwise::DILATION_W_FACTOR, depthwise::DILATION_H_FACTOR]
    };
    if stride == 0
        || options.size(window::STRIDE_H)? != stride
        || options.i32(dilation[0], 1)? != 1
        || options.i32(dilation[1], 1)? != 1
        || channels != from.channels
        || rows.min(columns) == 0
    {
        return Err(odd("a convolution of an unexpected kind"));
    }
    let shape = Window { kernel: [rows, columns], stride, same };
    if is(CONV_2D) {
        return Ok(Op::Conv(shape, weights_of(relu(conv::FUSED_ACTIVATION_FUNCTION)?, first, 0)?));
    }
    if first != 1 || options.i32(depthwise::DEPTH_MULTIPLIER, 0)? != 1 {
        return Err(odd("a depthwise convolution with more than one kernel a channel"));
    }
    Ok(Op::Depthwise(shape, weights_of(relu(depthwise::FUSED_ACTIVATION_FUNCTION)?, channels, 3)?))
}

/// Checks that a layer's result has the stated size.
fn check_sizes(op: &Op, from: &Activation, to: &Activation) -> Result<()> {
    let windowed = |window: &Window, from: usize, kernel: usize| {
        if window.same {
            Some(from.div_ceil(window.stride))
        } else {
            from.checked_sub(kernel).map(|rest| rest / window.stride + 1)
        }
    };
    let expected = match op {
        Op::Conv(window, weights) | Op::Depthwise(window, weights) => (
            windowed(window, from.height, window.kernel[0]),
            windowed(window, from.width, window.kernel[1]),
            weights.bias.len(),
        ),
        Op::MaxPool([height, width]) | Op::AveragePool([height, width]) => {
            (Some(from.height / height), Some(from.width / width), from.channels)
        }
    };
    let pooled = matches!(op, Op::MaxPool(_) | Op::AveragePool(_));
    if expected != (Some(to.height), Some(to.width), to.channels)
        || (pooled && to.quant != from.quant)
    {
        return Err(odd(format!("{}: its result has another shape or scale", op.name())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::Planes;
    use crate::quantise::{ActivationRanges, Calibration, quantise};
    use crate::{sample, tflite};
    use proptest::prelude::*;

    static FILE: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
        let graph = sample::graph(0);
        let crops: Vec<Planes> = (0..2).map(sample::crop).collect();
        let net =
            quantise(&graph, &ActivationRanges::over(&graph, &crops), Calibration::MinMax).unwrap();
        tflite::write(&net, "a test")
    });

    #[test]
    fn other_files_and_versions_are_named() {
        assert_eq!(read(b"nothing of the kind"), Err(TfliteError::Identifier));
        assert_eq!(read(b""), Err(TfliteError::Identifier));
        let file = &*FILE;
        for cut in [9, 40, file.len() / 2] {
            assert!(matches!(read(&file[..cut]), Err(TfliteError::Outside(..))), "{cut}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn damage_never_panics(at in 0..4000usize, byte in any::<u8>()) {
            let mut file = FILE.clone();
            let at = at % file.len();
            file[at] = byte;
            let _ = read(&file);
        }
    }
}

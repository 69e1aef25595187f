//! Reads ONNX with another library than the one that writes it, from any program that writes the
//! same form.

use crate::Metadata;
use crate::graph::{Conv, Graph, Node, Op};
use half::f16;
use onnx_rs::ast::{self, Attribute, DataType, Dimension, OpType};
use std::collections::HashMap;

/// Why an ONNX file is not a network of this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OnnxError {
    #[error("it is not a complete ONNX file ({0})")]
    Broken(String),
    #[error("it has no property `{0}`: it was not written by this program")]
    NoProperty(&'static str),
    #[error("its {what} is `{found}`; expected {expected}")]
    Property { what: &'static str, found: String, expected: String },
    #[error("node `{node}`: {problem}")]
    Node { node: String, problem: String },
}

/// Reads a network that [`encode`](super::encode) wrote.
///
/// # Errors
/// [`OnnxError`]: truncated, not from this program, or with weights of the wrong shapes.
pub fn decode(bytes: &[u8]) -> Result<(Graph, Metadata), OnnxError> {
    let model = onnx_rs::parse(bytes).map_err(|error| OnnxError::Broken(error.to_string()))?;
    let metadata = Metadata::from_properties(|name| {
        model.metadata_props.iter().find(|entry| entry.key == name).map(|entry| entry.value)
    })?;
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

fn broken(what: &str) -> OnnxError {
    OnnxError::Broken(what.to_owned())
}

/// Channels; rows and columns if they are fixed.
type InputShape = (usize, Option<[usize; 2]>);

fn input_of(file: &ast::Graph, metadata: &Metadata) -> Result<InputShape, OnnxError> {
    let broken = || OnnxError::Broken("its input is not four-dimensional pictures".to_owned());
    let [input] = file.input.as_slice() else { return Err(broken()) };
    let shape = input.tensor_shape().ok_or_else(broken)?;
    if input.name != metadata.kind.input_name() || shape.dim.len() != 4 {
        return Err(broken());
    }
    let [channels, rows, columns] = [1, 2, 3].map(|i: usize| match shape.dim[i].value {
        Dimension::Value(n) => usize::try_from(n).ok().filter(|&n| n > 0),
        Dimension::Param(_) => None,
    });
    Ok((channels.ok_or_else(broken)?, rows.zip(columns).map(|(rows, columns)| [rows, columns])))
}

/// State of reading a file node by node.
struct Reading<'a> {
    file: &'a ast::Graph<'a>,
    /// Indices of the tensors so far, by name.
    numbers: HashMap<&'a str, usize>,
    /// Names of stored 16-bit weights, by the names they have after the cast to 32 bits.
    halves: HashMap<&'a str, &'a str>,
    nodes: Vec<Node>,
    /// Whether the last node still needs a `Flatten` after it.
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
        // A second node completes the previous one, whose intermediate result no other node may
        // use.
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
                    "`{}` is not an operator of these networks",
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

/// A node's attributes; omitted ones have ONNX's default.
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

    /// One number for both axes.
    fn twice(&self, name: &str) -> Result<usize, String> {
        match self.numbers(name, 2, 1)?.as_slice() {
            &[rows, columns] if rows == columns && rows > 0 => Ok(rows),
            other => Err(format!("{name} is {other:?}; expected one step for both directions")),
        }
    }

    /// Window size of a pool whose windows do not overlap.
    fn window(&self) -> Result<usize, String> {
        let (size, step) = (self.twice("kernel_shape")?, self.twice("strides")?);
        if size != step {
            return Err(format!("windows of {size} every {step}; expected windows side by side"));
        }
        Ok(size)
    }
}

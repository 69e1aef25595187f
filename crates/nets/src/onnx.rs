//! ONNX: writes files for ONNX Runtime and the embedded engine, and reads them back.
//!
//! Files use only a few operators of opset 17, and omit attributes with default values unless another
//! program demands them. The batch size is free in every file; rows and columns are free if
//! [`crate::graph::Graph::input_size`] is `None`.
//!
//! In files of this program the finder's and the refiner's weights are 16-bit floats, each with a `Cast`
//! to 32 bits that both engines evaluate once, at load time. This halves the file, and changes each
//! weight by at most one part in two thousand. Files for other programs have 32 bits.

mod read;
mod write;

pub use read::{OnnxError, decode};
pub use write::{encode, encode_floats};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Conv, Graph, Node, Op};
    use crate::{Kind, Metadata};
    use half::f16;
    use onnx_rs::ast::{DataType, OpType};
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

    fn step(op: Op, input: usize) -> Node {
        Node { op, inputs: vec![input] }
    }

    /// A graph with every operator, in the shape of a reader.
    fn reader() -> Graph {
        let depthwise = Conv {
            weights: numbers(8 * 9, 5),
            groups: 8,
            stride: 2,
            padding: [0, 0, 1, 1],
            ..conv(1, 8, [3, 3], 5)
        };
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

    /// A graph in the shape of a finder: two paths, free rows and columns.
    fn finder() -> Graph {
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

    /// Rounds the weights as the file of a kind stores them.
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
    fn a_file_for_other_programs_has_the_same_weights_in_thirty_two_bits() {
        for (kind, graph) in
            [(Kind::Reader, reader()), (Kind::Finder, finder()), (Kind::Refiner, reader())]
        {
            let (graph, metadata) = (stored(graph, kind), metadata(kind));
            let bytes = encode_floats(&graph, &metadata);
            assert_eq!(decode(&bytes).unwrap(), (graph, metadata), "{kind:?}");
            let written = onnx_rs::parse(&bytes).unwrap().graph.unwrap();
            assert!(written.node.iter().all(|node| node.op_type != OpType::Cast), "{kind:?}");
            let mut types = written.initializer.iter().map(|tensor| tensor.data_type());
            assert!(types.all(|stored| stored == DataType::Float), "{kind:?}");
        }
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
            let (back, decoded) = decode(&bytes).unwrap();
            assert_eq!(back, stored(graph, kind));
            assert_eq!(decoded, metadata(kind));
            assert_eq!(encode(&back, &decoded), bytes);
        }
    }

    /// The embedded engine's parser accepts numbers only in the standard's encoding and only
    /// unpacked where it says so; other programs require a graph name, OpenCV the mode of a `Resize`.
    #[test]
    fn other_programs_read_what_is_written() {
        for (kind, graph) in [(Kind::Reader, reader()), (Kind::Finder, finder())] {
            let bytes = encode(&graph, &metadata(kind));
            let model = onnx_rs::parse(&bytes).unwrap();
            let written = model.graph.unwrap();
            assert_eq!(written.name, kind.name());
            for resize in written.node.iter().filter(|node| node.op_type == OpType::Resize) {
                let names: Vec<_> = resize.attribute.iter().map(|one| one.name).collect();
                assert_eq!(names, ["coordinate_transformation_mode", "mode", "nearest_mode"]);
            }
            let model = rten::Model::load(bytes).unwrap();
            assert_eq!(
                model.node_info(model.input_ids()[0]).unwrap().name(),
                Some(kind.input_name())
            );
            assert_eq!(
                model.total_params(),
                graph.parameters() + 4 * usize::from(kind == Kind::Finder)
            );
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
        assert_eq!(error_of(b""), "it has no property `kind`: it was not written by this program");
        assert!(error_of(b"\x89PNG\r\n\x1a\n").starts_with("it is not a complete ONNX file"));
        let bytes = encode(&reader(), &metadata(Kind::Reader));
        let mut model = onnx_rs::parse(&bytes).unwrap();
        model.graph.as_mut().unwrap().node[1].op_type = OpType::Sin;
        assert_eq!(
            error_of(&onnx_rs::encode(&model)),
            "node `conv0.end`: `Sin` is not an operator of these networks"
        );
        let mut model = onnx_rs::parse(&bytes).unwrap();
        model.graph.as_mut().unwrap().initializer.remove(0);
        assert_eq!(
            error_of(&onnx_rs::encode(&model)),
            "node `conv0`: its input 1 (`conv0.weights`) is not stored"
        );
    }

    fn error_of(bytes: &[u8]) -> String {
        decode(bytes).unwrap_err().to_string()
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

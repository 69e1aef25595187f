#!/usr/bin/env bash
# Where an ONNX network states a coefficient of 0 for HardSigmoid or Selu, OpenVINO takes the operator's default in its
# place, as if nothing were stated. HardSigmoid with alpha 1 and beta 0 is a plain "cut to 0..1"; in OpenVINO half is
# added to each answer, so that a score of 0.25 is 0.75. Elu, LeakyRelu, ThresholdedRelu, Shrink and Gemm are right.
#
# Hit: who ends a small network by such a cut (it suits int8 better than Sigmoid): all of its scores are wrong, most of
# them "sure", and nothing is refused.
# To do: write Clip for it, or Mul and Clip; or a beta that is not quite 0, such as 1e-30.
#
# openvino 2026.4.1, onnxruntime 1.32.0, onnx 1.23.2, on x86-64; 2026-11-29.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    openvino==2026.4.1 onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" <<'PYTHON'
import sys

import numpy as np
import onnx
import onnxruntime
import openvino
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

print("OpenVINO", openvino.__version__, "ONNX Runtime", onnxruntime.__version__, "onnx", onnx.__version__)


def answers(operator, inputs, out=TensorProto.FLOAT, **attributes):
    """What a network of one operator gives in each runtime; the first input is fed, the others are constants."""
    names = ["" if value is None else f"input{index}" for index, value in enumerate(inputs)]
    constants = [numpy_helper.from_array(value, name) for name, value in zip(names[1:], inputs[1:]) if name]
    graph = helper.make_graph(
        [helper.make_node(operator, names, ["y"], **attributes)], operator,
        [helper.make_tensor_value_info(names[0], TensorProto.FLOAT, inputs[0].shape)],
        [helper.make_tensor_value_info("y", out, None)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    onnx.checker.check_model(model)
    onnx.save(model, "one.onnx")
    compiled = openvino.Core().compile_model("one.onnx", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    session = onnxruntime.InferenceSession("one.onnx", providers=["CPUExecutionProvider"])
    return [ReferenceEvaluator(model).run(None, {names[0]: inputs[0]})[0],
            session.run(None, {names[0]: inputs[0]})[0], compiled([inputs[0]])[0]]


scores = np.array([0, 0.25, 0.5], np.float32)
# Of each: the coefficients, and what OpenVINO gives, which is what the defaults give.
cases = [("HardSigmoid", scores, {"alpha": 1.0, "beta": 0.0}, [0, 0.25, 0.5], [0.5, 0.75, 1]),
         ("HardSigmoid", scores, {"alpha": 1.0, "beta": 1e-30}, [0, 0.25, 0.5], [0, 0.25, 0.5]),
         ("HardSigmoid", scores, {"alpha": 0.0, "beta": 0.25}, [0.25, 0.25, 0.25], [0.25, 0.3, 0.35]),
         ("Selu", -scores, {"alpha": 0.0, "gamma": 1.0}, [0, 0, 0], [0, -0.3701, -0.6583])]
for operator, inputs, coefficients, expected, other in cases:
    reference, runtime, seen = answers(operator, [inputs], **coefficients)
    print(f"{operator} {coefficients}: expected {expected}, ONNX Runtime {runtime.round(3).tolist()}, "
          f"OpenVINO {seen.round(3).tolist()}")
    for values, wanted in [(reference, expected), (runtime, expected), (seen, other)]:
        if not np.allclose(values, wanted, atol=1e-3):
            sys.exit("changed: a coefficient of 0 is read in another way than on 2026-11-29")
print("seen: a 0 is replaced by the default")
PYTHON

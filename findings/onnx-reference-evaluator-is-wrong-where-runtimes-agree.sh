#!/usr/bin/env bash
# The package onnx brings an evaluator that is named as the reference, and golden values are made with it. In three
# operators it is off and the runtimes are right: LRN normalises only as many channels as the batch has pictures,
# LogSoftmax ends at minus infinity 104 below the best, and cubic Resize to a side of one pixel (pytorch_half_pixel)
# samples half a pixel beside the first row, which the standard names in so many words.
#
# Hit: who checks an exported reader against the reference and looks for the fault in the runtime.
# To do: take two runtimes that agree, or the sum in double precision, as golden values for these operators.
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


picture = np.array([[[[1, 2, 4], [3, 9, 27], [5, 7, 11]]]], np.float32)
channels = np.arange(1, 5, dtype=np.float32).reshape(1, 4, 1, 1)
power = [channels.ravel()[max(0, at - 1):at + 2] for at in range(4)]
normalised = [float(level / (1 + (near**2).sum() / 3)) for level, near in zip(channels.ravel(), power)]
row = {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel"}
cases = [("LRN", [channels], {"size": 3, "alpha": 1.0, "beta": 1.0}, normalised),
         ("LogSoftmax", [np.array([[120, 0]], np.float32)], {}, [0, -120]),
         ("Resize", [picture, None, None, np.array([1, 1, 1, 3], np.int64)], row, [1, 2, 4])]
for operator, inputs, attributes, expected in cases:
    reference, *runtimes = [np.ravel(values) for values in answers(operator, inputs, **attributes)]
    print(f"{operator}: expected {np.round(expected, 3).tolist()}, runtimes {runtimes[0].round(3).tolist()}, "
          f"reference {reference.round(3).tolist()}")
    if not all(np.allclose(values, expected, atol=1e-4) for values in runtimes):
        sys.exit("changed: a runtime no longer gives what the standard's text asks for")
    if np.allclose(reference, expected, atol=1e-2):
        sys.exit("changed: the reference evaluator is right now")
print("seen: both runtimes are right and the reference is not")
PYTHON

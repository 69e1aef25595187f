#!/usr/bin/env bash
# The largest of (NaN, 1) is NaN in ONNX Runtime, and that of (1, NaN) is 1. OpenVINO has it just the other way round.
# The standard's reference says NaN for both, and so does ONNX Runtime's own Max of two inputs.
#
# Hit: who takes "the best score of a map" by ReduceMax or GlobalMaxPool and checks it for NaN: a broken map is found or
# not by the place of the broken pixel, and two runtimes disagree over the same map.
# To do: check the map itself (or its ReduceSum, which keeps NaN everywhere), not its maximum.
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


axis = np.array([1], np.int64)
seen = {}
for name, row in [("in front", [np.nan, 1]), ("at the end", [1, np.nan])]:
    scores = np.array([row], np.float32)
    seen[name] = [float(value[0]) for value in answers("ReduceMax", [scores, axis], keepdims=0)]
    print(f"NaN {name}: expected nan, ONNX Runtime {seen[name][1]}, OpenVINO {seen[name][2]}")
    if not all(np.isnan(value[0]) for value in answers("ReduceSum", [scores, axis], keepdims=0)):
        sys.exit("changed: a sum no longer keeps NaN in each runtime")
    if not np.isnan(answers("Max", [scores, np.zeros((1, 2), np.float32)])[1]).any():
        sys.exit("changed: ONNX Runtime's Max no longer keeps NaN")
wanted = {"in front": [np.nan, np.nan, 1], "at the end": [np.nan, 1, np.nan]}
if any(not np.array_equal(seen[name], wanted[name], equal_nan=True) for name in wanted):
    sys.exit("changed: a maximum treats NaN in another way than on 2026-11-29")
print("seen: each runtime drops NaN at one of the two places")
PYTHON

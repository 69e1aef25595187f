#!/usr/bin/env bash
# ONNX's Resize can keep a picture's proportions (keep_aspect_ratio_policy, since opset 18). OpenVINO reads such a
# network without a word and stretches the picture to the full size: 2 x 4 pixels "not larger than 8 x 8" are 4 x 8
# in ONNX Runtime and 8 x 8 in OpenVINO. The attribute exclude_outside of cubic sampling is passed over as well.
#
# Hit: who puts the letterbox of a photo into the network, so that no program has to do it: cards are squashed, and
# boxes come back for another picture.
# To do: compute the sizes outside and give them as numbers, or compare the output's shape with what you expect.
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


picture = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 4)
shapes = []
for policy in ("not_larger", "not_smaller"):
    sizes = [picture, None, None, np.array([8, 8], np.int64)]
    values = answers("Resize", sizes, mode="nearest", axes=[2, 3], keep_aspect_ratio_policy=policy)
    shapes.append([list(value.shape[2:]) for value in values])
    print(f"{policy}: expected {shapes[-1][0]}, ONNX Runtime {shapes[-1][1]}, OpenVINO {shapes[-1][2]}")
if shapes != [[[4, 8], [4, 8], [8, 8]], [[8, 16], [8, 16], [8, 8]]]:
    sys.exit("changed: the runtimes size this picture in another way than on 2026-11-29")

sizes = [picture, None, None, np.array([1, 1, 2, 3], np.int64)]
edges = [values.ravel()[0] for values in answers("Resize", sizes, mode="cubic", exclude_outside=1)]
plain = [values.ravel()[0] for values in answers("Resize", sizes, mode="cubic")]
print(f"first pixel of a cubic one without what lies outside: ONNX Runtime {edges[1]:.3f}, OpenVINO {edges[2]:.3f}")
if abs(edges[0] - edges[1]) > 1e-3 or abs(edges[1] - edges[2]) < 1e-2 or abs(edges[2] - plain[2]) > 1e-6:
    sys.exit("changed: exclude_outside is treated in another way than on 2026-11-29")
print("seen: OpenVINO passes over both attributes")
PYTHON

#!/usr/bin/env bash
# A network that has gone wrong gives "not a number", and every standard operator is to hand it on. In OpenVINO on the
# CPU it ends as a plain value: Relu and Clip make it 0, HardSigmoid makes it 1, Greater says that it is more than 0.
# ONNX Runtime and the standard's reference keep it, and compare it to false.
#
# Hit: who guards a reader of photos by a look for NaN in the answer: with weights that overflowed in half precision,
# or a division by an empty sum, OpenVINO says "sure" where the other runtimes show the fault.
# To do: look for NaN in the weights and in the inputs, and compare a known picture's answer with a stored one.
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


broken = np.array([np.nan, 0.25], np.float32)
zero, six = np.array(0, np.float32), np.array(6, np.float32)
# Of each operator: what the standard asks for, and what OpenVINO gives.
cases = [("Relu", [broken], {}, [np.nan, 0.25], [0, 0.25]),
         ("Clip", [broken, zero, six], {}, [np.nan, 0.25], [0, 0.25]),
         ("HardSigmoid", [broken], {"alpha": 1.0, "beta": 0.25}, [np.nan, 0.5], [1, 0.5]),
         ("Greater", [broken, zero], {"out": TensorProto.BOOL}, [False, True], [True, True])]
for operator, inputs, attributes, standard, other in cases:
    reference, runtime, seen = answers(operator, inputs, **attributes)
    print(f"{operator}: expected {standard}, ONNX Runtime {runtime.tolist()}, OpenVINO {seen.tolist()}")
    for values, wanted in [(reference, standard), (runtime, standard), (seen, other)]:
        if not np.array_equal(values.astype(float), np.array(wanted, float), equal_nan=True):
            sys.exit("changed: NaN goes through a runtime in another way than on 2026-11-29")
print("seen: OpenVINO hides NaN in all four, the others in none")
PYTHON

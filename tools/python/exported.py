"""Exports each network, and has others' programs run it: they must agree.

    exported.py PROGRAM FOLDER
    exported.py --opencv FOLDER    # what the first call left there, in the OpenCV of this Python alone
"""

import importlib.metadata
import pathlib
import subprocess
import sys

import cv2
import numpy


def compare(network, name, version, given, expected):
    off = abs(given - expected).max() / abs(expected).max()
    print(f"{network}: {name} {version} is off ONNX Runtime by {off:.1e}")
    assert given.shape == expected.shape and off < 1e-4, (network, name)


def in_opencv(network, file, pixels, expected):
    opencv = cv2.dnn.readNetFromONNX(file)
    opencv.setInput(pixels)
    compare(network, "OpenCV", cv2.__version__, opencv.forward(), expected)


def in_all(program, network, file):
    import onnxruntime
    import openvino
    import tract

    subprocess.run([program, "export", "onnx", "--network", network, "--out", file], check=True)
    reference = onnxruntime.InferenceSession(file)
    (wanted,) = reference.get_inputs()
    # Free sides have names.
    sides = [side if isinstance(side, int) else free for side, free in zip(wanted.shape, [1, 3, 240, 320])]
    pixels = numpy.random.default_rng(1).random(sides, dtype=numpy.float32)
    (expected,) = reference.run(None, {wanted.name: pixels})
    numpy.savez(f"{file}.npz", pixels=pixels, expected=expected)
    print(f"{network}: in ONNX Runtime {onnxruntime.__version__} within {abs(expected).max():.1f}")
    in_opencv(network, file, pixels, expected)
    # Some processors would compute with 16 bits.
    exact = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino.Core().compile_model(file, "CPU", exact)
    compare(network, "OpenVINO", openvino.__version__, compiled(pixels)[0], expected)
    model = tract.onnx().load(file)
    model.set_input_fact(0, ",".join(map(str, sides)) + ",f32")
    (made,) = model.into_model().into_runnable().run([pixels])
    compare(network, "tract", importlib.metadata.version("tract"), made.to_numpy(), expected)


program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(exist_ok=program == "--opencv")
for network in ["reader", "finder", "refiner"]:
    file = str(folder / f"{network}.onnx")
    if program == "--opencv":
        saved = numpy.load(f"{file}.npz")
        in_opencv(network, file, saved["pixels"], saved["expected"])
    else:
        in_all(program, network, file)

"""Exports each network, and has others' programs run it: they must agree.

    exported.py PROGRAM FOLDER
"""

import pathlib
import subprocess
import sys

import cv2
import numpy
import onnxruntime
import openvino

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir()
for network in ["reader", "finder", "refiner"]:
    file = str(folder / f"{network}.onnx")
    subprocess.run([program, "export", "onnx", "--network", network, "--out", file], check=True)
    reference = onnxruntime.InferenceSession(file)
    (wanted,) = reference.get_inputs()
    # Free sides have names.
    sides = [side if isinstance(side, int) else free for side, free in zip(wanted.shape, [1, 3, 240, 320])]
    pixels = numpy.random.default_rng(1).random(sides, dtype=numpy.float32)
    (expected,) = reference.run(None, {wanted.name: pixels})
    opencv = cv2.dnn.readNetFromONNX(file)
    opencv.setInput(pixels)
    # Some processors would compute with 16 bits.
    exact = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino.Core().compile_model(file, "CPU", exact)
    for name, version, given in [
        ("OpenCV", cv2.__version__, opencv.forward()),
        ("OpenVINO", openvino.__version__, compiled(pixels)[0]),
    ]:
        off = abs(given - expected).max() / abs(expected).max()
        print(f"{network}: {name} {version} is off ONNX Runtime {onnxruntime.__version__} by {off:.1e}")
        assert given.shape == expected.shape and off < 1e-4, network

"""Runs card.tflite on TFLite-Micro for the MicroPython under Node: crops (18,432 bytes) come in
on one pipe, outputs (17 bytes) go out on another.

Usage: worker.py MODEL IN OUT
"""

import sys

import numpy as np

from compare import ARENA_LIMIT, micro

run = micro(sys.argv[1], ARENA_LIMIT)
with open(sys.argv[2], "rb") as given, open(sys.argv[3], "wb", buffering=0) as made:
    while len(crop := given.read(64 * 96 * 3)) == 64 * 96 * 3:
        made.write(run(np.frombuffer(crop, np.int8).reshape(64, 96, 3)).tobytes())

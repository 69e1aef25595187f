"""Measures how long Python reads a picture beside the program itself: figures.py PROGRAM PHOTOS.

Both read on one thread, in turn; what is compared are medians over all rounds. The program's time is the sum of
its stages without decoding, which an array does not need. The machine must be idle.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image

import setsight

ROUNDS = 12
program, photos = sys.argv[1], sorted(Path(sys.argv[2]).glob("*.jpg"))
arrays = [np.asarray(Image.open(path).convert("RGB")) for path in photos]
reader = setsight.Reader(threads=1)


def by_program() -> list[float]:
    command = [program, "scan", *map(str, photos), "--jobs", "1", "--format", "json"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    stages = [json.loads(line)["stage_ms"] for line in lines]
    return [sum(ms for name, ms in times.items() if name != "load") for times in stages]


def from_python() -> list[float]:
    times = []
    for array in arrays:
        begun = time.perf_counter()
        reader.read(array)
        times.append(1e3 * (time.perf_counter() - begun))
    return times


from_python()
theirs, ours = [], []
for _ in range(ROUNDS):
    theirs.append(by_program())
    ours.append(from_python())
median = [sum(statistics.median(one) for one in zip(*rounds)) / len(photos) for rounds in (theirs, ours)]
print(f"a picture: {median[0]:.1f} ms by the program, {median[1]:.1f} ms from an array in Python,"
      f" {100 * (median[1] / median[0] - 1):+.1f} %")

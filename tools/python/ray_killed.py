"""Runs the program that reads photos with Ray, kills one of its workers on the way, and compares what it has
found with `setsight scan`, card for card.

ray_killed.py SCRIPT PHOTOS OUT PROGRAM
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet

script, photos, out, program = sys.argv[1:5]


def readers(ancestor):
    """The processes of Ray below this one that have loaded the package: the readers."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found = []
    for process in parents:
        above = process
        while above in parents and above != ancestor:
            above = parents[above]
        try:
            has_it = above == ancestor and "_setsight" in Path(f"/proc/{process}/maps").read_text()
        except OSError:
            continue
        if has_it and process != ancestor:
            found.append(process)
    return found


run = subprocess.Popen([sys.executable, script, photos, out, "2"])
while len(below := readers(run.pid)) < 2:
    assert run.poll() is None, "it ended before both workers had begun"
    time.sleep(0.02)
os.kill(below[0], signal.SIGKILL)
print(f"killed worker {below[0]} of {below}", flush=True)
assert run.wait() == 0, "the program failed"

rows = pyarrow.parquet.read_table(out).to_pylist()
found = sorted((row["path"].rsplit("/", 1)[-1], json.loads(row["table"])) for row in rows)
scan = subprocess.run(
    [program, "scan", photos, "--format", "json"], check=True, capture_output=True, text=True
)
expected = []
for line in map(json.loads, scan.stdout.splitlines()):
    name = line["image"].rsplit("/", 1)[-1]
    for member in ("version", "image", "stage_ms", "engine"):
        del line[member]
    expected.append((name, line))
assert found == sorted(expected), "Ray and scan differ"
cards = sum(len(table["cards"]) for _, table in found)
print(f"{len(found)} photos, {cards} cards: each once, as scan reads them")

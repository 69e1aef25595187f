"""Runs card.tflite over all crops on one interpreter and compares every output with the Rust
reference's: equal, not close.

Usage: compare.py litert|litert-ref|micro EXPORTED_FOLDER DATA_FOLDER
Prints one line of JSON; exit code 1 when an output differs or the arena is too large.
"""

import json
import os
import sys

import numpy as np

ARENA_LIMIT = 160 * 1024


def litert(path, reference):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kind = OpResolverType.BUILTIN_REF if reference else OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(model_path=path, experimental_op_resolver_type=kind, num_threads=1)
    interpreter.allocate_tensors()
    given = interpreter.get_input_details()[0]
    made = interpreter.get_output_details()[0]

    def run(crop):
        interpreter.set_tensor(given["index"], crop[None])
        interpreter.invoke()
        return interpreter.get_tensor(made["index"]).reshape(-1)

    return run


def micro(path, arena):
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_file(path, arena_size=arena)

    def run(crop):
        interpreter.set_input(crop[None], 0)
        interpreter.invoke()
        return interpreter.get_output(0).reshape(-1)

    return run


def arena_needed(path):
    """The smallest arena that TFLite-Micro accepts, to 64 bytes; each try in a child process, as a
    refused one may end it."""
    import subprocess

    def fits(size):
        code = "import compare,sys;import numpy as np;compare.micro(sys.argv[1],int(sys.argv[2]))(np.zeros((64,96,3),np.int8))"
        return (
            subprocess.run(
                [sys.executable, "-c", code, path, str(size)],
                cwd=os.path.dirname(os.path.abspath(__file__)),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ).returncode
            == 0
        )

    low, high = 0, ARENA_LIMIT
    if not fits(high):
        return None
    while high - low > 64:
        middle = (low + high) // 2 // 16 * 16
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def main():
    engine, exported, data = sys.argv[1:]
    path = os.path.abspath(os.path.join(exported, "board", "card.tflite"))
    crops = np.fromfile(os.path.join(data, "inputs.bin"), np.int8).reshape(-1, 64, 96, 3)
    said = np.fromfile(os.path.join(data, "outputs.bin"), np.int8).reshape(len(crops), -1)
    report = json.load(open(os.path.join(exported, "desk", "report.json")))
    line = {"engine": engine, "crops": len(crops)}
    good = len(crops) >= 200
    if engine == "micro":
        arena = arena_needed(path)
        bound = report["network"]["arena_bound_bytes"]
        line.update(arena_bytes=arena, arena_bound_bytes=bound)
        # The bound of the report must hold, and must not be idle talk.
        good = good and arena is not None and arena <= bound <= arena * 1.25
        run = micro(path, arena or ARENA_LIMIT)
    else:
        run = litert(path, engine == "litert-ref")
    got = np.stack([run(crop) for crop in crops])
    line["outputs_that_differ"] = int((got != said).sum())
    line["largest_difference"] = int(np.abs(got.astype(int) - said).max())
    good = good and line["outputs_that_differ"] == 0
    line["good"] = good
    print(json.dumps(line))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

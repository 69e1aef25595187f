#!/usr/bin/env bash
# MicroPython's struct.pack raises nothing: 300 as a byte is 44, 40000 as a short is -25536, values that are missing
# are filled up with zeros and surplus ones are dropped; struct.unpack ignores bytes behind the last value. Arrays and
# bytearrays wrap in the same way. CPython raises for each.
#
# Hit: who sends corners or sizes of cards from a board as binary messages: a coordinate above 255, or one forgotten
# argument, is another place on the picture, and the same line raises when it is tried on a PC.
# To do: check ranges before packing, or pack coordinates as 16 bits; test with CPython, too.
#
# @micropython/micropython-webassembly-pyscript 1.27.0 (MicroPython 1.27.0) beside the CPython at hand; 2026-11-29.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @micropython/micropython-webassembly-pyscript@1.27.0 >/dev/null
cat >run.mjs <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";
const interpreter = await loadMicroPython({ stdout: (line) => console.log(line), linebuffer: true });
interpreter.runPython(readFileSync("program.py", "utf8"));
JAVASCRIPT
cat >program.py <<'PYTHON'
import struct
from array import array


def shown(name, call):
    try:
        print(name, call())
    except Exception:
        print(name, "refused")


shown("300 as a byte:", lambda: list(struct.pack("<B", 300)))
shown("40000 as a short:", lambda: struct.unpack("<h", struct.pack("<h", 40000)))
shown("one value for three:", lambda: list(struct.pack("<BBB", 7)))
shown("three values for one:", lambda: list(struct.pack("<B", 7, 8, 9)))
shown("three bytes for one:", lambda: struct.unpack("<B", bytes([7, 8, 9])))
shown("array of 300:", lambda: list(array("B", [300])))
PYTHON
node -p '"MicroPython " + require("@micropython/micropython-webassembly-pyscript/package.json").version'
python3 --version
python3 program.py >expected
node run.mjs >seen
echo "expected, as CPython has it:" && cat expected
echo "seen in MicroPython:" && cat seen
diff expected - <<'LINES' || { echo 'changed: CPython answers in another way than on 2026-11-29'; exit 1; }
300 as a byte: refused
40000 as a short: refused
one value for three: refused
three values for one: refused
three bytes for one: refused
array of 300: refused
LINES
diff seen - <<'LINES' || { echo 'changed: MicroPython answers in another way than on 2026-11-29'; exit 1; }
300 as a byte: [44]
40000 as a short: (-25536,)
one value for three: [7, 0, 0]
three values for one: [7]
three bytes for one: (7,)
array of 300: [44]
LINES

#!/usr/bin/env bash
# MicroPython's json.dumps refuses nothing: infinity becomes `inf` (no reader takes it, not even those that take
# Python's `Infinity`), bytes become a string, a set and a class become their repr. json.loads takes lists and objects
# without commas, with one too many, and keys that are no strings.
#
# Hit: who sends answers of a board as lines of JSON: an infinite or missing measure makes the whole line unreadable on
# the other side, and no error says so on the board. And who checks a board's settings there: a broken file is taken.
# To do: replace what is not finite by None before dumps; check settings on the PC, with a strict reader.
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
import json

for name, value in [("infinity", float("inf")), ("bytes", b"red"), ("set", {1}), ("class", int)]:
    try:
        print(name, json.dumps([value]))
    except (TypeError, ValueError):
        print(name, "refused")
for text in ['[1 2]', '[1,]', '[,1]', '{"a":1 "b":2}', '{1:2}', '01', '1.']:
    try:
        print(text, len(str(json.loads(text))) > 0 and "taken")
    except ValueError:
        print(text, "refused")
PYTHON
node -p '"MicroPython " + require("@micropython/micropython-webassembly-pyscript/package.json").version'
python3 --version
python3 program.py >expected
node run.mjs >seen
echo "expected, as CPython has it:" && cat expected
echo "seen in MicroPython:" && cat seen
diff expected - <<'LINES' || { echo 'changed: CPython answers in another way than on 2026-11-29'; exit 1; }
infinity [Infinity]
bytes refused
set refused
class refused
[1 2] refused
[1,] refused
[,1] refused
{"a":1 "b":2} refused
{1:2} refused
01 refused
1. refused
LINES
diff seen - <<'LINES' || { echo 'changed: MicroPython answers in another way than on 2026-11-29'; exit 1; }
infinity [inf]
bytes ["red"]
set [{1}]
class [<class 'int'>]
[1 2] taken
[1,] taken
[,1] taken
{"a":1 "b":2} taken
{1:2} taken
01 taken
1. taken
LINES

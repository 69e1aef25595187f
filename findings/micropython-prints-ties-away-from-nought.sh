#!/usr/bin/env bash
# MicroPython rounds ties in two ways: round() goes to the even neighbour, as in Python, but '%.0f' and '%.1f' go away
# from nought, where CPython formats to the even one as well. So round(2.5) is 2 and '%.0f' % 2.5 is 3 on one board.
#
# Hit: who compares lines printed by a board with golden lines made on a PC: percentages and places in halves, quarters
# and eighths of a pixel (cell sizes of a network) are exact in binary, so ties are common there.
# To do: compare numbers, not text, or print round(x * 10) as an integer on both sides.
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
ties = [0.5, 1.5, 2.5, 3.5, -2.5]
print("round", [round(value) for value in ties])
print("%.0f ", ["%.0f" % value for value in ties])
print("%.1f ", ["%.1f" % value for value in (0.25, 0.75, 2.25, 2.125)])
print("%.2f ", ["%.2f" % value for value in (0.125, 0.375, 1.625)])
PYTHON
node -p '"MicroPython " + require("@micropython/micropython-webassembly-pyscript/package.json").version'
python3 --version
python3 program.py >expected
node run.mjs >seen
echo "expected, as CPython has it:" && cat expected
echo "seen in MicroPython:" && cat seen
diff expected - <<'LINES' || { echo 'changed: CPython answers in another way than on 2026-11-29'; exit 1; }
round [0, 2, 2, 4, -2]
%.0f  ['0', '2', '2', '4', '-2']
%.1f  ['0.2', '0.8', '2.2', '2.1']
%.2f  ['0.12', '0.38', '1.62']
LINES
diff seen - <<'LINES' || { echo 'changed: MicroPython answers in another way than on 2026-11-29'; exit 1; }
round [0, 2, 2, 4, -2]
%.0f  ['1', '2', '3', '4', '-3']
%.1f  ['0.3', '0.8', '2.3', '2.1']
%.2f  ['0.13', '0.38', '1.63']
LINES

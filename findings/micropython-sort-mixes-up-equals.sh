#!/usr/bin/env bash
# MicroPython's sort is not stable: what is equal by the key comes out in another order than it went in, at nine
# things already. The two-pass idiom (sort by column, then by row) therefore scrambles each row.
#
# Hit: who reads a table of cards on a board and prints the cards row by row, and who tests that program on a PC, where
# the same lines are right. It also differs from one number of cards to the next, so a short test may pass.
# To do: sort once by a key that decides everything, such as (row, column).
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
cards = [(row, column) for column in range(3) for row in range(3)]
cards.sort(key=lambda card: card[1])
cards.sort(key=lambda card: card[0])
for row in range(3):
    print([card[1] for card in cards if card[0] == row])
print(sorted((row, column) for column in range(3) for row in range(3)) == [(r, c) for r in range(3) for c in range(3)])
PYTHON
node -p '"MicroPython " + require("@micropython/micropython-webassembly-pyscript/package.json").version'
python3 --version
python3 program.py >expected
node run.mjs >seen
echo "expected, as CPython has it:" && cat expected
echo "seen in MicroPython:" && cat seen
diff expected - <<'LINES' || { echo 'changed: CPython answers in another way than on 2026-11-29'; exit 1; }
[0, 1, 2]
[0, 1, 2]
[0, 1, 2]
True
LINES
diff seen - <<'LINES' || { echo 'changed: MicroPython answers in another way than on 2026-11-29'; exit 1; }
[0, 1, 2]
[2, 0, 1]
[2, 0, 1]
True
LINES

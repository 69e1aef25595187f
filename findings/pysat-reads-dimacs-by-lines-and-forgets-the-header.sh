#!/usr/bin/env bash
# PySAT's CNF reads DIMACS line by line: two clauses on a line, or one clause over two lines, are an error, although
# the format ends a clause by 0 and not by a line. And the number of variables in the header is forgotten: `p cnf 5 2`
# over clauses of 1 to 3 has nv 3, so models are shorter and their number is a quarter.
#
# Hit: who hands a table of cards as DIMACS to PySAT and counts models, or looks a variable up in a model by its number:
# variables at the end that are free are missing.
# To do: write a clause a line; set nv from the header oneself, and add a clause (x or not x) for the last variable.
#
# python-sat 1.9.dev24; 2026-11-29.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    python-sat==1.9.dev24
cd "$folder"
"$folder/venv/bin/python" <<'PYTHON'
import sys
from importlib.metadata import version

from pysat.formula import CNF
from pysat.solvers import Solver

print("python-sat", version("python-sat"))
texts = {
    "a clause a line": "p cnf 3 2\n1 0\n2 3 0\n",
    "two clauses on a line": "p cnf 3 2\n1 0 2 3 0\n",
    "a clause over two lines": "p cnf 3 2\n1 0\n2\n3 0\n",
}
seen = {}
for name, text in texts.items():
    try:
        seen[name] = CNF(from_string=text).clauses
    except ValueError as error:
        seen[name] = "refused"
        print("error:", error)
    print(f"{name}: expected [[1], [2, 3]], seen {seen[name]}")

formula = CNF(from_string="p cnf 5 2\n1 0\n2 3 0\n")
with Solver("glucose4", bootstrap_with=formula) as solver:
    models = list(solver.enum_models())
print(f"5 variables in the header: expected nv 5 and 12 models, seen nv {formula.nv} and {len(models)} models")
if list(seen.values()) != [[[1], [2, 3]], "refused", "refused"] or (formula.nv, len(models)) != (3, 3):
    sys.exit("changed: DIMACS is read in another way than on 2026-11-29")
PYTHON

#!/usr/bin/env bash
# The Python package of the counter ApproxMC knows a variable only once a clause has it. A number that is skipped is not
# counted, though enumerating solvers (pycosat, PySAT, CryptoMiniSat) give it both values, and a clause that is always
# true (5 or not 5) does not bring it in either. To name such a variable in the projection is an error.
#
# Hit: who counts tables of cards by a formula in which some card is in no set: the count lacks a factor of 2 for each,
# and agrees with the enumeration as long as every card is used.
# To do: number without gaps and multiply by 2 for each variable in no clause, or give the variable a clause with a
# new one that is decided by it.
#
# pyapproxmc 4.4.0, pycosat 0.6.6, python-sat 1.9.dev24; 2026-11-29.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    pyapproxmc==4.4.0 pycosat==0.6.6 python-sat==1.9.dev24
cd "$folder"
"$folder/venv/bin/python" <<'PYTHON'
import sys
from importlib.metadata import version

import pyapproxmc
import pycosat
from pysat.solvers import Solver

print(*(f"{name} {version(name)}" for name in ("pyapproxmc", "pycosat", "python-sat")))


def counted(clauses):
    counter = pyapproxmc.Counter(seed=1)
    for clause in clauses:
        counter.add_clause(clause)
    cells, hashes = counter.count()
    return cells * 2**hashes


def enumerated(clauses):
    with Solver("glucose4", bootstrap_with=clauses) as solver:
        return len(list(solver.enum_models()))


cases = [("1 or 2", [[1, 2]], 3, 3), ("1 or 2, and 4", [[1, 2], [4]], 6, 3),
         ("1 or 2, and 4 or not 4", [[1, 2], [4, -4]], 12, 3)]
for name, clauses, expected, other in cases:
    seen = [counted(clauses), len(list(pycosat.itersolve(clauses))), enumerated(clauses)]
    print(f"{name}: expected {expected}, ApproxMC {seen[0]}, pycosat {seen[1]}, PySAT {seen[2]}")
    if seen != [other, expected, expected]:
        sys.exit("changed: models are counted in another way than on 2026-11-29")
print("seen: ApproxMC leaves out variables that no clause holds")
PYTHON

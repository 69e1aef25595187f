#!/usr/bin/env bash
# "At most 2 of 5" has 16 answers. As clauses of PySAT it has 49, 54, 240 or at least 20 000 models, by the encoding,
# because the helping variables are not decided by the cards. With "exactly 2" the same sequential counter and
# k-totaliser give the right 10, so a test with exact numbers passes and the next formula is wrong. A bound that every
# answer keeps (at most 5 of 5) gives no clause at all, and then one model of no variable.
#
# Hit: who counts sets or tables by counting models of such a formula.
# To do: block answers on the cards' variables alone, project the count onto them, or encode so that each helping
# variable is decided by the others.
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

from pysat.card import CardEnc, EncType
from pysat.solvers import Solver

print("python-sat", version("python-sat"))
cards, limit = [1, 2, 3, 4, 5], 20_000


def counts(clauses):
    """Models, at most the limit, and different answers on the cards."""
    models, answers = 0, set()
    with Solver("glucose4", bootstrap_with=clauses) as solver:
        for model in solver.enum_models():
            models += 1
            answers.add(tuple(model[:5]))
            if models == limit:
                break
    return models, len(answers)


seen = {}
for name in ("seqcounter", "kmtotalizer", "totalizer", "sortnetwrk"):
    encoding = getattr(EncType, name)
    seen[name] = [counts(CardEnc.atmost(cards, 2, encoding=encoding).clauses),
                  counts(CardEnc.equals(cards, 2, encoding=encoding).clauses)]
    (at_most, _), (exactly, _) = seen[name]
    print(f"{name}: at most 2: expected 16 models, seen {at_most}; exactly 2: expected 10, seen {exactly}")
empty = counts(CardEnc.atmost(cards, 5).clauses)
print(f"at most 5 of 5: expected 32 models, seen {empty[0]}")
if any([answers for _, answers in pair] != [16, 10] for pair in seen.values()):
    sys.exit("changed: the answers on the cards are no longer right")
if [[models for models, _ in pair] for pair in seen.values()] != [[49, 10], [54, 10], [240, 80], [limit, limit]]:
    sys.exit("changed: the encodings have other numbers of models than on 2026-11-29")
if empty != (1, 1):
    sys.exit("changed: a bound without clauses is treated in another way than on 2026-11-29")
PYTHON

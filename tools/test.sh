#!/usr/bin/env bash
# Sets everything up and passes all tests. Arguments go to cargo: tools/test.sh --test program scan::
# The last line counts the tests that could not run here, such as those on photos of others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ -n "${HOME:-}" ] || { unset HOME && export HOME=~; } # what the system says of this user
tools/setup.sh
SETSIGHT_NOT_RUN=$(mktemp) || {
    echo "test: no temporary file; make room in ${TMPDIR:-/tmp}, then run tools/test.sh again" >&2
    exit 1
}
export SETSIGHT_NOT_RUN
trap 'rm -f "$SETSIGHT_NOT_RUN"' EXIT
code=0
cargo test --workspace --no-fail-fast "$@" || code=$?
sed 's/^/NOT RUN: /' "$SETSIGHT_NOT_RUN"
if [ $code -ne 0 ]; then
    echo "test: cargo stopped, and its messages above say why (crates need network, a build 2 GB of disk);" \
        "mend that and run tools/test.sh again, which goes on from here" >&2
    exit $code
fi
printf '%d tests did not run here\n' "$(wc -l < "$SETSIGHT_NOT_RUN")"

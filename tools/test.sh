#!/usr/bin/env bash
# Sets everything up and passes all tests. Arguments go to cargo: tools/test.sh --test scan
# The last line counts the tests that could not run here, such as those on photos of others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/setup.sh
SETSIGHT_NOT_RUN=$(mktemp)
export SETSIGHT_NOT_RUN
trap 'rm -f "$SETSIGHT_NOT_RUN"' EXIT
cargo test --release "$@"
if [ -s "$SETSIGHT_NOT_RUN" ]; then
    sed 's/^/NOT RUN: /' "$SETSIGHT_NOT_RUN"
fi
printf '%d tests did not run here\n' "$(wc -l < "$SETSIGHT_NOT_RUN")"

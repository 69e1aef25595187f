#!/usr/bin/env bash
# Sets everything up and passes all tests. Arguments go to cargo: tools/test.sh --test scan
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/setup.sh
cargo test --release "$@"

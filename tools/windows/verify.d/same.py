"""Compares what two programs printed as lines of JSON: python3 same.py OURS THEIRS. Times do not count, and of a
path only its last part does. Prints the first difference."""

import json
import pathlib
import sys


def plain(value, name=""):
    if isinstance(value, dict):
        kept = {key: plain(inner, key) for key, inner in value.items() if not is_time(key)}
        return {key.replace("\\", "/"): inner for key, inner in kept.items()}
    if isinstance(value, list):
        return [plain(inner, name) for inner in value]
    if name in ("image", "path", "file", "film") and isinstance(value, str):
        return value.replace("\\", "/").rsplit("/", 1)[-1]
    return value


def is_time(key):
    # The place in a film is no time that was measured.
    return key != "time_ms" and (key.endswith(("_ms", "seconds")) or key == "times")


def lines(path):
    return [plain(json.loads(line)) for line in pathlib.Path(path).read_text("utf-8").splitlines() if line.strip()]


ours, theirs = lines(sys.argv[1]), lines(sys.argv[2])
if len(ours) != len(theirs) or not ours:
    sys.exit(f"{len(ours)} lines on Windows, {len(theirs)} on Linux")
for number, (one, other) in enumerate(zip(ours, theirs), 1):
    if one != other:
        keys = [key for key in one if one[key] != other.get(key)] if isinstance(one, dict) else []
        shown = {key: (one[key], other.get(key)) for key in keys}
        sys.exit(f"line {number} differs in {', '.join(keys) or 'its members'}: {json.dumps(shown)[:600]}")
print(len(ours))

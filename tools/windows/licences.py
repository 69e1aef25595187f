"""Prints the licences of all packages whose names and versions come on stdin, one "name vVERSION: licence" a line, as
they are used on the system whose triple is given.

The texts are those that lie in the packages; a text that several packages share is printed once.
"""

import json
import pathlib
import re
import subprocess
import sys

metadata = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", sys.argv[1]]
told = subprocess.run(metadata, check=True, capture_output=True)
folders = {
    (package["name"], package["version"]): pathlib.Path(package["manifest_path"]).parent
    for package in json.loads(told.stdout)["packages"]
}
lines = sys.stdin.read().splitlines()
texts: dict[str, list[str]] = {}
for line in lines:
    name, version = re.match(r"(\S+) v([^\s:]+)", line).groups()
    for path in sorted(folders[name, version].rglob("*")):
        if re.search(r"(?i)^(licen[cs]e|copying|copyright|notice|ofl|ufl)[^.]*(\.txt|\.md)?$", path.name) and path.is_file():
            text = path.read_text("utf-8", errors="replace").strip()
            texts.setdefault(text, []).append(f"{name} {version}")
print("\n".join(lines))
for text, packages in texts.items():
    print("\n" + "=" * 99 + "\n" + "\n".join(packages) + "\n" + "-" * 99 + "\n" + text)

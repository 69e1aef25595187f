"""Prints the licences of all packages of others that a build holds, the texts that lie in them below the list; a text
that several share stands once. licences.py TRIPLE ARGUMENTS: those of `cargo build`, as `cargo tree` takes them.
"""

import json
import re
import subprocess
import sys
from pathlib import Path


def cargo(*arguments: str) -> str:
    return subprocess.run(["cargo", *arguments], check=True, capture_output=True, text=True).stdout


triple, build = sys.argv[1], sys.argv[2:]
metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1", "--filter-platform", triple))
folders = {(p["name"], p["version"]): Path(p["manifest_path"]).parent for p in metadata["packages"]}
tree = cargo("tree", "--locked", "--target", triple, "--edges", "normal", "--prefix", "none", "--format", "{p}: {l}", *build)
packages = sorted(set(re.findall(r"^(\S+) v([^\s:]+)(?: \(proc-macro\))?: (.*?)(?: \(\*\))?$", tree, re.M)))
packages = [package for package in packages if not package[0].startswith("setsight")]

NAME = re.compile(r"(?i)^[^.]*(licen[cs]e|copying|copyright|notice)|^[ou]fl\.txt$|^hack-regular\.txt$")
# Whose texts are in this folder, and those that ask for none beside a program.
ENOUGH = re.compile(r"\b(MIT|Apache-2\.0|BSL-1\.0|0BSD|CC0-1\.0|Unlicense|Zlib)\b")
OTHER = {".rs", ".html", ".json", ".toml", ".py", ".js"}
texts: dict[str, list[str]] = {}
wanting = []
for name, version, licence in packages:
    found = [p for p in sorted(folders[name, version].rglob("*")) if NAME.search(p.name) and p.is_file()]
    found = [path for path in found if path.suffix not in OTHER]
    # Whoever may choose takes MIT, so that Apache's text need not be repeated for each.
    if "MIT" in licence and " AND " not in licence:
        found = [path for path in found if "apache" not in path.name.lower()]
    for path in found:
        text = path.read_text("utf-8", errors="replace").replace("\r", "").strip()
        texts.setdefault(text, []).append(f"{name} {version}")
    if not found and not ENOUGH.search(licence):
        wanting.append(f"{name} {version} ({licence})")
if not packages or wanting:
    sys.exit(f"licences: no text of the licence in {', '.join(wanting) or 'anything: cargo names no package'}")

print("Rust's standard library: MIT OR Apache-2.0")
for name, version, licence in packages:
    print(f"{name} {version}: {licence}")
print("\nWhere no text follows for a package, the one that it names is in LICENSE-MIT or LICENSE-APACHE.")
for text, holders in texts.items():
    print("\n" + "=" * 99 + "\n" + "\n".join(holders) + "\n" + "-" * 99 + "\n" + text)

"""Writes the programs of a page as files: programs.py PAGE FOLDER. A program's first line names it."""

import re
import sys
from pathlib import Path

page, folder = Path(sys.argv[1]), Path(sys.argv[2])
folder.mkdir()
for text in re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S):
    name = re.match(r"# (\w+\.py)", text)
    if name is None:
        sys.exit(f"{page}: a program without a name: {text[:60]!r}")
    (folder / name[1]).write_text(text)

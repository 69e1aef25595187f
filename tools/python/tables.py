"""Runs the lines of a page that read the program's output as a table, and looks how its CSV is read.

    tables.py PROGRAM PAGE FOLDER
"""

import doctest
import os
import pathlib
import re
import struct
import subprocess
import sys

import duckdb
import pandas
import polars

program, page, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
folder.mkdir()
os.chdir(folder)
drawn = ["--count", "2", "--size", "640x480", "--seed", "3", "--kind", "plain"]
subprocess.run([program, "render", "--out", "photos", *drawn], check=True, stdout=subprocess.DEVNULL)
# Readers that guess the columns from a hundred lines see neither cards nor the error.
grey = struct.pack("<2sIIIIiiHHIIiiII", b"BM", 54 + 14400, 0, 54, 40, 80, 60, 1, 24, 0, 14400, 0, 0, 0, 0) + bytes([128]) * 14400
for number in range(110):
    pathlib.Path(f"photos/empty-{number:03}.bmp").write_bytes(grey)
pathlib.Path("photos/text.jpg").write_text("no picture")
for form, name in [("json", "results.jsonl"), ("csv", "cards.csv")]:
    with open(name, "wb") as out:
        made = subprocess.run([program, "scan", "photos", "-f", form], stdout=out, stderr=subprocess.DEVNULL)
    assert made.returncode == 1, "one photo cannot be read"

flags = doctest.ELLIPSIS
failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags)
assert tried > 9 and not failed, (tried, failed)
blocks = re.findall(r"^```sh\n(sqlite-utils .*?)^```$", page.read_text(), re.M | re.S)
assert len(blocks) == 1, blocks
shown = subprocess.run(["bash", "-ec", blocks[0]], check=True, capture_output=True, text=True).stdout
assert shown.count('"code"') > 10, shown

columns = {
    "pandas": pandas.read_csv("cards.csv")["sets"].dtype,
    "Polars": polars.read_csv("cards.csv")["sets"].dtype,
    "DuckDB": duckdb.sql("select typeof(sets) from 'cards.csv' limit 1").fetchall()[0][0],
}
assert {str(kind) for kind in columns.values()} == {"str", "String", "VARCHAR"}, columns

"""Packs a folder as .zip or .tar.gz: pack.py FOLDER ARCHIVE. The same files give the same bytes: they are sorted, belong
to nobody, and have the time that SOURCE_DATE_EPOCH says.
"""

import gzip
import io
import os
import sys
import tarfile
import time
import zipfile
from pathlib import Path

folder, archive = Path(sys.argv[1]), Path(sys.argv[2])
seconds = int(os.environ["SOURCE_DATE_EPOCH"])
paths = {path.relative_to(folder.parent).as_posix(): path for path in [folder, *sorted(folder.rglob("*"))]}


def mode(path: Path) -> int:
    return 0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644


if archive.suffix == ".zip":
    with zipfile.ZipFile(archive, "w") as out:
        for name, path in paths.items():
            entry = zipfile.ZipInfo(name + "/" * path.is_dir(), time.gmtime(seconds)[:6])
            entry.external_attr = mode(path) << 16
            out.writestr(entry, b"" if path.is_dir() else path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
else:
    # Without a name in its head, which would be that of the archive.
    packed = gzip.GzipFile("", "wb", 9, archive.open("wb"), seconds)
    with packed, tarfile.open(fileobj=packed, mode="w") as out:
        for name, path in paths.items():
            entry = out.gettarinfo(path, name)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime, entry.mode = seconds, mode(path)
            out.addfile(entry, io.BytesIO(path.read_bytes()) if entry.isfile() else None)

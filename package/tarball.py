#!/usr/bin/env python3
"""tarball.py TREE --name NAME --to FILE: packs an installed facepipe as FILE (.tar.xz) with the one folder NAME.

Names are sorted, root owns all files, and times are SOURCE_DATE_EPOCH. So equal trees give equal files.
"""
import os
import pathlib
import tarfile

import xz
from arguments import packing


def main():
    asked = packing(__doc__, name=str)
    time = int(os.environ["SOURCE_DATE_EPOCH"])
    with xz.open_to_write(asked.to) as file, tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [asked.tree, *sorted(asked.tree.rglob("*"))]:
            tar.add(path, pathlib.Path(asked.name, path.relative_to(asked.tree)), recursive=False,
                    filter=lambda entry: without_machine(entry, time))


def without_machine(entry, time):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = time
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


if __name__ == "__main__":
    main()

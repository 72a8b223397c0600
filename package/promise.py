#!/usr/bin/env python3
"""promise.py TREE [--not-in TEXT]...: checks that a packaged facepipe keeps its promise: it runs on every x86-64 Linux
with glibc 2.36 or newer (manylinux_2_36, as PEP 600 defines it) and the C++ library of GCC 12.

Each ELF file needs only private libraries and the runtime, uses no newer symbols, and looks for libraries only relative
to its own place. No file contains one of the texts of --not-in: the folders of the machine that built the package.
"""
import argparse
import pathlib
import re
import sys

import elf

#: The runtime, which is on every such system. These are beginnings of names.
OUTSIDE = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2", "libutil.so.1",
           "libmvec.so.1", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libgcc_s.so.1")
#: The newest versions of its symbols: those of Debian 12's glibc and GCC.
NEWEST = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--not-in", action="append", default=[])
    asked = parser.parse_args()
    found = problems(asked.tree, asked.not_in)
    for problem in found:
        print(f"promise.py: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)


def names(content, folder):
    """Returns whether a file names a folder or what is in it. The end of another folder's path is no such name."""
    before = rb"(?:(?<![\w./+@~-])|(?<=-[ILB])|(?<=-isystem)|(?<=file://))"
    return re.search(before + re.escape(folder.rstrip("/").encode()) + rb"(?![\w.+@~-])", content) is not None


def problems(tree, not_in):
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    private = {path.name for path in files}
    found = []
    for path in files:
        name = path.relative_to(tree)
        content = path.read_bytes()
        found += [f"{name} contains {text}" for text in not_in if names(content, text)]
        if content.startswith(b"\x7fELF"):
            found += [f"{name} {problem}" for problem in problems_of_elf(path, private)]
    return found


def problems_of_elf(path, private):
    found = [f"needs {name}" for name in elf.needed(path) if not name.startswith(OUTSIDE) and name not in private]
    found += [f"looks for libraries in {folder}" for folder in filter(None, elf.search_path(path).split(":"))
              if not folder.startswith(("$ORIGIN", "/usr/lib/facepipe"))]
    found += [f"uses {version} of {library}" for library, version in sorted(elf.symbol_versions(path))
              if library.startswith(OUTSIDE) and is_too_new(version)]
    return found


def is_too_new(version):
    """Returns whether a version such as GLIBC_2.38 is newer than promised, or is one that no promise covers."""
    family, _, number = version.rpartition("_")
    parts = number.split(".")
    if family not in NEWEST or not all(part.isdigit() for part in parts):
        return family == "GLIBC" or version.startswith("GLIBC_PRIVATE")
    return tuple(map(int, parts)) > NEWEST[family]


if __name__ == "__main__":
    main()

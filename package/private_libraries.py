#!/usr/bin/env python3
"""private_libraries.py TREE --from FOLDER... --patchelf PROGRAM --list FILE: makes an installed facepipe independent of
the libraries of this machine.

TREE is what `cmake --install` has made. The script copies each library that the program and its libraries need into
TREE/lib/facepipe, and lets the libraries find each other there. Libraries come from the folders of --from first (the
packages' own FFmpeg and OpenCV), then from this system. Only the C and C++ runtime stays outside. FILE gets a line for each library that was
copied from this system, with its path here.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

import elf
from promise import OUTSIDE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--from", dest="folders", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--patchelf", required=True)
    parser.add_argument("--list", type=pathlib.Path, required=True)
    asked = parser.parse_args()
    private = asked.tree / "lib" / "facepipe"
    private.mkdir(parents=True, exist_ok=True)
    known = known_libraries(asked.folders)
    copied = {}
    files = [asked.tree / "bin" / "facepipe", *sorted(private.iterdir())]
    while files:
        for name in elf.needed(files.pop()):
            if name.startswith(OUTSIDE) or (private / name).exists():
                continue
            if name not in known:
                sys.exit(f"private_libraries.py: {name} is not on this system")
            copied[name] = known[name].resolve()
            shutil.copyfile(copied[name], private / name)
            make_private(private / name, asked.patchelf)
            files.append(private / name)
    for library in private.iterdir():
        library.chmod(0o644)
    asked.list.write_text("".join(f"{name}\t{path}\n" for name, path in sorted(copied.items())), encoding="utf-8")
    print(f"{len(copied)} private libraries, {sum(file.stat().st_size for file in private.iterdir()) / 1e6:.0f} MB "
          "with OpenVINO")


def known_libraries(folders):
    """Returns the path of each library by its name."""
    known = {}
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        name, arrow, path = line.strip().partition(" => ")
        if arrow and "x86-64" in name:
            known.setdefault(name.split()[0], pathlib.Path(path))
    for folder in folders:
        known.update({path.name: path for path in folder.iterdir() if ".so" in path.name})
    return known


def make_private(library, patchelf):
    """Removes what only debuggers need, and lets the library look for others in its own folder first, even if the user
    has set LD_LIBRARY_PATH (RPATH; the newer RUNPATH comes after that variable)."""
    subprocess.run(["strip", "--strip-unneeded", library], check=True)
    subprocess.run([patchelf, "--force-rpath", "--set-rpath", "$ORIGIN", library], check=True)


if __name__ == "__main__":
    main()

"""Reads the command line of the scripts that pack an installed facepipe: tarball.py, wheel.py and deb.py."""
import argparse
import pathlib


def packing(description, **needed):
    """Returns the values of `TREE --to FILE` and of the other options that a script needs.

    `needed` gives the type of each other option, for example version=str. All options are required.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    for name, kind in needed.items():
        parser.add_argument(f"--{name}", type=kind, required=True)
    parser.add_argument("--to", type=pathlib.Path, required=True)
    return parser.parse_args()

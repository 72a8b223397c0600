"""Becomes the program facepipe: `python3 -m facepipe`, and the command facepipe of the wheel."""
import os
import sys

from ._program import program


def main() -> None:
    path = program()
    try:
        os.execv(path, ["facepipe", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"facepipe: error: {path}: can't be started: {error.strerror}")


if __name__ == "__main__":
    main()

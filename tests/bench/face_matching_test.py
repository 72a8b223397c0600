"""Tests the matching of faces of two files, on handmade faces."""
import json
import unittest

import face_matching


def face(x, score, size=100, shift=0):
    return {"box": [x, 0, x + size, size], "score": score,
            "landmarks": [[x + shift, 10 * i] for i in range(5)]}


def frames(*faces_of_frames):
    return {("a.mp4", i): faces for i, faces in enumerate(faces_of_frames)}


class Overlap(unittest.TestCase):
    def test_of_boxes(self):
        self.assertEqual(face_matching.iou([0, 0, 10, 10], [0, 0, 10, 10]), 1.0)
        self.assertAlmostEqual(face_matching.iou([0, 0, 10, 10], [5, 0, 15, 10]), 50 / 150)
        self.assertEqual(face_matching.iou([0, 0, 10, 10], [10, 0, 20, 10]), 0.0)
        self.assertEqual(face_matching.iou([3, 3, 3, 3], [3, 3, 3, 3]), 0.0)


class Agreement(unittest.TestCase):
    def test_a_face_of_the_same_place_is_found(self):
        found = face_matching.compare(frames([face(0, 0.9)]), frames([face(2, 0.8, shift=3)]))
        self.assertEqual((found.faces, found.matched), (1, 1))
        self.assertAlmostEqual(found.score_differences[0], 0.1)
        self.assertAlmostEqual(found.landmark_distances[0], 5.0)

    def test_one_that_lies_aside_is_missing(self):
        found = face_matching.compare(frames([face(0, 0.9)]), frames([face(6, 0.9)]))  # the IoU is 94 / 106
        self.assertEqual((found.faces, found.matched), (1, 0))
        self.assertEqual(found.missing, [("a.mp4", 0, 0.9, [0, 0, 100, 100])])
        self.assertEqual(found.share(), 0.0)

    def test_how_far_it_may_lie_aside_can_be_told(self):
        found = face_matching.compare(frames([face(0, 0.9)]), frames([face(30, 0.9)]), least_iou=0.5)
        self.assertEqual((found.faces, found.matched), (1, 1))  # the IoU is 70 / 130
        found = face_matching.compare(frames([face(0, 0.9)]), frames([face(34, 0.9)]), least_iou=0.5)
        self.assertEqual((found.faces, found.matched), (1, 0))  # the IoU is 66 / 134

    def test_which_faces_must_be_found_can_be_told(self):
        found = face_matching.compare(frames([face(0, 0.5), face(500, 0.51)]), frames([]), score=0.5)
        self.assertEqual([score for *_, score, _ in found.missing], [0.51])

    def test_weak_faces_need_not_be_found_but_may_be(self):
        weak, strong = face(0, 0.3), face(500, 0.31)
        found = face_matching.compare(frames([weak, strong]), frames([face(500, 0.29)]))
        self.assertEqual((found.faces, found.matched), (1, 1))

    def test_a_face_is_found_once(self):
        found = face_matching.compare(frames([face(0, 0.9), face(1, 0.8)]), frames([face(0, 0.9)]))
        self.assertEqual((found.faces, found.matched), (2, 1))
        self.assertEqual(found.missing[0][2], 0.8)

    def test_the_nearest_is_taken(self):
        found = face_matching.compare(frames([face(0, 0.9), face(3, 0.8)]),
                                      frames([face(3, 0.8), face(0, 0.9)]))
        self.assertEqual(found.matched, 2)
        self.assertEqual(max(found.score_differences), 0.0)

    def test_frames_are_not_mixed(self):
        found = face_matching.compare(frames([face(0, 0.9)], []), frames([], [face(0, 0.9)]))
        self.assertEqual((found.faces, found.matched), (1, 0))

    def test_nothing_to_find_is_all_found(self):
        self.assertEqual(face_matching.compare(frames([]), frames([face(0, 0.9)])).share(), 1.0)

    def test_files_of_different_frames_are_refused(self):
        with self.assertRaisesRegex(ValueError, r"\('a.mp4', 1\)"):
            face_matching.compare(frames([], []), frames([]))


class Reading(unittest.TestCase):
    def test_a_line_a_frame(self):
        lines = [json.dumps({"file": "a.mp4", "frame": i, "faces": [face(i, 0.5)]}) for i in range(3)]
        read = face_matching.read(lines)
        self.assertEqual(list(read), [("a.mp4", 0), ("a.mp4", 1), ("a.mp4", 2)])
        self.assertEqual(read["a.mp4", 2][0]["box"][0], 2)


if __name__ == "__main__":
    unittest.main()

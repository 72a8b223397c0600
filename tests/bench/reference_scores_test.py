"""Tests how bench/reference_scores.py counts false positives, with examples that were made by hand."""
import json
import pathlib
import tempfile
import unittest

import reference_scores

FACE = [100, 100, 140, 150]


def line(name, *found):
    return json.dumps({"file": name, "faces": [{"box": box, "score": score} for box, score in found]})


class ReferenceScores(unittest.TestCase):
    def test_labels_name_pictures_and_their_faces(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "labels.txt").write_text("# a/b c.jpg 640 480\n1 2 3 4.5\n\n# d.jpg 8 9\n", encoding="utf-8")
            self.assertEqual(reference_scores.read_labels(folder), {"a/b c.jpg": [[1, 2, 3, 4.5]], "d.jpg": []})

    def test_a_false_positive_touches_no_face_and_is_not_small(self):
        lines = [line("a", ([0, 0, 40, 40], 0.3), ([120, 120, 160, 160], 0.9), ([0, 0, 15, 16], 0.8)),
                 line("b", ([100, 100, 140, 150], 0.5))]
        self.assertEqual(reference_scores.false_scores(lines, {"a": [FACE], "b": []}), [0.5, 0.3])

    def test_a_score_is_reached_by_so_many_in_each_picture(self):
        scores = [0.9, 0.8, 0.7, 0.6]
        self.assertEqual(reference_scores.score_at(scores, 0.5, 2), 0.9)
        self.assertEqual(reference_scores.score_at(scores, 1, 2), 0.8)
        self.assertEqual(reference_scores.score_at(scores, 2, 2), 0.6)
        self.assertIsNone(reference_scores.score_at(scores, 5, 2))

    def test_scores_are_mapped_as_the_documentation_says(self):
        self.assertAlmostEqual(reference_scores.mapped(0.1, 0.21, 0.0441), 0.01)
        self.assertAlmostEqual(reference_scores.mapped(0.21, 0.21, 0.5), 0.5)
        self.assertAlmostEqual(reference_scores.mapped(0.605, 0.21, 0.605), 0.8025)


if __name__ == "__main__":
    unittest.main()

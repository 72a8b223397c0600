"""Tests train-acf on pictures that the tests draw: faces, and heads without faces. The tests check a small training as
a whole, compare its functions with plain loops, and check what is refused."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import tools

tools.need("numpy", "cv2")

import cv2  # noqa: E402 (tools.need() must check first that the package is installed)
import numpy as np  # noqa: E402

import acf_json  # noqa: E402

train = tools.script("experiments/training/train-acf")

SIDE = 160


def ellipse(x, y, half_width, half_height):
    rows, columns = np.mgrid[0:SIDE, 0:SIDE] + .5
    return ((columns - x) / half_width) ** 2 + ((rows - y) / half_height) ** 2 <= 1


def draw_head(picture, random):
    """Draws a head with up to three spots, which don't make a face."""
    x, y = random.uniform(0, SIDE, 2)
    half = random.uniform(8, 36)
    picture[ellipse(x, y, half * 5 / 6, half)] = random.uniform(40, 220)
    for _ in range(random.integers(0, 4)):
        spot = (x, y) + random.uniform(-.6, .6, 2) * half
        picture[ellipse(*spot, half * .2, half * .14)] = random.uniform(20, 120)


def draw_face(picture, box, random):
    """Draws two eyes and a mouth, darker than the rest."""
    x, y, right, bottom = box
    width, height = right - x, bottom - y
    skin = random.uniform(110, 230)
    dark = skin * random.uniform(.3, .7)
    for across, down, half_width, half_height, tone in (
            (.5, .5, .48, .48, skin), (.3, .38, .11, .07, dark), (.7, .38, .11, .07, dark),
            (.5, .75, .22, .06, dark)):
        across, down = (across, down) + random.normal(0, .02, 2)
        picture[ellipse(x + across * width, y + down * height, half_width * width, half_height * height)] = tone


def place_for_face(boxes, random):
    """Returns a box that doesn't overlap `boxes`, or None if there is no room."""
    for _ in range(50):
        height = random.uniform(40, 72)
        width = height * 5 / 6
        x, y = random.uniform(0, SIDE - width), random.uniform(0, SIDE - height)
        if all(x > b[2] or b[0] > x + width or y > b[3] or b[1] > y + height for b in boxes):
            return x, y, x + width, y + height
    return None


def draw_scene(random):
    squares = random.uniform(60, 190, (SIDE // 8, SIDE // 8, 3))
    picture = np.kron(squares, np.ones((8, 8, 1)))
    for _ in range(10):
        draw_head(picture, random)
    boxes = []
    for _ in range(2):
        box = place_for_face(boxes, random)
        if box:
            draw_face(picture, box, random)
            boxes.append(box)
    picture += random.normal(0, random.uniform(5, 20), picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8), boxes


def make_pictures(folder, count, seed):
    """Writes NUMBER.png files into a folder. Returns the text of their labels."""
    (folder / "some").mkdir(parents=True)
    random = np.random.default_rng(seed)
    lines = []
    for number in range(count):
        picture, boxes = draw_scene(random)
        cv2.imwrite(str(folder / "some" / f"{number}.png"), picture)
        lines.append(f"# some/{number}.png {SIDE} {SIDE}")
        lines += [" ".join(f"{v:.1f}" for v in box) for box in boxes]
    return "\n".join(lines) + "\n"


def overlap(a, b):
    width = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    both = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return width * height / (both - width * height)


def is_found(box, faces):
    return any(overlap(box, face) >= .5 for face in faces)


def trees_of(model):
    return train.Trees(np.array(model["trees"]["f"]), np.array(model["trees"]["t"], np.float32),
                       np.array(model["trees"]["h"]))


class OnPictures(unittest.TestCase):
    """Trains on pictures that are drawn once for all tests of a class."""

    PICTURES, ROUNDS = 0, ()

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.labels, cls.out = cls.folder / "labels.txt", cls.folder / "model.json"
        cls.labels.write_text(make_pictures(cls.folder / "images", cls.PICTURES, seed=1))

    @classmethod
    def train(cls, *words, **environment):
        """Trains like the command, but with fewer trees. Returns what it prints."""
        code = f"""
import sys
sys.path.insert(0, {str(pathlib.Path(tools.__file__).parent)!r})
import tools
train = tools.script("experiments/training/train-acf")
train.ROUNDS = {cls.ROUNDS}
train.main()
"""
        ended = subprocess.run(
            [sys.executable, "-B", "-c", code, cls.folder / "images", cls.labels, cls.out, *words],
            capture_output=True, text=True, check=False, env={**os.environ, **environment})
        assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
        return ended.stdout


class Training(OnPictures):
    PICTURES, ROUNDS = 60, (16, 64, 256)  # numbers of trees; with the tool's own numbers, a training takes 8 s

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.said = cls.train()
        cls.model = acf_json.read(cls.out)
        unseen = cls.folder / "unseen.txt"
        unseen.write_text(make_pictures(cls.folder / "unseen", 20, seed=2))
        cls.unseen = train.read_labels(unseen)

    def test_file_is_of_the_format(self):
        acf_json.check(self, self.model)
        trees = self.model.pop("trees")
        self.addCleanup(self.model.update, trees=trees)
        self.assertEqual({len(rows) for rows in trees.values()}, {self.ROUNDS[-1]})
        self.assertEqual({**self.model, "score": 0}, {
            "format": "facepipe-acf", "version": 1, "class": "face",
            "channels": {"colors": "luv", "shrink": 4, "orientations": 6, "normalization_radius": 5,
                         "normalization_constant": .005},
            "pyramid": {"per_octave": 8, "approximated": 7, "lambdas": [0, .11579, .11579]},
            "window": {"width": 40, "height": 48, "padded_width": 56, "padded_height": 64},
            "padding": {"x": 8, "y": 8}, "stride": 4, "unit": 65536, "threshold": -65536, "score": 0})

    def test_it_says_what_it_does(self):
        self.assertIn("54 pictures, 216 faces with their mirror images", self.said)
        for count in self.ROUNDS:
            self.assertIn(f"s  {count} trees\n", self.said)
        score = (self.model["score"]["a"], self.model["score"]["b"])
        self.assertTrue(self.said.endswith(f"{self.out}: {self.out.stat().st_size} bytes, score {score}\n"))

    def test_faces_of_unseen_pictures_are_found(self):
        """Checks the best window of each picture. A random window lies on a face in one of fifteen pictures."""
        trees, hits, on_faces = trees_of(self.model), 0, []
        for picture in self.unseen:
            windows = train.Windows(train.read_rgb(self.folder / "unseen", picture), 0)
            on_faces += [is_found(box, picture.faces) for box in windows.boxes[::10]]
            passed, sums = windows.that_pass(trees)
            if len(passed) > 0:
                hits += is_found(windows.boxes[passed[sums.argmax()]], picture.faces)
        self.assertLess(np.mean(on_faces), .1)
        self.assertGreaterEqual(hits, 12)

    def test_the_program_finds_them_too(self):
        hits = 0
        for picture in self.unseen:
            found = tools.program_faces(self.out, self.folder / "unseen" / picture.path, "--score", "0.1")
            if found is None:
                self.skipTest("no FACEPIPE_PROGRAM to try it with")
            if found:
                hits += is_found(max(found, key=lambda face: face["score"])["box"], picture.faces)
        self.assertGreaterEqual(hits, 12)


class Repeated(OnPictures):
    """Trains with few pictures and trees, which are enough to distinguish trainings. Every round runs."""

    PICTURES, ROUNDS = 20, (2, 4, 32)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        said = cls.train()
        assert said.count(" mistakes, ") == len(cls.ROUNDS) - 1 and " 0 mistakes" not in said, said
        cls.first = cls.out.read_bytes()

    def test_the_same_again(self):
        self.train("--overwrite", PYTHONHASHSEED="7")
        self.assertEqual(self.out.read_bytes(), self.first)

    def test_another_seed_is_another_model(self):
        self.train("--overwrite", "--seed", "5")
        acf_json.check(self, acf_json.read(self.out))
        self.assertNotEqual(self.out.read_bytes(), self.first)


class Writing(unittest.TestCase):
    def test_the_committed_model_is_written_as_it_stands(self):
        text = (tools.SOURCE / "data" / "acf_face.json").read_text(encoding="utf-8")
        model = json.loads(text)
        self.assertEqual(train.text_of(trees_of(model), (model["score"]["a"], model["score"]["b"])), text)


class Parts(unittest.TestCase):
    """Compares functions of train-acf with plain loops."""

    def setUp(self):
        self.random = np.random.default_rng(8)

    def test_models_have_the_faces_area_and_centre(self):
        for x, y, height in train.models_of(np.array([[0, 0, 40, 48], [10, 20, 110, 50], [3, 3, 4, 90.]])):
            box = train.box_of(x, y, height)
            self.assertAlmostEqual((box[2] - box[0]) / (box[3] - box[1]), 40 / 48)
        found = train.models_of(np.array([[0, 0, 40, 48], [10, 20, 110, 50.]]))
        np.testing.assert_allclose(found, [[20, 24, 48], [60, 35, 60]])

    def test_best_overlap(self):
        corners = self.random.uniform(0, 60, (2, 9, 2))
        boxes, faces = (np.concatenate([c, c + self.random.uniform(5, 60, (9, 2))], 1) for c in corners)
        expected = [max(overlap(box, face) for face in faces) for box in boxes]
        np.testing.assert_allclose(train.best_overlap(boxes, faces), expected)
        self.assertEqual(train.best_overlap(boxes, np.zeros((0, 4))).tolist(), [0] * 9)

    def test_smaller_samples_are_means_of_area(self):
        rows = self.random.uniform(0, 1, (30, 2, 1)).astype(np.float32)
        begin, step, fine = -3.25, 2.5, 20  # all edges are multiples of 1 / fine
        parts = [rows[min(max(int(np.floor(begin + (i + .5) / fine)), 0), 29)]
                 for i in range(int(step * 16 * fine))]
        expected = np.array(parts).reshape(16, int(step * fine), 2, 1).mean(1)
        np.testing.assert_allclose(train.sampled(rows, begin, step, 16), expected, atol=1e-6)

    def test_larger_samples_lie_between_two(self):
        ramp = np.arange(20, dtype=np.float32)[:, None, None] * 2
        found = train.sampled(ramp, 3.25, .4, 10)[:, 0, 0]
        # The value of the ramp is twice the position: the middle of row r is at r + .5.
        np.testing.assert_allclose(found, [2 * (3.25 + .4 * (i + .5) - .5) for i in range(10)], rtol=1e-5)
        self.assertEqual(set(train.sampled(ramp, -9, .5, 4).ravel()), {0})

    def test_a_crop_of_the_models_size_is_the_picture(self):
        picture = self.random.uniform(0, 1, (120, 110, 3)).astype(np.float32)
        # The crop has 64 + 32 rows and 56 + 32 columns around (54, 60).
        np.testing.assert_allclose(train.crop(picture, 54, 60, 48), picture[12:108, 10:98], atol=1e-6)

    def boosting(self):
        negatives, positives = (self.random.uniform(0, 1, (count, train.FEATURES)).astype(np.float32)
                                for count in (30, 20))
        positives[:, 77] += .3
        return train.Boosting(negatives, positives, np.random.default_rng(2))

    def test_a_split_makes_the_fewest_mistakes(self):
        boosting = self.boosting()
        boosting.weight = self.random.uniform(0, 1, 50)
        samples = np.sort(self.random.choice(50, 35, replace=False))
        looked_at = np.random.default_rng(2).choice(train.FEATURES, train.FEATURES // train.FEATURE_SHARE,
                                                    replace=False)
        feature, level = boosting.split(samples)
        self.assertIn(feature, looked_at)

        def mistakes(feature, level):
            """Returns the weight of the wrong samples if each side votes for the label with the greater weight."""
            sides = {True: {-1: 0, 1: 0}, False: {-1: 0, 1: 0}}
            for s in samples:
                sides[bool(boosting.levels[feature, s] <= level)][int(boosting.label[s])] += boosting.weight[s]
            return sum(min(side.values()) for side in sides.values())
        least = min(mistakes(f, at) for f in looked_at for at in {*boosting.levels[f, samples].tolist()})
        self.assertAlmostEqual(mistakes(feature, level), least)

    def test_weights_grow_where_a_tree_is_wrong(self):
        boosting = self.boosting()
        before = boosting.weight.copy()
        features, thresholds, leaves = boosting.tree()
        votes = np.abs(leaves - train.CALIBRATION * train.UNIT)
        self.assertLessEqual(np.ptp(votes), 1)  # all votes have the same strength, except for rounding
        wrong = []
        for s in range(50):
            cells = boosting.low + (boosting.levels[:, s] + .5) * boosting.step
            is_taken_for_face = leaves[acf_json.leaf((features, thresholds), cells)] > 0
            if is_taken_for_face != (boosting.label[s] > 0):
                wrong.append(s)
        others = np.delete(np.arange(50), wrong)
        self.assertTrue(0 < len(wrong) < 25)
        self.assertTrue((boosting.weight[wrong] > before[wrong]).all())
        self.assertTrue((boosting.weight[others] < before[others]).all())
        # After AdaBoost's step, the tree is no better than chance with the new weights.
        self.assertAlmostEqual(boosting.weight.sum(), 1)
        self.assertAlmostEqual(boosting.weight[wrong].sum(), .5)

    def random_trees(self, windows, count):
        """Returns trees whose thresholds are the cells of one window. Other windows' cells are above or below the
        thresholds."""
        features = self.random.integers(0, train.FEATURES, (count, 3))
        cells = windows.features(self.random.integers(len(windows.places)))
        return train.Trees(features, cells[features], self.random.integers(-40000, 40000, (count, 4)))

    def test_windows_pass_whose_sums_stay_above_the_threshold(self):
        picture, _ = draw_scene(self.random)
        windows = train.Windows(picture, 0)
        trees = self.random_trees(windows, 12)
        passed, sums = windows.that_pass(trees)
        self.assertGreater(len(passed), len(windows.places) // 20)
        self.assertLess(len(passed), len(windows.places) * 19 // 20)
        found = dict(zip(passed.tolist(), sums.tolist()))
        for number in range(0, len(windows.places), 7):
            y, x = windows.places[number]
            # Cells are sorted by channel, then by column, then by row.
            cells = [windows.cells[y + row, x + column, channel]
                     for channel in range(10) for column in range(14) for row in range(16)]
            way = np.cumsum([h[acf_json.leaf(tree, cells)] for *tree, h in zip(trees.f, trees.t, trees.h)])
            self.assertEqual(found.get(number), None if (way <= -65536).any() else way[-1])
            np.testing.assert_array_equal(windows.features(number), np.array(cells))
            np.testing.assert_array_equal(train.sums_on_the_way(np.array(cells), trees), way)

    def test_coarse_windows_have_the_means_of_four_fine_ones_each(self):
        """A fine window's coarse window is at half its row and column."""
        picture, _ = draw_scene(self.random)
        fine, coarse = train.Windows(picture, 0), train.Windows(picture, 0, coarse=True)
        numbers = {tuple(at): number for number, at in enumerate(coarse.at.tolist())}
        parents = {(scale, row // 2, column // 2) for scale, row, column in fine.at.tolist()}
        self.assertEqual(set(numbers), parents)
        for number in range(0, len(fine.places), 11):
            scale, row, column = fine.at[number].tolist()
            if row % 2 or column % 2:
                continue
            cells = fine.features(number).reshape(10, 14, 16)  # channel, column, row
            means = sum(cells[:, x::2, y::2] for x in (0, 1) for y in (0, 1)) / 4
            other = numbers[scale, row // 2, column // 2]
            np.testing.assert_allclose(coarse.features(other), means.ravel(), rtol=1e-6)
            np.testing.assert_allclose(coarse.boxes[other], fine.boxes[number], rtol=1e-9)

    def test_a_coarse_file_has_halves_of_the_sizes(self):
        trees = train.Trees(np.zeros((1, 3), int), np.zeros((1, 3), np.float32), np.zeros((1, 4), int))
        told = json.loads(train.text_of(trees, (1, 2), coarse=True))
        self.assertEqual(told["window"], {"width": 20, "height": 24, "padded_width": 28, "padded_height": 32})

    def test_rounds_end_with_all_trees(self):
        self.assertEqual(train.rounds_to(2048), [32, 128, 512, 2048])
        self.assertEqual(train.rounds_to(128), [32, 128])
        self.assertEqual(train.rounds_to(100), [32, 100])

    def test_lowered_trees_reject_below_what_the_ways_have(self):
        windows = train.Windows(draw_scene(self.random)[0], 0)
        trees = self.random_trees(windows, 12)
        passed, before = windows.that_pass(trees)
        ways = np.array([train.sums_on_the_way(windows.features(number), trees) for number in passed])
        known = self.random.choice(len(ways), 61, replace=False)
        lowered = train.lowered(trees, ways[known])
        # The training gives up three of the 61 faces, which are a twentieth.
        least = [sorted(sums)[3] for sums in ways[known].T.tolist()]
        still = (ways >= least).all(1)
        self.assertTrue(0 < still[known].sum() < 61)
        found, after = windows.that_pass(lowered)
        np.testing.assert_array_equal(found, passed[still])
        self.assertEqual(len(set((before[still] - after).tolist())), 1)

    def test_boxes_of_windows_lie_where_the_scale_has_them(self):
        """At full size, the first window's object lies at the picture's corner. (64 - 48) / 2 rows of the window and 8
        rows of padding surround it."""
        windows = train.Windows(np.zeros((96, 80, 3), np.uint8), 0)
        np.testing.assert_allclose(windows.boxes[0], [0, 0, 40, 48])
        np.testing.assert_allclose(windows.boxes[1], [4, 0, 44, 48])
        # The last scale is half as large and has one place, which is the whole picture.
        np.testing.assert_allclose(windows.boxes[-1], [0, 0, 80, 96])

    def test_scores_are_fitted_to_the_chance_of_a_face(self):
        """The share of faces is known for each sum, and the fit must return this curve."""
        sums = self.random.uniform(-2, 6, 40000)
        is_face = self.random.uniform(0, 1, 40000) < 1 / (1 + np.exp(-1.5 * (sums - 2)))
        face = np.array([[0, 0, 40, 48.]])

        class Known:
            def __init__(self, rgb, octaves_up, coarse):
                self.boxes = face + np.where(is_face, 0, 1000)[:, None]

            def that_pass(self, trees):
                return np.arange(len(sums)), np.rint(sums * train.UNIT).astype(int)
        with mock.patch.object(train, "Windows", Known), mock.patch.object(train, "read_rgb"):
            a, b = train.fit_score(None, [train.Picture("", (1, 1), face)], None)
        self.assertAlmostEqual(a, 1.5, delta=.05)
        self.assertAlmostEqual(b, 2, delta=.05)


class Refusals(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.images, self.labels = self.folder / "images", self.folder / "labels.txt"
        self.out = self.folder / "model.json"
        self.images.mkdir()
        self.text = ""
        for number in range(20):
            self.picture(f"{number}.png")
            self.text += f"# {number}.png 64 60\n4 4 44 52\n"

    def picture(self, name):
        cv2.imwrite(str(self.images / name), np.full((60, 64, 3), 99, np.uint8))
        return self.images / name

    def refusal(self, *words, text=None):
        """Expects that the command refuses its arguments before it trains, and that it makes no file."""
        if text is not False:
            self.labels.write_bytes((self.text if text is None else text).encode("latin-1"))
        before = sorted(self.folder.rglob("*"))
        with mock.patch.object(train, "train", side_effect=AssertionError("trained")):
            line = tools.refusal(train, self.images, self.labels, self.out, *words)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return line

    def test_labels(self):
        neither = 'is neither "# PATH WIDTH HEIGHT" nor, below one, "X1 Y1 X2 Y2"'
        for text, reason in (
                ("", "empty, or cut off"), (self.text[:-1], "cut off: its last line has no end"),
                (self.text[:-4], "cut off"), (self.text[:-4] + "\n", f"line 40 {neither}"),
                ("4 4 44 52\n" + self.text, f"line 1 {neither}"), ("# 0.png\n", f"line 1 {neither}"),
                ("# 0.png 64\n", f"line 1 {neither}"), ("# 0.png wide 60\n", f"line 1 {neither}"),
                (self.text + "4 4 44\n", f"line 41 {neither}"), (self.text + "4 4 44 52 0\n", f"line 41 {neither}"),
                (self.text + "4 4 44 x\n", f"line 41 {neither}"), (self.text + "4 4 nan 52\n", f"line 41 {neither}"),
                (self.text + "4 4 4 52\n", f"line 41 {neither}"), (self.text + "4 52 44 4\n", f"line 41 {neither}"),
                ("# \xff.png 64 60\n", "no text")):
            with self.subTest(text[-20:]):
                line = self.refusal(text=text)
                self.assertTrue(line.startswith(f"train-acf: {self.labels}: "), line)
                self.assertIn(reason, line)

    def test_no_labels(self):
        self.assertEqual(self.refusal(text=False), f"train-acf: {self.labels}: No such file or directory")
        self.labels.mkdir()
        self.assertEqual(self.refusal(text=False), f"train-acf: {self.labels}: Is a directory")

    def test_too_few_faces(self):
        trained_on = "train-acf: no face of 24 pixels in the pictures that are trained on"
        held_out = "train-acf: no face of 24 pixels in the pictures that are held out, every 10th one"
        lines = self.text.splitlines(keepends=True)
        self.assertEqual(self.refusal(text="\n"), trained_on)
        self.assertEqual(self.refusal(text="".join(lines[0::2])), trained_on)
        self.assertEqual(self.refusal(text="".join(lines[:18])), held_out)
        self.assertEqual(self.refusal(text=self.text.replace("4 4 44 52", "4 4 22 24")), trained_on)
        small = "".join(lines[:18]) + "# 9.png 64 60\n4 4 22 24\n"
        self.assertEqual(self.refusal(text=small), held_out)

    def test_pictures(self):
        path = self.images / "19.png"  # it is a held-out picture, so it is read last
        whole = path.read_bytes()
        for content in (b"", b"hello", whole[:20], whole[:len(whole) // 2]):
            path.write_bytes(content)
            self.assertEqual(self.refusal(), f"train-acf: {path}: no picture that can be read")
        path.unlink()
        self.assertEqual(self.refusal(), f"train-acf: {path}: no such picture")
        path.mkdir()
        self.assertEqual(self.refusal(), f"train-acf: {path}: no such picture")

    def test_a_picture_of_another_size(self):
        text = self.text.replace("# 3.png 64 60", "# 3.png 60 64")
        self.assertEqual(self.refusal(text=text),
                         f"train-acf: {self.images / '3.png'}: 64x60, not 60x64 as the labels have it")

    def test_a_cut_jpeg(self):
        path = self.picture("cut.jpg")
        text = self.text + "# cut.jpg 64 60\n"
        whole = path.read_bytes()
        path.write_bytes(whole[:-10])
        self.assertEqual(self.refusal(text=text), f"train-acf: {path}: cut off")
        path.write_bytes(whole + b"what a camera adds")
        self.assertFalse(train.is_cut_jpeg(path))

    def test_no_folder_of_pictures(self):
        self.images = self.folder / "none"
        self.assertEqual(self.refusal(), f"train-acf: {self.images / '0.png'}: no such picture")

    def test_an_output_that_exists(self):
        self.out.write_text("mine")
        self.assertEqual(self.refusal(), f"train-acf: {self.out}: exists already; --overwrite replaces it")
        self.assertIn("cut off", self.refusal("--overwrite", text="#"))
        self.assertEqual(self.out.read_text(), "mine")
        self.out = self.folder / "none" / "model.json"
        self.assertIn("there is no folder", self.refusal())

    def test_as_a_command(self):
        """The output must not contain messages of libraries about a picture."""
        for name in ("0.png", "0.jpg"):
            path = self.picture(name)
            path.write_bytes(path.read_bytes()[:60])
            self.labels.write_text(self.text.replace("# 0.png", f"# {name}"))
            ended = tools.command("experiments/training/train-acf", self.images, self.labels, self.out)
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr),
                             (1, "", f"train-acf: {path}: no picture that can be read\n"))
            self.assertFalse(self.out.exists())

    def test_a_seed_that_is_none(self):
        for seed in ("-1", "x", "1.5", ""):
            tools.check_misuse(self, train, "--seed", self.images, self.labels, self.out, f"--seed={seed}")

    def test_pictures_that_nothing_can_be_learnt_from(self):
        """All faces and backgrounds are equal. The training must still end with one line."""
        self.labels.write_text(self.text)
        with mock.patch.object(train, "ROUNDS", (2, 4)):
            line = tools.refusal(train, self.images, self.labels, self.out)
        self.assertRegex(line, r"\Atrain-acf: [^\n]+\Z")
        self.assertFalse(self.out.exists())

    def test_a_python_without_the_packages(self):
        ended = tools.command("experiments/training/train-acf", self.images, self.labels, self.out, python=("-B", "-S", "-E"))
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, r"\Atrain-acf: needs (cv2|numpy), which this Python lacks\n\Z")


if __name__ == "__main__":
    unittest.main()

"""Tests acf-from-mat on files that the tests make.

The expected members of the JSON are computed from the same arrays in another way. Other tests check what the script
refuses.
"""
import pathlib
import resource
import struct
import tempfile
import unittest

import tools

tools.need("numpy", "scipy")

import numpy as np  # noqa: E402 (tools.need() must check first that the package is installed)
from scipy.io import savemat  # noqa: E402

import acf_json  # noqa: E402

acf_from_mat = tools.script("data/acf-from-mat")

# (rows, columns); all numbers are different
OBJECT, WINDOW, PADDING = (48, 20), (64, 32), (12, 8)
FEATURES = 16 * 8 * 10
TREES = 6


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def classifier(seed):
    """Returns trees as the toolbox stores them. Each column is a tree: the root, its two children, their four children.

    All nodes have a sum (hs), but only the sums of nodes without children count.
    """
    random = np.random.default_rng(seed)
    inner = np.arange(7)[:, None] < 3
    return {
        "fids": np.where(inner, random.integers(0, FEATURES, (7, TREES)), 0).astype(np.uint32),
        "thrs": np.where(inner, random.uniform(.3, .7, (7, TREES)), 0).astype(np.float32),
        "child": np.repeat(np.array([[2, 4, 6, 0, 0, 0, 0]], np.uint32).T, TREES, 1),
        "hs": random.uniform(-1, 1, (7, TREES)).astype(np.float32),
        "weights": np.ones((7, TREES), np.float32), "treeDepth": np.uint32(2),
    }


def detector(seed=5):
    channels = {
        "shrink": np.uint8(4), "pColor": {"enabled": 1, "smooth": 1, "colorSpace": "luv"},
        "pGradMag": {"enabled": 1, "colorChn": 0, "normRad": 5, "normConst": .005, "full": 0},
        "pGradHist": {"enabled": 1, "binSize": [], "nOrients": 6, "softBin": 0, "useHog": 0, "clipHog": .2},
        "pCustom": [], "complete": 1,
    }
    pyramid = {"pChns": channels, "nPerOct": 8, "nOctUp": 0, "nApprox": 7, "lambdas": [.01, .125, .2],
               "pad": PADDING, "minDs": OBJECT, "smooth": 1, "concat": 1}
    options = {"pPyramid": pyramid, "filters": [], "modelDs": OBJECT, "modelDsPad": WINDOW,
               "stride": np.uint8(4), "cascThr": -1.5, "name": "models/Small", "nPos": np.inf}
    return {"opts": options, "clf": classifier(seed), "info": {"name": "color channels"}}


def changed(place, value, of=None):
    """Returns a copy of a detector with another value at `place`, such as "opts.stride". With the value None, the
    member is removed."""
    found = of or detector()
    *path, last = place.split(".")
    at = found
    for name in path:
        at = at[name]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return found


def changed_nodes(name, row, column, value, dtype=None):
    found = detector()
    nodes = found["clf"][name].astype(dtype or found["clf"][name].dtype)
    nodes[row, column] = value
    return changed(f"clf.{name}", nodes, found)


def sum_by_children(nodes, cells):
    """Returns the sum of the leaves that a window's cells reach.

    The walk goes from a node to one of its children until a node has no children. `child` has the number of the first
    child; numbers begin at 1. If the cell is below the threshold, the walk goes to the first child.
    """
    total = 0
    for tree in range(nodes["fids"].shape[1]):
        node = 0
        while nodes["child"][node, tree]:
            is_right = cells[nodes["fids"][node, tree]] >= nodes["thrs"][node, tree]
            node = int(nodes["child"][node, tree]) - 1 + int(is_right)
        total += float(nodes["hs"][node, tree])
    return total


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.mat, self.out = self.folder / "in.mat", self.folder / "out.json"

    def save(self, found, **options):
        savemat(self.mat, {"detector": found}, **options)

    def convert(self, *words):
        self.assertEqual(tools.called(acf_from_mat, self.mat, self.out, *words), (0, "", ""))
        return acf_json.read(self.out)

    def assert_nothing_made(self):
        self.assertEqual([p.name for p in self.folder.iterdir() if p != self.mat], [])


class Conversion(Folder):
    def test_each_member(self):
        self.save(detector())
        model = self.convert()
        acf_json.check(self, model)
        nodes = classifier(5)
        trees = model.pop("trees")
        self.assertEqual(model, {
            "format": "facepipe-acf", "version": 1, "class": "pedestrian",
            "channels": {"colors": "luv", "shrink": 4, "orientations": 6, "normalization_radius": 5,
                         "normalization_constant": .005},
            "pyramid": {"per_octave": 8, "approximated": 7, "lambdas": [.01, .125, .2]},
            "window": {"width": 20, "height": 48, "padded_width": 32, "padded_height": 64},
            "padding": {"x": 8, "y": 12}, "stride": 4, "unit": 65536, "threshold": -98304,
            "score": {"a": .1, "b": 20.0}})
        for t in range(TREES):
            self.assertEqual(trees["f"][t], [int(nodes["fids"][n, t]) for n in range(3)])
            self.assertEqual([single(v) for v in trees["t"][t]], [float(nodes["thrs"][n, t]) for n in range(3)])
            self.assertEqual(trees["h"][t], [round(float(nodes["hs"][n, t]) * 65536) for n in range(3, 7)])
            # The shortest text of a float32 has at most nine digits.
            self.assertTrue(all(len(str(v).lstrip("0.")) <= 9 for v in trees["t"][t]), trees["t"][t])
        self.assertEqual({len(rows) for rows in trees.values()}, {TREES})

    def test_as_a_command(self):
        self.save(detector())
        ended = tools.command("data/acf-from-mat", self.mat, self.out, "--class", "thing")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "", ""))
        made = self.out.read_bytes()
        self.convert("--class", "thing", "--overwrite")
        self.assertEqual(self.out.read_bytes(), made)

    def test_sums_of_windows_are_those_of_the_file(self):
        self.save(detector())
        trees = self.convert()["trees"]
        nodes = classifier(5)
        random = np.random.default_rng(9)
        taken = set()
        for _ in range(200):
            cells = random.uniform(0, 1, FEATURES).astype(np.float32)
            leaves = [acf_json.leaf(tree, cells) for tree in zip(trees["f"], trees["t"])]
            taken |= set(enumerate(leaves))
            total = sum(h[leaf] for h, leaf in zip(trees["h"], leaves))
            # Each leaf is rounded, with an error of at most half a unit (1 / 65536).
            self.assertAlmostEqual(total / 65536, sum_by_children(nodes, cells), delta=TREES / 2 / 65536)
        self.assertEqual(len(taken), 4 * TREES)

    def test_a_threshold_on_the_cell_goes_right_in_both(self):
        self.save(detector())
        trees = self.convert()["trees"]
        nodes = classifier(5)
        cells = np.zeros(FEATURES, np.float32)
        for place, threshold in zip(nodes["fids"][:3].ravel(), nodes["thrs"][:3].ravel()):
            cells[place] = threshold
        total = sum(h[acf_json.leaf(tree, cells)] for *tree, h in zip(trees["f"], map(
            lambda row: [single(v) for v in row], trees["t"]), trees["h"]))
        self.assertAlmostEqual(total / 65536, sum_by_children(nodes, cells), delta=TREES / 2 / 65536)

    def test_options(self):
        self.save(detector())
        model = self.convert("--class", "traffic-sign_2", "--score", ".25,-3")
        acf_json.check(self, model)
        self.assertEqual((model["class"], model["score"]), ("traffic-sign_2", {"a": .25, "b": -3.0}))

    def test_however_it_is_stored(self):
        """Tests files that are compressed like MATLAB's, have double precision, or lack members of later versions."""
        self.save(detector())
        self.convert()
        expected = self.out.read_bytes()
        doubles = detector()
        for name in ("fids", "child", "hs", "thrs"):
            changed(f"clf.{name}", doubles["clf"][name].astype(float), doubles)
        older = changed("opts.filters", None, changed("opts.pPyramid.pChns.pCustom", None))
        for found, options in ((detector(), {"do_compression": True}), (doubles, {}), (older, {})):
            self.save(found, **options)
            self.convert("--overwrite")
            self.assertEqual(self.out.read_bytes(), expected)

    def test_one_tree(self):
        found = detector()
        for name in ("fids", "child", "hs", "thrs"):
            changed(f"clf.{name}", found["clf"][name][:, :1], found)
        self.save(found)
        self.assertEqual(len(self.convert()["trees"]["f"]), 1)

    def test_the_program_takes_it(self):
        self.save(changed("clf.hs", np.full((7, TREES), .5, np.float32)))
        self.convert("--class", "thing", "--score", "1,2")
        picture = self.folder / "grey.ppm"
        picture.write_bytes(b"P6 64 96 255\n" + bytes([128]) * (64 * 96 * 3))
        found = tools.program_faces(self.out, picture, "--score", "0.5")
        if found is None:
            self.skipTest("no FACEPIPE_PROGRAM to try it with")
        # Each window has the sum 6 * 0.5, so all windows pass, and suppression keeps some of them.
        self.assertGreater(len(found), 0)
        for one in found:
            self.assertEqual(one["class"], "thing")
            self.assertAlmostEqual(one["score"], 1 / (1 + np.exp(-1)), places=5)


def sizes(model=OBJECT, window=WINDOW, padding=PADDING):
    found = changed("opts.modelDs", model, changed("opts.modelDsPad", window))
    return changed("opts.pPyramid.pad", padding, found)


CHANNELS = "opts.pPyramid.pChns"
REFUSED = [
    (changed("opts", None), "no opts"),
    (changed("clf", None), "no clf"),
    (changed("clf", 3), "no structure where clf belongs"),
    (changed("clf", [{"fids": 1}, {"fids": 2}]), "no structure where clf belongs"),
    (changed("opts.pPyramid", "none"), "no structure where pPyramid belongs"),
    # Another pyramid
    (changed("opts.pPyramid.nPerOct", 10), "nPerOct is not 8"),
    (changed("opts.pPyramid.nPerOct", [8, 8]), "nPerOct has 2 numbers, not 1"),
    (changed("opts.pPyramid.nPerOct", "8"), "nPerOct is not of numbers"),
    (changed("opts.pPyramid.nPerOct", 8 + 8j), "nPerOct is not of numbers"),
    (changed("opts.pPyramid.nApprox", 0), "nApprox is not 7"),
    (changed("opts.pPyramid.nApprox", None), "no nApprox"),
    (changed("opts.pPyramid.smooth", 0), "smooth is not 1"),
    (changed("opts.pPyramid.lambdas", [.1, .1]), "lambdas has 2 numbers, not 3"),
    (changed("opts.pPyramid.lambdas", []), "lambdas has 0 numbers, not 3"),
    (changed("opts.pPyramid.lambdas", [0, np.nan, .1]), "lambdas is not finite"),
    (changed("opts.pPyramid.lambdas", [0, 5, .1]), "lambdas are out of range"),
    (changed("opts.stride", 8), "stride is not 4"),
    (changed("opts.filters", np.ones((5, 5, 4, 10))), "filters is not empty"),
    # Other channels
    (changed(f"{CHANNELS}.shrink", 2), "shrink is not 4"),
    (changed(f"{CHANNELS}.pColor.colorSpace", "rgb"), "colorSpace is not luv"),
    (changed(f"{CHANNELS}.pColor.colorSpace", []), "colorSpace is not luv"),
    (changed(f"{CHANNELS}.pColor.smooth", 0), "smooth is not 1"),
    (changed(f"{CHANNELS}.pGradMag.enabled", 0), "enabled is not 1"),
    (changed(f"{CHANNELS}.pGradMag.normRad", 4), "normRad is not 5"),
    (changed(f"{CHANNELS}.pGradMag.normConst", .01), "normConst is not 0.005"),
    (changed(f"{CHANNELS}.pGradHist.nOrients", 9), "nOrients is not 6"),
    (changed(f"{CHANNELS}.pGradHist.useHog", 1), "useHog is not 0"),
    (changed(f"{CHANNELS}.pGradHist.binSize", 8), "binSize is not 4"),
    (changed(f"{CHANNELS}.pCustom", {"name": "mine"}), "pCustom is not empty"),
    # Other sizes
    (sizes(model=(48, 20.5)), "a size that is not whole"),
    (sizes(window=(66, 32)), "no multiple of 4"),
    (sizes(padding=(12, 6)), "no multiple of 4"),
    (sizes(model=(12, 20)), "out of range"),
    (sizes(model=(48, 36)), "out of range"),
    (sizes(window=(-64, -32)), "out of range"),
    (sizes(window=(516, 32)), "out of range"),
    (sizes(padding=(-4, 8)), "pad is out of range"),
    (sizes(padding=(12, 36)), "pad is out of range"),
    (sizes(model=(48, 20, 3)), "modelDs has 3 numbers, not 2"),
    # Other trees
    (changed("clf.treeDepth", 3), "treeDepth is not 2"),
    (changed("clf.treeDepth", 0), "treeDepth is not 2"),
    (changed("clf.fids", None), "no fids"),
    (changed("clf.fids", np.zeros((3, TREES))), "fids is not of 7 nodes a tree"),
    (changed("clf.fids", np.zeros((7, 0))), "fids is not of 7 nodes a tree"),
    (changed("clf.fids", np.zeros((7, TREES, 2))), "fids is not of 7 nodes a tree"),
    (changed("clf.thrs", np.zeros((7, TREES + 1))), "thrs is not of 7 nodes a tree"),
    (changed("clf.hs", np.zeros((TREES, 7))), "hs is not of 7 nodes a tree"),
    (changed("clf.hs", "none"), "hs is not of numbers"),
    (changed("clf.hs", np.array([[{"a": 1}]], object)), "hs is not of numbers"),
    (changed_nodes("fids", 2, 4, FEATURES), "a feature outside of the window"),
    (changed_nodes("fids", 0, 0, -1, np.int32), "a feature outside of the window"),
    (changed_nodes("fids", 1, 1, 1e300, float), "a feature outside of the window"),
    (changed_nodes("fids", 1, 1, 2.5, float), "a feature that is not whole"),
    (changed_nodes("fids", 1, 1, np.nan, float), "fids is not finite"),
    (changed_nodes("thrs", 1, 3, np.nan), "thrs is not finite"),
    (changed_nodes("thrs", 0, 5, np.inf), "thrs is not finite"),
    (changed_nodes("thrs", 0, 5, 1e39, float), "a threshold that single precision can't hold"),
    (changed_nodes("hs", 6, 0, -np.inf), "hs is not finite"),
    (changed_nodes("hs", 6, 0, 32768), "leaves whose sum is too large"),
    (changed_nodes("hs", 6, 0, 1e300, float), "leaves whose sum is too large"),
    (changed_nodes("child", 2, 0, 0), "a tree that is not of depth 2 throughout"),
    (changed("opts.cascThr", np.nan), "cascThr is not finite"),
    (changed("opts.cascThr", -1e300), "leaves whose sum is too large"),
]


class Refusals(Folder):
    def refusal(self, *words):
        line = tools.refusal(acf_from_mat, self.mat, self.out, *words)
        self.assert_nothing_made()
        self.assertTrue(line.startswith(f"acf-from-mat: {self.mat}: "), line)
        return line

    def test_what_the_detector_computes_otherwise(self):
        for found, reason in REFUSED:
            with self.subTest(reason):
                self.save(found)
                self.assertIn(reason, self.refusal())

    def test_no_detector_in_it(self):
        for stored, reason in (({"model": detector()}, "no detector in it"),
                               ({"detector": 3}, "no structure where detector belongs"),
                               ({"detector": {}}, "no structure where detector belongs"),
                               ({"detector": {"a": 1}}, "no opts")):
            savemat(self.mat, stored)
            self.assertIn(reason, self.refusal())

    def test_no_matlab_file(self):
        self.assertIn("No such file or directory", self.refusal())
        for content in (b"", b"\n", b"hello\n" * 100, b"{}", bytes(500), b"MATLAB 7.3 MAT-file" + bytes(493),
                        np.random.default_rng(1).bytes(5000)):
            self.mat.write_bytes(content)
            self.assertIn("no MATLAB file that can be read", self.refusal())
        self.mat.unlink()
        self.mat.mkdir()
        self.assertIn("Is a directory", self.refusal())

    def test_a_cut_file(self):
        """Tests the file truncated at all lengths. Reading must give the whole model or an error."""
        for options in ({}, {"do_compression": True}):
            self.save(detector(), **options)
            whole = self.mat.read_bytes()
            expected = acf_from_mat.converted(self.mat, "thing", (1, 0))
            refused = 0
            for length in range(0, len(whole), 61):
                self.mat.write_bytes(whole[:length])
                try:
                    self.assertEqual(acf_from_mat.converted(self.mat, "thing", (1, 0)), expected)
                except acf_from_mat.Refused:
                    refused += 1
            self.assertGreater(refused, len(whole) // 61 - 2)

    def test_damaged_files_are_refused_or_make_a_model(self):
        """Tests files with random damage. Some of them crash scipy, which the script must report as an error."""
        self.save(detector())
        whole = self.mat.read_bytes()
        random = np.random.default_rng(3)
        refused = 0
        for _ in range(100):
            damaged = bytearray(whole)
            for place in random.integers(0, len(whole), 2):
                damaged[place] = random.integers(0, 256)
            self.mat.write_bytes(damaged)
            try:
                text = acf_from_mat.converted(self.mat, "thing", (1, 0))
            except acf_from_mat.Refused as reason:
                self.assertNotIn("\n", str(reason))
                refused += 1
                continue
            self.out.write_text(text, encoding="utf-8")
            acf_json.check(self, acf_json.read(self.out))
        self.assertGreater(refused, 20)
        self.assertLess(refused, 95)

    def test_as_a_command(self):
        self.save(changed("opts.stride", 8))
        whole = self.mat.read_bytes()
        for content, reason in ((whole, "stride is not 4, which is all that facepipe computes"),
                                (whole[:len(whole) // 2], "no MATLAB file that can be read"),
                                (b"hello", "no MATLAB file that can be read")):
            self.mat.write_bytes(content)
            ended = tools.command("data/acf-from-mat", self.mat, self.out)
            self.assertEqual((ended.returncode, ended.stdout), (1, ""))
            self.assertRegex(ended.stderr, rf"\Aacf-from-mat: {self.mat}: {reason}[^\n]*\n\Z")
            self.assert_nothing_made()

    def test_options_that_the_program_would_refuse(self):
        self.save(detector())
        for option, values in (("--class", ("", "Face", "a b", "x" * 65)),
                               ("--score", ("1", "1,2,3", "a,b", "0,1", "nan,1", "1,inf", "-1,1", "1,2e6"))):
            for value in values:
                tools.check_misuse(self, acf_from_mat, option, self.mat, self.out, f"{option}={value}")
                self.assert_nothing_made()

    def test_a_python_without_the_packages(self):
        ended = tools.command("data/acf-from-mat", self.mat, self.out, python=("-B", "-S", "-E"))
        self.assertEqual((ended.returncode, ended.stderr),
                         (1, "acf-from-mat: needs numpy, which this Python lacks\n"))


class Output(Folder):
    def setUp(self):
        super().setUp()
        self.save(detector())

    def refusal(self, *words):
        return tools.refusal(acf_from_mat, self.mat, self.out, *words)

    def test_one_that_exists_is_left_alone(self):
        self.out.write_text("mine")
        self.assertEqual(self.refusal(), f"acf-from-mat: {self.out}: exists already; --overwrite replaces it")
        self.assertEqual(self.out.read_text(), "mine")

    def test_unless_it_may_be_replaced(self):
        self.out.write_text("mine")
        acf_json.check(self, self.convert("--overwrite"))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["in.mat", "out.json"])

    def test_nor_for_an_input_that_is_refused(self):
        self.out.write_text("mine")
        self.save(changed("opts.stride", 8))
        self.assertIn("stride", self.refusal("--overwrite"))
        self.assertEqual(self.out.read_text(), "mine")

    def test_no_file_no_folder(self):
        self.out.symlink_to(self.folder / "elsewhere.json")
        self.assertIn("is a link", self.refusal("--overwrite"))
        self.out.unlink()
        self.out.mkdir()
        self.assertIn("is not a file", self.refusal("--overwrite"))
        self.out.rmdir()
        self.out = self.folder / "none" / "out.json"
        self.assertIn("there is no folder", self.refusal())
        self.assert_nothing_made()

    def test_a_disk_that_is_full_leaves_nothing_and_what_was_there(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
        for words in ((), ("--overwrite",)):
            if words:
                self.out.write_text("mine")
            ended = tools.command("data/acf-from-mat", self.mat, self.out, *words, preexec_fn=small_files)
            self.assertEqual((ended.returncode, ended.stderr), (1, f"acf-from-mat: {self.out}: File too large\n"))
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                             ["in.mat", "out.json"] if words else ["in.mat"])
        self.assertEqual(self.out.read_text(), "mine")


if __name__ == "__main__":
    unittest.main()

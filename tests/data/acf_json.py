"""Checks the format of detector/acf/model/README.md, and computes one window of a detector in plain loops."""
import json

MEMBERS = ["format", "version", "class", "channels", "pyramid", "window", "padding", "stride", "unit",
           "threshold", "score", "trees"]


def read(path):
    def refuse(word):
        raise ValueError(f"{word} is not JSON")
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def cells_of(model):
    return model["window"]["padded_width"] // 4 * (model["window"]["padded_height"] // 4)


def check(test, model):
    test.assertEqual(list(model), MEMBERS)
    test.assertEqual((model["format"], model["version"]), ("facepipe-acf", 1))
    test.assertRegex(model["class"], r"\A[a-z0-9_-]+\Z")
    test.assertEqual(model["channels"], {"colors": "luv", "shrink": 4, "orientations": 6,
                                         "normalization_radius": 5, "normalization_constant": .005})
    test.assertEqual({**model["pyramid"], "lambdas": 3}, {"per_octave": 8, "approximated": 7, "lambdas": 3})
    test.assertEqual(len(model["pyramid"]["lambdas"]), 3)
    check_sizes(test, model["window"], model["padding"])
    test.assertEqual((model["stride"], model["unit"]), (4, 65536))
    test.assertIs(type(model["threshold"]), int)
    test.assertEqual(list(model["score"]), ["a", "b"])
    test.assertGreater(model["score"]["a"], 0)
    check_trees(test, model)


def check_sizes(test, window, padding):
    test.assertEqual(list(window), ["width", "height", "padded_width", "padded_height"])
    test.assertEqual(list(padding), ["x", "y"])
    for inner, outer, border in (("width", "padded_width", "x"), ("height", "padded_height", "y")):
        test.assertTrue(16 <= window[inner] <= window[outer] <= 512)
        test.assertTrue(0 <= padding[border] <= window[outer])
        test.assertEqual((window[outer] % 4, padding[border] % 4), (0, 0))


def check_trees(test, model):
    trees = model["trees"]
    test.assertEqual(list(trees), ["f", "t", "h"])
    test.assertGreater(len(trees["f"]), 0)
    reach = abs(model["threshold"])
    for f, t, h in zip(trees["f"], trees["t"], trees["h"], strict=True):
        test.assertEqual((len(f), len(t), len(h)), (3, 3, 4))
        test.assertTrue(all(type(v) is int and 0 <= v < cells_of(model) * 10 for v in f), f)
        test.assertTrue(all(type(v) in (int, float) for v in t), t)
        test.assertTrue(all(type(v) is int for v in h), h)
        reach += max(map(abs, h))
    test.assertLess(reach, 2 ** 31)


def leaf(tree, cells):
    """Returns the number of the leaf (0 to 3) that a window's cells reach. `tree` is (f, t), as in the format."""
    (root, left, right), (at_root, at_left, at_right) = tree
    if cells[root] < at_root:
        return 0 if cells[left] < at_left else 1
    return 2 if cells[right] < at_right else 3

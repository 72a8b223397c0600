"""Tests the fine-tuning of CenterFace for hiding, without pictures of faces. The geometry, the draws and the files are
tested with numpy alone. The tests of the augmentation and of a training need PyTorch; without it they are skipped."""
import importlib.util
import math
import pathlib
import struct
import sys
import tempfile
import types
import unittest

import tools

tools.need("numpy")

import numpy as np  # noqa: E402 (tools.need() must check first that the package is installed)

sys.path.insert(0, str(tools.SOURCE / "experiments" / "training" / "hide"))
import boxes as geometry  # noqa: E402 (in the folder that was just added)
import draws  # noqa: E402
import labels  # noqa: E402
import mistakes  # noqa: E402
import onnx_file  # noqa: E402
import pack  # noqa: E402
import recall  # noqa: E402

HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch
    torch.set_num_threads(1)


# --- A small ONNX file, written by hand -------------------------------------------------------------------------


def short(value):
    """Returns a varint of at most two bytes."""
    return bytes([value]) if value < 128 else bytes([value & 127 | 128, value >> 7])


def field(number, content):
    """Returns a field of Protocol Buffers: a varint for an integer, otherwise bytes with their length."""
    if isinstance(content, int):
        return short(number << 3) + short(content)
    return short(number << 3 | 2) + short(len(content)) + content


def tensor(name, values):
    values = np.asarray(values, "<f4")
    return b"".join(field(1, side) for side in values.shape) + field(2, 1) + field(8, name.encode()) + field(
        9, values.tobytes())


def integers_of(name, values):
    return field(5, field(1, name.encode()) + b"".join(field(8, value) for value in values) + field(20, 7))


def convolution(inputs, output, stride):
    attributes = integers_of("dilations", [1, 1]) + integers_of("pads", [0] * 4) + integers_of("strides", [stride] * 2)
    attributes += field(5, field(1, b"group") + field(3, 1) + field(20, 2))
    return node("Conv", inputs, output, attributes)


def node(kind, inputs, output, attributes=b""):
    return field(1, b"".join(field(1, name.encode()) for name in inputs) + field(2, output.encode())
                 + field(4, kind.encode()) + attributes)


def small_model():
    """Returns an ONNX file whose outputs are like CenterFace's: a cell for 4x4 pixels, and four outputs."""
    random = np.random.default_rng(7)
    graph = convolution(["picture", "stem", "stem_bias"], "seen", 4) + node("Relu", ["seen"], "kept")
    weights = field(5, tensor("stem", random.normal(0, .01, (6, 3, 4, 4)))) + field(5, tensor("stem_bias", np.zeros(6)))
    for name, channels in (("heat", 1), ("sizes", 2), ("offsets", 2), ("landmarks", 10)):
        bias = np.full(channels, -2. if name == "heat" else 0.)
        weights += field(5, tensor(name + "_w", random.normal(0, .01, (channels, 6, 1, 1)))) + field(
            5, tensor(name + "_b", bias))
        graph += convolution(["kept", name + "_w", name + "_b"], name + ("_logit" if name == "heat" else ""), 1)
    graph += node("Sigmoid", ["heat_logit"], "heat") + weights + field(11, field(1, b"picture"))
    graph += b"".join(field(12, field(1, name)) for name in (b"heat", b"sizes", b"offsets", b"landmarks"))
    return field(1, 4) + field(2, b"test") + field(7, graph) + field(8, field(2, 11))


class InAFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)


class OnnxFiles(InAFolder):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "small.onnx"
        self.path.write_bytes(small_model())
        self.model = onnx_file.read(self.path)

    def test_the_graph_and_the_weights_are_read(self):
        self.assertEqual([one.kind for one in self.model.nodes], ["Conv", "Relu"] + ["Conv"] * 4 + ["Sigmoid"])
        self.assertEqual(self.model.nodes[0].attributes,
                         {"dilations": [1, 1], "pads": [0] * 4, "strides": [4, 4], "group": 1})
        self.assertEqual(self.model.inputs, ["picture"])
        self.assertEqual(self.model.outputs, ["heat", "sizes", "offsets", "landmarks"])
        self.assertEqual(self.model.weights["heat_b"].tolist(), [-2])

    def test_a_file_with_the_same_weights_has_the_same_bytes(self):
        onnx_file.write(self.folder / "again.onnx", self.model, self.model.weights)
        self.assertEqual((self.folder / "again.onnx").read_bytes(), self.path.read_bytes())

    def test_a_file_with_other_weights_has_the_same_graph(self):
        onnx_file.write(self.folder / "other.onnx", self.model, {"heat_b": np.float32([5])})
        before, after = self.path.read_bytes(), (self.folder / "other.onnx").read_bytes()
        self.assertEqual(before.replace(struct.pack("<f", -2), struct.pack("<f", 5)), after)

    def test_a_file_of_f16_has_rounded_weights(self):
        third = {"heat_b": np.float32([1 / 3])}
        onnx_file.write_half(self.folder / "half.onnx", self.model, third)
        half = onnx_file.read(self.folder / "half.onnx")
        self.assertEqual(half.weights["heat_b"].tolist(), [0.333251953125])  # 1365 / 4096, the nearest f16
        self.assertEqual([one.kind for one in half.nodes], [one.kind for one in self.model.nodes])
        rounded = onnx_file.as_half(self.model, third)
        for name, values in half.weights.items():
            np.testing.assert_array_equal(values, rounded[name])
        numbers = 4 * sum(values.size for values in half.weights.values())
        self.assertLess(numbers / 2, (self.folder / "half.onnx").stat().st_size)

    def test_damaged_files_are_refused(self):
        whole = self.path.read_bytes()
        for content in (b"", b"hello", whole[:40], whole[:-30]):
            self.path.write_bytes(content)
            with self.assertRaisesRegex(onnx_file.Refused, f"^{self.path}: no ONNX file that can be read: "):
                onnx_file.read(self.path)
        with self.assertRaisesRegex(onnx_file.Refused, "none.onnx: No such file"):
            onnx_file.read(self.folder / "none.onnx")


class Boxes(unittest.TestCase):
    def test_a_quarter_turn_swaps_the_sides(self):
        """(x, y) becomes (-y, x) and is moved by 100 pixels to the right."""
        quarter = np.array([[0, -1], [1, 0.]])
        found = geometry.turned(np.array([[10, 20, 30, 60.]]), quarter, np.array([100, 0]))
        np.testing.assert_allclose(found, [[40, 10, 80, 30]], atol=1e-9)

    def test_any_turn_bounds_the_ellipse(self):
        """The oracle turns points of the ellipse, and takes the least and the greatest."""
        box = np.array([[10, 20, 30, 60.]])
        round_about = np.linspace(0, 2 * math.pi, 20001)
        points = np.stack([20 + 10 * np.cos(round_about), 40 + 20 * np.sin(round_about)])
        for angle, mirrored in ((.3, False), (math.pi / 4, True), (2.5, False), (-1.2, True)):
            matrix = draws.turning(angle, mirrored, 1.7)
            moved = matrix @ points + np.array([[3], [-8]])
            expected = [*moved.min(1), *moved.max(1)]
            np.testing.assert_allclose(geometry.turned(box, matrix, np.array([3, -8]))[0], expected, atol=1e-5)

    def test_the_gaussian(self):
        """Of a square face, CenterNet's radius is (sqrt(2.8^2 + 16 * .7 * .3) - 2.8) / 2 = .2733 of the side."""
        self.assertAlmostEqual(geometry.gaussian_radius(1., 1.), .2733, places=4)
        self.assertAlmostEqual(geometry.gaussian_radius(40., 40.), 10.93, places=2)
        # The radius of 40 cells is rounded down to 10, so 21 cells have the standard deviation 21 / 6. A face of
        # 3 cells has a radius of .8, so it gets the narrowest Gaussian.
        np.testing.assert_allclose(geometry.spreads(np.array([40., 3, 4]), np.array([40., 3, 4])), [3.5, .3, .5])

    def test_suppression(self):
        boxes = np.array([[0, 0, 10, 10], [1, 0, 11, 10], [20, 0, 30, 10], [6, 0, 16, 10.]])
        self.assertEqual(geometry.suppressed(boxes, np.array([.5, .9, .3, .2])).tolist(), [1, 2])
        self.assertEqual(geometry.suppressed(boxes, np.array([.9, .2, .3, .5])).tolist(), [0, 3, 2])


class Draws(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(3)
        self.sources = []
        for _ in range(6):
            corner, side = random.uniform(0, 500, (8, 2)), random.uniform(12, 120, (8, 2))
            boxes = np.concatenate([corner, corner + side], 1)
            self.sources.append(draws.Source(700, 600, boxes, boxes[:1] + 1000, boxes[:2], False))

    def test_a_step_draws_the_same_again(self):
        first, again, other = (draws.draw(self.sources, 5, step, 8, 1) for step in (3, 3, 4))
        for name in ("sources", "matrices", "damages", "covers", "boxes", "states"):
            np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
        self.assertFalse(np.array_equal(first.matrices, other.matrices))

    def test_boxes_lie_on_the_faces(self):
        """The matrix of a crop maps the centre of each box that isn't clipped to the centre of a box of the picture."""
        checked = 0
        for step in range(15):
            draw = draws.draw(self.sources, 1, step, 8, 1)
            for box, crop in zip(draw.boxes, draw.crops):
                if box.min() < 1 or box.max() > draws.SIZE - 1:
                    continue
                centre = draw.matrices[crop] @ np.array([*(box[:2] + box[2:]) / 2, 1])
                source = self.sources[draw.sources[crop]]
                faces = np.concatenate([source.boxes, source.ignore])
                distance = np.abs((faces[:, :2] + faces[:, 2:]) / 2 - centre).max(1)
                self.assertLess(distance.min(), .05)
                checked += 1
        self.assertGreater(checked, 50)

    def test_faces_that_nobody_could_see_are_ignored(self):
        boxes = np.array([[0, 0, 40, 40], [0, 0, 6, 30], [0, 0, 40, 40], [0, 0, 40, 40], [0, 0, 60, 60.]])
        share = np.array([1, 1, .4, 1, 1])
        labelled = np.array([True, True, True, False, True])
        row = np.array(draws.NOTHING, np.float32)
        self.assertEqual(draws.states_of(boxes, share, labelled, row).tolist(), [1, 0, 0, 0, 1])
        row[draws.MOTION] = 65  # it leaves something of faces of 50 pixels and more
        self.assertEqual(draws.states_of(boxes, share, labelled, row).tolist(), [0, 0, 0, 0, 1])

    def test_covers_hide_about_half_of_a_face(self):
        random = np.random.default_rng(1)
        for _ in range(200):
            x, y, half_x, half_y = draws.covered_part(random)
            across = np.clip([x - half_x, x + half_x], -.5, .5)
            down = np.clip([y - half_y, y + half_y], -.5, .5)
            self.assertTrue(.02 < (across[1] - across[0]) * (down[1] - down[0]) < .6)


class Judging(unittest.TestCase):
    faces = np.array([[0, 0, 20, 20], [100, 0, 120, 20], [200, 0, 210, 10.]])

    def test_faces_and_false_boxes(self):
        """The second box takes the second face. The third box is false, and the fourth one is too small to count. The
        last face is too small to count, but a box on it isn't false."""
        boxes = np.array([[102, 0, 122, 20], [300, 0, 320, 20], [400, 0, 410, 10], [200, 0, 215, 14.]])
        faces, false = recall.matched(boxes, np.array([.9, .8, .7, .6]), self.faces)
        self.assertEqual((faces.tolist(), false.tolist()), ([0, .9], [.8]))

    def test_equal_false_boxes(self):
        found = recall.Found(np.array([.9, .35, .1, 0]), np.array([.8, .4, .3, .05]))
        self.assertEqual(found.false_from(.3), 3)
        level = found.score_with(2, .02)
        self.assertEqual((found.false_from(level), found.recall(level)), (2, .5))
        self.assertEqual(found.score_with(9, .02), .02)

    def test_equal_networks_have_equal_columns(self):
        """The damaged pictures have two false boxes above the level of the clean ones, and half of their faces."""
        found = {"clean": recall.Found(np.array([.9, .35, .1, 0]), np.array([.8, .4, .3, .05])),
                 "dark": recall.Found(np.array([.7, 0]), np.array([.9, .5]))}
        lines = recall.table(found, {"same": found}, .35, .02)
        self.assertEqual(lines[0], "at 2 false boxes in clean pictures (published: score 0.35), recall in %")
        self.assertEqual(" ".join(lines[1].split()), "score published 0.300 same 0.300")
        self.assertEqual(lines[2].split(), ["clean"] + ["50.0", "[50.0]"] * 2)
        self.assertEqual(lines[3].split(), ["dark"] + ["50.0", "[50.0]"] * 2)

    def test_mistakes_are_apart_from_labels(self):
        found = np.array([[0, 0, 20, 20], [300, 0, 320, 20], [400, 0, 420, 20], [500, 0, 506, 6.]])
        mistaken, unlabelled = mistakes.sorted_out(found, np.array([.9, .3, .7, .3]), self.faces)
        self.assertEqual((mistaken.tolist(), unlabelled.tolist()), ([[300, 0, 320, 20]], [[400, 0, 420, 20]]))


class Files(InAFolder):
    def test_packs(self):
        pictures = [pack.Picture("a.jpg", "0--Parade/a.jpg", "photo", 64, 48, boxes=[[1, 2, 30.25, 40]])]
        for name in ("one.tar", "two.tar"):
            pack.write(self.folder / name, pictures, [b"jpeg"], more=[("truth.json", b"{}")])
        self.assertEqual((self.folder / "one.tar").read_bytes(), (self.folder / "two.tar").read_bytes())
        [(picture, jpeg)], others = pack.read(self.folder / "one.tar")
        self.assertEqual((picture.source, picture.width, jpeg), ("0--Parade/a.jpg", 64, b"jpeg"))
        self.assertEqual(others, {"truth.json": b"{}"})
        self.assertEqual((picture.boxes.tolist(), picture.ignore.shape), ([[1, 2, 30.25, 40]], (0, 4)))
        (self.folder / "one.tar").write_bytes(b"x" * 2048)
        with self.assertRaisesRegex(onnx_file.Refused, "one.tar: no pack that prepare has written: "):
            pack.read(self.folder / "one.tar")

    def test_labels(self):
        path = self.folder / "labels.txt"
        path.write_text("# a/b.jpg 64 48\n1 2 3 4.5\n# c.jpg 9 9\n")
        found = labels.read_labels(path)
        self.assertEqual([(one.path, one.width, one.height, one.boxes.tolist()) for one in found],
                         [("a/b.jpg", 64, 48, [[1, 2, 3, 4.5]]), ("c.jpg", 9, 9, [])])
        for text in ("1 2 3 4\n", "# a.jpg 64\n", "# a.jpg 64 48\n1 2 3\n", "# a.jpg 64 48\n3 2 1 4\n"):
            path.write_text(text)
            with self.assertRaisesRegex(onnx_file.Refused, f"^{path}: line [12] is neither"):
                labels.read_labels(path)
        path.write_text("")
        with self.assertRaisesRegex(onnx_file.Refused, "lists no picture"):
            labels.read_labels(path)


@unittest.skipUnless(HAS_TORCH, "PyTorch isn't installed (Debian's python3-torch)")
class WithTorch(InAFolder):
    """Uses crops of 64 pixels and the small model, so that a training takes a second."""

    def setUp(self):
        super().setUp()
        size, draws.SIZE = draws.SIZE, 64
        self.addCleanup(setattr, draws, "SIZE", size)
        self.path = self.folder / "small.onnx"
        self.path.write_bytes(small_model())
        self.store = types.SimpleNamespace(device=torch.device("cpu"), canvas=96)
        self.store.whole = torch.full((4, 3, 96, 96), 60, dtype=torch.uint8)
        self.sources = []
        for number in range(4):  # bright squares play faces
            x, y = 10 + 8 * number, 40 - 6 * number
            self.store.whole[number, :, y:y + 24, x:x + 24] = 220
            self.sources.append(draws.Source(96, 96, np.array([[x, y, x + 24, y + 24.]]), np.zeros((0, 4)),
                                             np.zeros((0, 4)), False))
        self.store.halved = torch.nn.functional.avg_pool2d(self.store.whole.float(), 2).byte()

    def test_crops_show_the_faces_in_their_boxes(self):
        import augment
        checked = 0
        for step in range(6):
            draw = draws.draw(self.sources, 2, step, 4, 0)
            crops = augment.warped(self.store, draw)
            for box, crop in zip(draw.boxes, draw.crops):
                x, y = ((box[:2] + box[2:]) / 2).astype(int)
                self.assertGreater(float(crops[crop, 0, y, x]), 150)
                outside = crops[crop, 0].clone()
                left, top, right, bottom = np.round(box).astype(int) + [-16, -16, 16, 16]
                outside[max(top, 0):bottom, max(left, 0):right] = 0
                self.assertLess(float(outside.max()), 150)
                checked += 1
        self.assertGreater(checked, 10)

    def test_a_cover_hides_its_rectangle_alone(self):
        import augment
        row = np.zeros((1, 17), np.float32)
        row[0, [draws.X, draws.Y, draws.HALF_X, draws.HALF_Y, draws.SOFT, draws.OPAQUE]] = 32, 20, 10, 5, .5, 1
        row[0, draws.RED:draws.BLUE + 1] = 9, 8, 7
        row[0, draws.KIND] = draws.PLAIN
        covered = augment.covered(torch.full((2, 3, 64, 64), 100.), row)
        colours = torch.tensor([9., 8, 7]).view(3, 1, 1)
        expected = torch.full((2, 3, 64, 64), 100.)
        expected[0, :, 15:25, 22:42] = colours
        np.testing.assert_allclose(covered.numpy(), expected.numpy(), atol=1e-3)

    def test_a_motion_smears_along_its_line(self):
        import augment
        point = torch.zeros(1, 3, 64, 64)
        point[:, :, 32, 32] = 1
        smeared = augment.blurred(point, torch.zeros(1), torch.tensor([15.]), torch.zeros(1))[0, 0]
        self.assertAlmostEqual(float(smeared[32].sum()), 1, places=4)
        np.testing.assert_allclose(smeared[32, 27:38].numpy(), 1 / 15, atol=.02)
        self.assertLess(float(smeared[:30].abs().max()), 1e-6)

    def test_damage_like_jpeg_keeps_the_mean(self):
        import augment
        picture = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(4)) * 200
        damaged = augment.jpeg_like(picture, torch.tensor([90., 10.]))
        error = [float((a - b).abs().mean()) for a, b in zip(damaged, picture)]
        self.assertLess(error[0], error[1])
        self.assertLess(abs(float(damaged.mean() - picture.mean())), 4)

    def test_the_heat_has_its_peak_at_the_centre(self):
        from losses import Targets
        draw = types.SimpleNamespace(boxes=np.float32([[8, 16, 40, 48], [0, 0, 8, 8]]), crops=np.array([0, 1]),
                                     states=np.array([draws.FACE, draws.IGNORED]))
        targets = Targets(draw, 2, 16, torch.device("cpu"))
        self.assertEqual(torch.nonzero(targets.heat == 1).tolist(), [[0, 8, 6]])
        # The side is 8 cells, so the radius is 2 and the standard deviation 5 / 6 cells.
        self.assertAlmostEqual(float(targets.heat[0, 8, 7]), math.exp(-.5 / (5 / 6) ** 2), places=5)
        self.assertEqual(float(targets.ignored[1].sum()), 4)
        self.assertEqual(targets.boxes.tolist(), [[2, 4, 10, 12]])

    def training(self, *words):
        from unittest import mock
        train = tools.script("experiments/training/hide/train")
        line = ["train", "none.tar", "--model", str(self.path), "--out", str(self.folder), "--batch", "4",
                "--workers", "0", "--rate", "1e-2", "--warm-up", "2", "--keep", "0", *words]
        with mock.patch.object(sys, "argv", line):
            arguments = train.arguments_given()
        return train, train.Training(arguments, torch.device("cpu"))

    def loss(self, training, network):
        """Returns the loss for crops that aren't trained on."""
        import augment
        from losses import Targets, losses
        draw = draws.draw(self.sources, 99, 0, 16, 0)
        crops = augment.warped(self.store, draw)
        with torch.no_grad():
            outputs = network(crops, logits=True)
            return float(losses(outputs, outputs, draw, Targets(draw, 16, 16, crops.device), 0)[0])

    def test_twenty_steps_lower_the_loss_and_a_training_resumes(self):
        train, training = self.training("--steps", "20")
        before = self.loss(training, training.published)
        for step in range(15):
            training.train_on(self.store, draws.draw(self.sources, 1, step, 4, 1))
        training.keep()
        _, resumed = self.training("--steps", "20")
        resumed.resume()
        self.assertEqual(resumed.step, 15)
        for one in (training, resumed):
            for step in range(15, 20):
                one.train_on(self.store, draws.draw(self.sources, 1, step, 4, 1))
        self.assertLess(self.loss(training, training.averaged), .9 * before)
        for name, values in training.averaged.weights().items():
            np.testing.assert_array_equal(values, resumed.averaged.weights()[name])
        _, other = self.training("--steps", "21")
        with self.assertRaisesRegex(onnx_file.Refused, "belongs to a training with other settings"):
            other.resume()

    def test_mixes(self):
        from network import mixed
        half = mixed({"w": np.float32([1, 2])}, {"w": np.float32([3, 6])}, .25)
        self.assertEqual(half["w"].tolist(), [1.5, 3])

    def test_found_boxes(self):
        """A network that answers with one cell: row 3, column 5, twice as high as wide, a quarter of a cell below the
        middle."""
        from network import detect

        def network(shown):
            heat, sizes, offsets = (torch.zeros(1, n, 16, 16) for n in (1, 2, 2))
            heat[0, 0, 3, 5], offsets[0, 0, 3, 5] = .7, .25
            sizes[0, :, 3, 5] = torch.tensor([math.log(4), math.log(2)])
            return heat, sizes, offsets, None
        found, scores = detect(network, torch.zeros(3, 64, 64), .1)
        np.testing.assert_allclose(found, [[18, 7, 26, 23]], atol=1e-5)
        np.testing.assert_allclose(scores, [.7])


if __name__ == "__main__":
    unittest.main()

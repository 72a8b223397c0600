"""Tests what data/opencv-cuda refuses before it downloads or builds anything."""
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "data" / "opencv-cuda"
USAGE = "opencv-cuda: usage: data/opencv-cuda PREFIX [dnn|chain]\n"


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=30)


class Refused(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refuse(self, *words, reason):
        used = run(*words)
        self.assertEqual((used.returncode, used.stdout, used.stderr), (1, "", reason))

    def test_arguments(self):
        prefix = self.folder / "opencv"
        for words in [(), (prefix, "all"), (prefix, "dnn", "chain"), (prefix, "")]:
            self.refuse(*words, reason=USAGE)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_prefix_that_is_something_else_or_can_not_be_handed_on(self):
        (self.folder / ".made-from").write_text("another OpenCV")
        self.refuse(self.folder, "chain",
                    reason=f"opencv-cuda: {self.folder}: is there already, and not what this would make\n")
        blank = self.folder / "open cv"
        self.refuse(blank, reason=f"opencv-cuda: {blank}: only letters, digits and -_.,+/ please\n")
        self.assertEqual([file.name for file in self.folder.iterdir()], [".made-from"])


if __name__ == "__main__":
    unittest.main()

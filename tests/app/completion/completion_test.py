"""completion_test.py SHELL: types command lines with tabs into a real shell, and checks what facepipe gets.

If the shell isn't installed, the exit code is 77, which ctest shows as skipped.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from terminal import SHELLS, Terminal

SKIPPED = 77
SHELL = sys.argv.pop(1)

NEW_LINE = "new\nline.mp4"
FILES = ("my film.mp4", "it's.mp4", 'say "hi".mp4', "$(touch broken).mp4", "semi;touch broken.mp4", "a:b=c.mp4",
         "back\\slash.mp4", "-dash.mp4", "\u00fcber.mp4", "{1,2}.mp4", NEW_LINE,
         "faces.jsonl", "faces.txt", "out of.csv", "out of.txt", "report.json", "report.html", "un'quoted \"r\".json",
         "tuned.toml", "tuned.txt", "model.onnx", "model.bin", "card.json", "card.png",
         "deep folder/inner.json", "deep folder/inner.txt", "-x.csv")

# (what is typed, the arguments that facepipe gets)
WORDS = [
    ("facepipe hid\tx", ["hide", "x"]),
    ("facepipe model ch\tx", ["model", "check", "x"]),
    ("facepipe pla\tx", ["plan", "x"]),
    ("facepipe plan hi\tx", ["plan", "hide", "x"]),
    ("facepipe plan run --js\t", ["plan", "run", "--json"]),
    ("facepipe plan hide --shape el\t", ["plan", "hide", "--shape", "ellipse"]),
    ("facepipe help hid\t", ["help", "hide"]),
    ("facepipe completion fi\t", ["completion", "fish"]),
    ("facepipe run --detecti\t x", ["run", "--detections", "x"]),
    ("facepipe model check --draf\t x", ["model", "check", "--draft", "x"]),
    ("facepipe verify --tolerate-c\t", ["verify", "--tolerate-cosmetic"]),
    ("facepipe --vers\t", ["--version"]),
    ("facepipe hide --help-a\t", ["hide", "--help-all"]),
    ("facepipe run --progress j\t", ["run", "--progress", "json"]),
    ("facepipe run --progress=j\t", ["run", "--progress=json"]),
    ("facepipe hide --shape el\t", ["hide", "--shape", "ellipse"]),
    ("facepipe hide --style mos\t", ["hide", "--style", "mosaic"]),
    ("facepipe run --lanes a\t", ["run", "--lanes", "auto"]),
    ("facepipe run --draw boxes,sc\t", ["run", "--draw", "boxes,scores"]),
    ("facepipe run --draw=boxes,la\t", ["run", "--draw=boxes,landmarks"]),
    ("facepipe --config x hid\ty", ["--config", "x", "hide", "y"]),
    # What a shell must not offer.
    ("facepipe run --score fa\t", ["run", "--score", "fa"]),
    ("facepipe detect --dra\t", ["detect", "--dra"]),
    ("facepipe doctor fa\t", ["doctor", "fa"]),
    ("facepipe run -- --progr\t", ["run", "--", "--progr"]),
]
NAMES = [
    ("facepipe run my\t", ["run", "my film.mp4"]),
    ("facepipe run it\t", ["run", "it's.mp4"]),
    ("facepipe run say\t", ["run", 'say "hi".mp4']),
    ("facepipe run \\$\t", ["run", "$(touch broken).mp4"]),
    ("facepipe run se\t", ["run", "semi;touch broken.mp4"]),
    ("facepipe run a\t", ["run", "a:b=c.mp4"]),
    ("facepipe run ba\t", ["run", "back\\slash.mp4"]),
    ("facepipe run \u00fcb\t", ["run", "\u00fcber.mp4"]),
    ("facepipe run \\{\t", ["run", "{1,2}.mp4"]),
    ("facepipe run ne\t", ["run", NEW_LINE]),
    ("facepipe run 'my\t", ["run", "my film.mp4"]),
    ('facepipe run "my\t', ["run", "my film.mp4"]),
    ('facepipe run "say\t', ["run", 'say "hi".mp4']),
    ("facepipe run -- -d\t", ["run", "--", "-dash.mp4"]),
    ("facepipe run my\tfaces.t\t", ["run", "my film.mp4", "faces.txt"]),
    ("facepipe verify my\tit\t", ["verify", "my film.mp4", "it's.mp4"]),
]
# Bash begins a new word behind : and =. fish offers all files behind them.
if SHELL == "bash":
    NAMES += [("facepipe run a:\t", ["run", "a:b=c.mp4"]), ("facepipe run a:b=\t", ["run", "a:b=c.mp4"])]
ENDINGS = [
    ("facepipe run --detections fa\t", ["run", "--detections", "faces.jsonl"]),
    ("facepipe run --detections=fa\t", ["run", "--detections=faces.jsonl"]),
    ("facepipe run --latency ou\t", ["run", "--latency", "out of.csv"]),
    ("facepipe run --latency=ou\t", ["run", "--latency=out of.csv"]),
    ("facepipe run --latency fa\t", ["run", "--latency", "fa"]),
    ("facepipe run --report un\t", ["run", "--report", "un'quoted \"r\".json"]),
    ("facepipe run --config tu\t", ["run", "--config", "tuned.toml"]),
    ("facepipe doctor --model mo\t", ["doctor", "--model", "model.onnx"]),
    ("facepipe model check mo\t", ["model", "check", "model.onnx"]),
    ("facepipe model check x --card ca\t", ["model", "check", "x", "--card", "card.json"]),
    ("facepipe hide --tracks de\tin\t", ["hide", "--tracks", "deep folder/inner.json"]),
    ("facepipe hide --tracks 'de\tin\t", ["hide", "--tracks", "deep folder/inner.json"]),
    ("facepipe hide --tracks ~/kept\t", ["hide", "--tracks", "HOME/kept it.json"]),
    ("facepipe verify a b --thumbnails de\tx", ["verify", "a", "b", "--thumbnails", "deep folder/x"]),
    ("facepipe hide -o my\t", ["hide", "-o", "my film.mp4"]),
]


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.home = self.folder / "home"
        self.work = self.folder / "work"
        self.home.mkdir()
        for name in FILES:
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text("")
        (self.home / "kept it.json").write_text("")
        (self.home / "kept it.txt").write_text("")
        script = subprocess.run([os.environ["FACEPIPE_PROGRAM"], "completion", SHELL], capture_output=True, text=True,
                                check=True).stdout
        self.terminal = Terminal(SHELL, script, self.home, self.work)
        self.addCleanup(self.terminal.close)

    def check(self, cases):
        for typed, expected in cases:
            with self.subTest(typed):
                self.assertEqual(self.terminal.arguments_of(typed),
                                 [word.replace("HOME", str(self.home)) for word in expected])
        self.assertFalse((self.work / "broken").exists(), "a file's name was run as a command")

    def test_completes_commands_options_and_values(self):
        self.check(WORDS)

    def test_completes_names_of_files_whatever_they_contain(self):
        self.check(NAMES)

    def test_completes_files_of_the_right_ending(self):
        self.check(ENDINGS)


if __name__ == "__main__":
    if shutil.which(SHELL) is None:
        print(f"There is no {SHELL} here, so this test is skipped", file=sys.stderr)
        sys.exit(SKIPPED)
    assert SHELL in SHELLS
    unittest.main()

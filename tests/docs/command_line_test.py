"""command_line_test.py SCRIPT: checks what facepipe prints about its command line. It also checks the files that SCRIPT,
cmake/command_line_files.cmake, writes for packages: man pages, scripts for shells, and options.json.

If mandoc or man isn't installed, the checks that need it are skipped.
"""
import json
import os
import pathlib
import pty
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
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "old").write_text("of an earlier version")
        written = run("cmake", f"-DPROGRAM={program()}", f"-DTO={cls.folder}", "-P", SCRIPT,
                      SOURCE_DATE_EPOCH="1767312000")
        assert written.returncode == 0, written.stderr
        cls.pages = sorted((cls.folder / "man1").iterdir())

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
            found = run("mandoc", "-Tlint", "-Wwarning", page)
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


def run_on_terminal(*command, **environment):
    """Returns what a command prints on a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                          env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment}):
        os.close(theirs)
        printed = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the command has closed the terminal
                part = b""
            if not part:
                break
            printed += part
    os.close(ours)
    return printed.decode().replace("\r\n", "\n")


class Help(unittest.TestCase):
    def test_alone_is_short_and_an_error(self):
        alone = run(program())
        self.assertEqual([alone.returncode, alone.stdout], [2, ""])
        self.assertTrue(alone.stderr.startswith("facepipe finds faces in video"), alone.stderr)
        self.assertIn("facepipe run clip.mp4", alone.stderr)

    def test_has_colours_only_on_terminals(self):
        for arguments in ([], ["help"], ["hide", "--help"], ["help", "model"]):
            plain = run(program(), *arguments)
            text = plain.stdout + plain.stderr
            self.assertNotIn("\x1b", text)
            coloured = run_on_terminal(program(), *arguments)
            self.assertIn("\x1b[1m", coloured)
            self.assertEqual(coloured.replace("\x1b[1m", "").replace("\x1b[0m", ""), text)
            self.assertEqual(run_on_terminal(program(), *arguments, NO_COLOR="1"), text)
            self.assertEqual(run_on_terminal(program(), *arguments, TERM="dumb"), text)

    def test_names_the_nearest_in_one_line(self):
        for arguments, reason in ((["hidee"], "hidee: unknown command; did you mean hide?"),
                                  (["run", "x", "--scor", "1"], "--scor: unknown option; did you mean --score?"),
                                  (["run", "x", "--draw", "box"], "did you mean boxes?")):
            refused = run(program(), *arguments)
            self.assertEqual([refused.returncode, refused.stdout, refused.stderr.count("\n")], [2, "", 1])
            self.assertIn(reason, refused.stderr)

    def test_can_be_read_by_nobody(self):
        """A reader that stops early, such as head, is not an error."""
        ended = subprocess.run(["bash", "-o", "pipefail", "-c", '"$0" help run | head -n 1 >/dev/null', program()],
                               check=False, stderr=subprocess.PIPE)
        self.assertEqual([ended.returncode, ended.stderr], [0, b""])


if __name__ == "__main__":
    unittest.main()

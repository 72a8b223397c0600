"""Runs ./dev experiments --quick for one paper, once for all tests of a class."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["FACEPIPE_SOURCE"])
EXPERIMENTS = SOURCE / "experiments"


def built(name):
    """Returns a program's path, or "" if this build doesn't have the program."""
    return os.environ.get(f"FACEPIPE_{name.upper()}", "")


def program_in(folder, text, name="program"):
    """Returns a program with this text, for example a script of the shell."""
    program = pathlib.Path(folder) / name
    program.write_text(text)
    program.chmod(0o755)
    return program


class QuickRun:
    """Test classes inherit this class besides unittest.TestCase. It has the run's `inputs` and `folder`, its `facts`
    and its `report`."""

    PAPER = PACKAGE = ""
    OPTIONS = ()  # additional options
    PROGRAMS = ()  # names of programs of build/bench

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.inputs = pathlib.Path(scratch.name)
        cls.folder = cls.inputs / "results"
        programs = [word for name in cls.PROGRAMS
                    for word in (f"--{name.replace('_', '-')}", built(name) or "not-built")]
        subprocess.run([sys.executable, "-B", EXPERIMENTS / "measure.py", "--paper", cls.PAPER, "--quick", *cls.OPTIONS,
                        "--facepipe", os.environ["FACEPIPE_PROGRAM"], *programs, "--inputs", cls.inputs,
                        "--to", cls.folder], check=True)
        subprocess.run([sys.executable, "-B", EXPERIMENTS / "draw.py", cls.folder, "--text"], check=True)
        cls.facts = json.loads((cls.folder / cls.PACKAGE / "facts.json").read_text())
        cls.report = (cls.folder / "REPORT.md").read_text()

    def rows(self, table):
        with open(self.folder / self.PACKAGE / f"{table}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

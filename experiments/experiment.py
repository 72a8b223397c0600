"""Runs one paper's experiments. Holds the options, the results so far, and why some parts couldn't be measured."""
import importlib
import sys

import csv_tables
import facts
import measurement


NO_CUDA = "no GPU here, or the CPU was asked for"


def why_not_built(*programs):
    """Returns a sentence about the first program whose file is missing, or None if all exist."""
    return next((f"{measurement.shown(program)} is not built" for program in programs if not program.exists()), None)


def missing_module(*names):
    """Returns a sentence about the first of these modules that this Python doesn't have, or None."""
    try:
        for name in names:
            importlib.import_module(name)
    except ImportError as missing:
        return f"this Python has no {missing.name}"
    return None


class Experiment:
    """Each paper has its own class, with a method for each part. The method returns why the part couldn't be measured.

    A part named "nms-cpu" is the method nms_cpu.
    """

    TABLES = {}  # {table: class of its rows}

    def __init__(self, arguments, folder, scratch):
        """The tables are written into `folder`. `scratch` is for temporary files."""
        self.arguments, self.to, self.folder = arguments, folder, scratch
        self.facts = facts.read(folder)
        self.report = None  # facepipe's report on the last input

    def prepare(self, parts):
        """Makes the inputs that these parts need."""

    def part(self, name):
        """Runs one part. If the part can't run or fails, keeps the reason."""
        print(f"Measuring {name}", file=sys.stderr)
        try:
            missing = getattr(self, name.replace("-", "_"))()
        except SystemExit as failure:  # a program failed; its message is the reason
            missing = str(failure).strip()
        if missing:
            self.facts["missing"][name] = missing
            self.facts["parts"].pop(name, None)
        else:
            self.facts["missing"].pop(name, None)
            self.facts["parts"][name] = facts.of_part(self.arguments, self.repeats(name), self.report)
        facts.write(self.to, self.facts)

    def why_no_cuda(self, *programs):
        """Returns the reason why a part that needs the GPU and these programs can't run, or None."""
        if not self.arguments.cuda:
            return NO_CUDA
        return why_not_built(*programs)

    def repeats(self, part):
        """Returns how often a part's times were measured."""
        return self.arguments.repeats

    def add(self, table, rows, replaces=lambda row: True):
        """Adds rows to a table. Removes the earlier rows for which replaces(row) is true."""
        kind = self.TABLES[table]
        kept = [row for row in csv_tables.read(self.to, table, kind) if not replaces(row)]
        csv_tables.write(self.to, table, kind, kept + rows)

    def note(self, name, failures):
        """Notes the failures in a part that otherwise succeeded."""
        self.facts["missing"].pop(name, None)
        if failures:
            self.facts["missing"][name] = "; ".join(failures)

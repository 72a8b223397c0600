"""A run of one paper's experiments: what it was given, what it has found so far, and what it couldn't."""
import sys

import csv_tables
import facts


class Experiment:
    """Each paper has a class of its own, with a method for each part that returns why it couldn't be measured.

    A part named "nms-cpu" is the method nms_cpu.
    """

    TABLES = {}  # {table: class of its rows}

    def __init__(self, arguments, folder, scratch):
        """`folder`: of the tables; `scratch`: for files that nobody needs afterwards."""
        self.arguments, self.to, self.folder = arguments, folder, scratch
        self.facts = facts.read(folder)
        self.report = None  # facepipe's, of the last input that it ran on

    def prepare(self, parts):
        """Makes what those parts are measured on."""

    def part(self, name):
        """Runs one part; why it ran not, or failed, is kept."""
        print(f"Measuring {name}", file=sys.stderr)
        try:
            missing = getattr(self, name.replace("-", "_"))()
        except SystemExit as failure:  # a program that failed; what it told is the reason
            missing = str(failure).strip()
        if missing:
            self.facts["missing"][name] = missing
            self.facts["parts"].pop(name, None)
        else:
            self.facts["missing"].pop(name, None)
            self.facts["parts"][name] = facts.of_part(self.arguments, self.repeats(name), self.report)
        facts.write(self.to, self.facts)

    def repeats(self, part):
        """How often a part's times were taken."""
        return self.arguments.repeats

    def add(self, table, rows, replaces=lambda row: True):
        """Rows of a part take the place of those that it had written before."""
        kind = self.TABLES[table]
        kept = [row for row in csv_tables.read(self.to, table, kind) if not replaces(row)]
        csv_tables.write(self.to, table, kind, kept + rows)

    def note(self, name, failures):
        """What of a part, which otherwise succeeded, did not."""
        self.facts["missing"].pop(name, None)
        if failures:
            self.facts["missing"][name] = "; ".join(failures)

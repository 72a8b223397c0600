"""What was measured, read back from tables and facts, with the look-ups that figures and report share."""
import math
import statistics
from dataclasses import dataclass, field

import facts
import tables


@dataclass
class Results:
    facts: dict
    growing: list = field(default_factory=list)
    sizes: list = field(default_factory=list)
    cores: list = field(default_factory=list)
    reduce: list = field(default_factory=list)
    pipeline: list = field(default_factory=list)
    mosaic: list = field(default_factory=list)
    share: list = field(default_factory=list)
    accuracy: list = field(default_factory=list)
    differences: list = field(default_factory=list)

    def label(self, name):
        """An input as tables and figures name it: a stand-in always as one."""
        return self.facts["inputs"].get(name, {}).get("label", name)

    def device(self, part):
        """What a part ran on, in short."""
        gpu = self.facts["parts"].get(part, {}).get("gpu", "none").split(",")[0]
        return "one CPU" if gpu == "none" else gpu

    def names(self, table):
        return list(dict.fromkeys(row.who for row in getattr(self, table)))


def read(folder):
    return Results(facts.read(folder), **{name: tables.read(folder, name) for name in tables.TABLES})


def add_part(found, part, folder):
    """Takes a part that `found` lacks from another folder, measured on another machine perhaps."""
    other = read(folder)
    if part in found.facts["parts"] or part not in other.facts["parts"]:
        return
    found.facts["parts"][part] = other.facts["parts"][part]
    found.facts["missing"].pop(part, None)
    for name, of_part in tables.PARTS_OF_TABLES.items():
        if of_part == part:
            setattr(found, name, getattr(other, name))


def of(rows, who, **wanted):
    """The rows of one `who` whose fields have the values wanted."""
    return [row for row in rows if row.who == who
            and all(getattr(row, name) == value for name, value in wanted.items())]


def series(rows, names):
    """{name: rows} of those names that have some."""
    found = {name: of(rows, name) for name in dict.fromkeys(names)}
    return {name: rows for name, rows in found.items() if rows}


def growth(rows):
    """How time grows with the number of candidates: the exponent of the power law that fits best."""
    points = [(math.log(row.candidates), math.log(row.median_us)) for row in rows if row.candidates > 1]
    if len({x for x, _ in points}) < 2:
        return None
    return statistics.linear_regression(*zip(*points)).slope

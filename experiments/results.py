"""What was measured, read back from tables and facts, with the look-ups that figures and reports share."""
import csv_tables
import facts


class Results:
    """One paper's tables, each an attribute with its rows, and its facts."""

    def __init__(self, known_facts, kinds, rows):
        """`kinds`: {table: class of its rows}; `rows`: {table: rows} for tables that have rows."""
        self.facts = known_facts
        self.tables = list(kinds)
        for name in kinds:
            setattr(self, name, rows.get(name, []))

    def label(self, name):
        """Returns an input's name for tables and figures. A stand-in is always named as one."""
        return self.facts["inputs"].get(name, {}).get("label", name)

    def device(self, part):
        """Returns what a part ran on, in short."""
        gpu = self.facts["parts"].get(part, {}).get("gpu", "none").split(",")[0]
        return "one CPU" if gpu == "none" else gpu

    def names(self, table):
        return list(dict.fromkeys(row.who for row in getattr(self, table)))


def read(folder, kinds):
    return Results(facts.read(folder), kinds,
                   {name: csv_tables.read(folder, name, kind) for name, kind in kinds.items()})


def add_parts(found, other, parts_of_tables):
    """Takes what `found` lacks from another machine's results, if a part has tables of its own.

    `parts_of_tables`: {table: part}.
    """
    for part in set(other.facts["parts"]) & set(parts_of_tables.values()) - set(found.facts["parts"]):
        found.facts["parts"][part] = other.facts["parts"][part]
        found.facts["missing"].pop(part, None)
        for name, of_part in parts_of_tables.items():
            if of_part == part:
                setattr(found, name, getattr(other, name))


def where(rows, **wanted):
    """Returns the rows whose fields have the wanted values."""
    return [row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())]


def of(rows, who, **wanted):
    """Returns the rows of one `who` whose other fields have the wanted values."""
    return where(rows, who=who, **wanted)


def series(rows, names):
    """Returns {name: rows} for those names that have rows."""
    found = {name: of(rows, name) for name in dict.fromkeys(names)}
    return {name: rows for name, rows in found.items() if rows}

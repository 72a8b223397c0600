"""Writes and reads tables as CSV files. A table has a file, and a row has a line. Rows are dataclasses."""
import csv
import statistics
from dataclasses import asdict, fields


def spread(values):
    """Returns (median, least, greatest)."""
    return statistics.median(values), min(values), max(values)


def write(folder, name, kind, rows):
    """Writes a table with rows of the class `kind`. Replaces an existing table."""
    with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        lines = csv.DictWriter(file, [field.name for field in fields(kind)], lineterminator="\n")
        lines.writeheader()
        for row in rows:
            lines.writerow({key: shown(value) for key, value in asdict(row).items()})


def shown(value):
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value


def read(folder, name, kind):
    """Returns the table's rows, or [] if there is no such table."""
    path = folder / f"{name}.csv"
    if not path.exists():
        return []
    kinds = {field.name: field.type for field in fields(kind)}
    with open(path, newline="", encoding="utf-8") as file:
        return [kind(**{key: parsed(kinds[key], text) for key, text in row.items()})
                for row in csv.DictReader(file)]


def parsed(kind, text):
    """Parses a cell. `kind` is str, int, float, int """
    if kind in (int | None, float | None):
        return (int if kind == int | None else float)(text) if text else None
    return kind(text)

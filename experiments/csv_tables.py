"""The tables that measuring writes and drawing reads: a CSV file for each, a line for each row, rows as dataclasses."""
import csv
import statistics
from dataclasses import asdict, fields


def spread(values):
    """Returns (median, least, greatest)."""
    return statistics.median(values), min(values), max(values)


def write(folder, name, kind, rows):
    """Writes rows of the class `kind`, and replaces what the table held before."""
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
    """Returns the table's rows; none if it was not measured."""
    path = folder / f"{name}.csv"
    if not path.exists():
        return []
    kinds = {field.name: field.type for field in fields(kind)}
    with open(path, newline="", encoding="utf-8") as file:
        return [kind(**{key: parsed(kinds[key], text) for key, text in row.items()})
                for row in csv.DictReader(file)]


def parsed(kind, text):
    """Parses a cell of the types str, int and float, or of one of these or None. None is an empty cell."""
    if kind in (int | None, float | None):
        return (int if kind == int | None else float)(text) if text else None
    return kind(text)

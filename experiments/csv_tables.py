"""The tables that measuring writes and drawing reads: a CSV file each, a line a row, rows as dataclasses."""
import csv
import statistics
from dataclasses import asdict, fields


def spread(values):
    """(median, least, greatest)."""
    return statistics.median(values), min(values), max(values)


def write(folder, name, kind, rows):
    """Rows of the class `kind`; what the table held before is replaced."""
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
    """The table's rows; none where it was not measured."""
    path = folder / f"{name}.csv"
    if not path.exists():
        return []
    kinds = {field.name: field.type for field in fields(kind)}
    with open(path, newline="", encoding="utf-8") as file:
        return [kind(**{key: parsed(kinds[key], text) for key, text in row.items()})
                for row in csv.DictReader(file)]


def parsed(kind, text):
    """Of the types str, int and float; these or None, which is an empty cell."""
    if kind in (int | None, float | None):
        return (int if kind == int | None else float)(text) if text else None
    return kind(text)

#!/usr/bin/env python3
"""Reports the results of measure.py: draws figures as PNG, and writes REPORT.md. Needs matplotlib.

Without matplotlib, or with --text, the report has only tables, and says so.
"""
import argparse
import importlib
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))

import measurement
import report
import results

# {paper: its package}. measure.py explains what a package contains.
PAPERS = {"000": "nms", "001": "nms", "002": "nms", "003": "viola_jones", "004": "acf"}


def draw(folder, report_folder, with_figures=True, also=(), beside=()):
    """Draws the tables of a folder. Each paper's figures go into the folder figures beside its tables.

    `also` are folders of runs on other machines, for parts that are missing in the tables. `beside` are folders of runs
    on other inputs: the report compares its verdicts with theirs.
    """
    sections = []
    for package in dict.fromkeys(PAPERS.values()):
        tables = importlib.import_module(f"{package}.tables")
        found = results.read(folder / package, tables.TABLES)
        for other in also:
            results.add_parts(found, results.read(other / package, tables.TABLES), tables.PARTS_OF_TABLES)
        if not found.facts["parts"] and not found.facts["missing"]:
            continue
        captions = draw_figures(package, found, folder / package / "figures") if with_figures else {}
        others = [results.read(other / package, tables.TABLES) for other in beside if (other / package).exists()]
        sections.append(importlib.import_module(f"{package}.report").section(
            found, captions, os.path.relpath(folder / package, report_folder), others))
    if not sections:
        sys.exit(f"draw.py: {folder} holds nothing that was measured")
    report.write(report_folder, sections)
    print(f"Report: {report_folder / 'REPORT.md'}")


def draw_figures(package, found, folder):
    """Draws the figures. Returns {figure: caption} for those that were drawn."""
    try:
        import plots
    except ModuleNotFoundError as missing:
        print(f"draw.py: this Python has no {missing.name}: tables alone", file=sys.stderr)
        found.facts["missing"]["figures"] = f"this Python had no {missing.name}"
        return {}
    return plots.draw_all(importlib.import_module(f"{package}.figures").FIGURES, found, folder)


def main():
    generated = measurement.REPOSITORY / "data" / "generated" / "experiments" / "results"
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("tables", type=pathlib.Path, nargs="?", default=generated,
                         help="folder that measure.py wrote (default: %(default)s)")
    options.add_argument("--report", type=pathlib.Path, metavar="FOLDER",
                         help="for REPORT.md (default: the tables')")
    options.add_argument("--also", type=pathlib.Path, metavar="FOLDER", action="append", default=[],
                         help="take from another folder the parts that the tables lack; may be repeated")
    options.add_argument("--beside", type=pathlib.Path, metavar="FOLDER", action="append", default=[],
                         help="compare the verdicts with those of a run on other inputs; may be repeated")
    options.add_argument("--text", action="store_true", help="no figures")
    arguments = options.parse_args()
    draw(arguments.tables, arguments.report or arguments.tables, not arguments.text, arguments.also,
         arguments.beside)


if __name__ == "__main__":
    main()

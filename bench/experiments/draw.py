#!/usr/bin/env python3
"""Draws what measure.py has written: figures as SVG and PNG, and REPORT.md. Needs matplotlib.

Without it, or with --text, the report has tables alone, and says so.
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))  # bench/

import measurement
import report
import results


def draw(folder, report_folder, with_figures=True, accuracy=None):
    """Of the tables in a folder; figures go into the folder figures beside them."""
    found = results.read(folder)
    if accuracy:
        results.add_part(found, "accuracy", accuracy)
    if not found.facts["parts"]:
        sys.exit(f"draw.py: {folder} holds nothing that was measured")
    figures_folder = folder / "figures"
    captions = {}
    if with_figures:
        try:
            import figures
        except ModuleNotFoundError as missing:
            print(f"draw.py: this Python has no {missing.name}: tables alone", file=sys.stderr)
            found.facts["missing"]["figures"] = f"this Python had no {missing.name}"
        else:
            captions = figures.draw_all(found, figures_folder)
    report.write(found, captions, report_folder, os.path.relpath(folder, report_folder))
    print(f"Report: {report_folder / 'REPORT.md'}")


def main():
    generated = measurement.REPOSITORY / "data" / "generated" / "experiments" / "results"
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("tables", type=pathlib.Path, nargs="?", default=generated,
                         help="folder that measure.py wrote (default: %(default)s)")
    options.add_argument("--report", type=pathlib.Path, metavar="FOLDER",
                         help="for REPORT.md (default: the tables')")
    options.add_argument("--accuracy", type=pathlib.Path, metavar="FOLDER",
                         help="take Table 7 from another folder, where the tables lack it")
    options.add_argument("--text", action="store_true", help="no figures")
    arguments = options.parse_args()
    draw(arguments.tables, arguments.report or arguments.tables, not arguments.text,
         arguments.accuracy)


if __name__ == "__main__":
    main()

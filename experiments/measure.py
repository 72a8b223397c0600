#!/usr/bin/env python3
"""Repeats the papers' experiments on this machine: writes tables as CSV, and facts.json.

The script needs our programs, FFmpeg if inputs must still be made, and Python's standard library. The accuracy also
needs numpy and scipy. draw.py makes figures and the report from the results, here (--draw) or on another machine. A
part that can't be measured here is left out, and the reason is kept. A run that was cut off goes on with --resume.

Papers: 000 to 002, suppression (Oro et al. 2016, 2020; R-CNN's bitmask); 003, Viola-Jones (Nguyen et al. 2013); 004,
channel features (Van Ranst et al.).
"""
import importlib
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))

import draw
import facts
import measurement

# Each paper's package has the modules
#   measuring  PARTS, the parts' names in the order in which they run; add_options(options); derive_defaults(arguments);
#              class Measuring, an Experiment (experiment.py)
#   tables     TABLES, {table: class of its rows}; PARTS_OF_TABLES, {table: part} for tables that one part fills alone
#   figures    FIGURES, a list of functions for plots.draw_all()
#   report     section(results, captions, tables, beside), which returns the paper's section of REPORT.md
# Its tables, inputs and figures are in folders with the package's name.


def measuring_of(package):
    return importlib.import_module(f"{package}.measuring")


def arguments_given(words=None):
    options = measurement.parser(__doc__)
    options.add_argument("--paper", default=",".join(draw.PAPERS), metavar="NUMBERS",
                         help="papers, by their numbers (default: %(default)s)")
    options.add_argument("--only", metavar="PARTS", help="parts (default: all of the papers')")
    options.add_argument("--to", type=pathlib.Path, metavar="FOLDER",
                         help="for the tables (default: results in the inputs' folder)")
    options.add_argument("--inputs", type=pathlib.Path, metavar="FOLDER",
                         help="inputs made before, or to be made (default: data/generated/experiments)")
    options.add_argument("--wider", type=pathlib.Path, metavar="FOLDER",
                         help="WIDER FACE: images/EVENT/IMAGE.jpg, and wider_*_val.mat or truth.json "
                              "(bench/wider_truth.py) (default: none)")
    options.add_argument("--device", default="auto", help="as facepipe's (default: auto)")
    options.add_argument("--repeats", type=int, default=3, help="default: 3")
    options.add_argument("--replays", type=int, default=50,
                         help="calls timed on the GPU, of which a repeat's time is the median (default: 50)")
    options.add_argument("--draw", action="store_true", help="figures and report, too (needs matplotlib)")
    options.add_argument("--quick", action="store_true",
                         help="small inputs, for tests: on the CPU, unless --device names another device")
    options.add_argument("--resume", action="store_true",
                         help="leave out the parts that the tables' folder has already")
    packages = dict.fromkeys(draw.PAPERS.values())
    for package in packages:
        measuring_of(package).add_options(options.add_argument_group(package))
    arguments = options.parse_args(words)
    unknown = set(arguments.paper.split(",")) - set(draw.PAPERS)
    if unknown:
        options.error(f"--paper: not known: {', '.join(sorted(unknown))}")
    arguments.packages = list(dict.fromkeys(draw.PAPERS[number] for number in arguments.paper.split(",")))
    parts = {part for package in arguments.packages for part in measuring_of(package).PARTS}
    arguments.only = arguments.only.split(",") if arguments.only else sorted(parts)
    unknown = set(arguments.only) - parts
    if unknown:
        options.error(f"--only: not known: {', '.join(sorted(unknown))}")
    return with_derived_defaults(arguments)


def with_derived_defaults(arguments):
    """Sets options whose defaults depend on others, and makes facepipe's path absolute."""
    arguments.facepipe = pathlib.Path(arguments.facepipe).resolve()
    if arguments.quick and arguments.device == "auto":
        arguments.device = "cpu"
    name = "experiments-quick" if arguments.quick else "experiments"
    generated = measurement.REPOSITORY / "data" / "generated"
    arguments.inputs = (arguments.inputs or generated / name).resolve()
    arguments.to = arguments.to or arguments.inputs / "results"
    arguments.cuda = facts.has_gpu(arguments)
    for package in arguments.packages:
        measuring_of(package).derive_defaults(arguments)
    return arguments


def measure(package, arguments):
    """Measures one paper's experiments into a folder with its package's name."""
    measuring = measuring_of(package)
    folder = arguments.to / package
    done = facts.read(folder)["parts"] if arguments.resume else {}
    parts = [part for part in measuring.PARTS if part in arguments.only and part not in done]
    if not parts:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        experiment = measuring.Measuring(arguments, folder, pathlib.Path(scratch))
        experiment.prepare(parts)
        for part in parts:
            experiment.part(part)


def main():
    arguments = arguments_given()
    for package in arguments.packages:
        measure(package, arguments)
    print(f"Tables: {arguments.to}")
    if arguments.draw:
        draw.draw(arguments.to, arguments.to)


if __name__ == "__main__":
    main()

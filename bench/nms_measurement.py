"""Has code for all measurements of suppression: options, sets, timings, and torchvision."""
import pathlib
import statistics
from dataclasses import dataclass

import measurement

BYTES_A_CANDIDATE = 20  # see nms_files.h


@dataclass
class Timing:
    """Holds the times of a measurement: each is the time of one call, or the mean of several calls."""

    microseconds: list
    kept: int

    def median(self):
        return statistics.median(self.microseconds)

    def shown(self, width):
        """Returns text: the median, padded to `width` characters, and the quartiles."""
        low, _, high = statistics.quantiles(self.microseconds, n=4)
        return f"{self.median():>{width}.1f} ({low:.1f}-{high:.1f})"


def parser(description, program):
    """Returns the option parser of a measurement that runs `program` of build/bench."""
    options = measurement.parser(description)
    measurement.add_program(options, program, "program")
    options.add_argument("--boxes", type=pathlib.Path, nargs="*", default=[], metavar="BOXES.f32",
                         help="real candidates, too: rows of five little-endian float32, "
                              "x1 y1 x2 y2 score")
    options.add_argument("--threshold", type=float, default=0.3, help="for --boxes (default: 0.3)")
    return options


def write_list(arguments, folder, *columns):
    """Writes a list of sets for the program: first the sets that the program makes, then the files of --boxes.

    `columns` are the columns of the program's lists between name and threshold. Returns the list's lines and its file.
    """
    lines = measurement.run([arguments.program, "write", folder]).output.splitlines()
    for file in arguments.boxes:
        count = file.stat().st_size // BYTES_A_CANDIDATE
        columns_of_file = [f"{file.stem} {count}", *columns, str(arguments.threshold), str(file)]
        lines.append("\t".join(columns_of_file))
    list_file = pathlib.Path(folder) / "list"
    list_file.write_text("\n".join(lines) + "\n")
    return lines, list_file


def load_torch():
    """Returns the modules numpy, torch and torchvision, or None if one of them isn't installed."""
    try:
        import numpy
        import torch
        import torchvision
    except ImportError:
        return None
    return numpy, torch, torchvision


def boxes_and_scores(modules, file, device):
    """Returns a file's candidates as two tensors."""
    numpy, torch, _ = modules
    rows = torch.from_numpy(numpy.fromfile(file, "<f4").reshape(-1, 5)).to(device)
    return rows[:, :4].contiguous(), rows[:, 4].contiguous()

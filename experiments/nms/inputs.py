"""Makes the inputs: crowd, mosaic and growing pictures, which are the papers' own or stand-ins.

The papers' inputs are made of files that the user names, and stand-ins of the demo photo. Existing files are not made
again, so a machine without the tools can be given all of them.
"""
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import measurement

SCRIPTS = measurement.REPOSITORY / "experiments" / "inputs"
PHOTO = measurement.REPOSITORY / "data" / "fetched" / "demo" / "city.jpg"
CROWD_SCORE, GROUP_SCORE = "0.4", "0.25"
CLIP_RATE = 50  # frames a second of crowd and mosaic


@dataclass
class Input:
    name: str  # crowd, mosaic or growing
    file: Path
    label: str  # for tables and figures
    stand_in: bool
    score: str  # candidates have higher scores

    def facts(self):
        return {**asdict(self), "file": self.file.name}


def make(arguments, folder):
    """Returns {name: Input} of a folder. Makes those that don't exist."""
    folder.mkdir(parents=True, exist_ok=True)
    crowd, crowd_label = crowd_clip(arguments, folder)
    stand_in = arguments.crowd_run is None
    prefix = "stand_in_" if stand_in else "crowd_run_"
    mosaic = made(folder / f"{prefix}mosaic.mp4", lambda file: [SCRIPTS / "mosaic", crowd, file])
    growing = growing_clip(arguments, folder)
    everything = [
        Input("crowd", crowd, crowd_label, stand_in, arguments.crowd_score),
        Input("mosaic", mosaic, "stand-in for mosaic" if stand_in else "mosaic of crowd_run", stand_in,
              arguments.crowd_score),
        Input("growing", growing,
              "stand-in for oscars" if arguments.group is None else f"group photo {arguments.group.name}",
              arguments.group is None, arguments.group_score)]
    return {one.name: one for one in everything}


def limit(arguments):
    """Returns facepipe's options for the wanted frames of crowd and mosaic."""
    return ["--end", str(arguments.frames / CLIP_RATE)] if arguments.frames else []


def made(file, command):
    if not file.exists():
        print(f"Making {file.name}", file=sys.stderr)
        measurement.run(command(file))
    return file


def stand_in(arguments, folder, name):
    size = ["small"] if arguments.quick else []
    return made(folder / f"stand_in_{name}", lambda file: [SCRIPTS / "stand-ins", PHOTO, folder, *size])


def crowd_clip(arguments, folder):
    if arguments.crowd_run:
        return arguments.crowd_run, "crowd_run"
    return stand_in(arguments, folder, "crowd.mp4"), "stand-in for crowd_run"


def growing_clip(arguments, folder):
    """Makes a clip with a picture for each frame: first all faces are covered, then one more is uncovered each time."""
    if arguments.group:
        picture = lambda: arguments.group
        file = folder / f"{arguments.group.stem}_uncovered.mp4"
    else:
        picture = lambda: stand_in(arguments, folder, "group.jpg")
        file = folder / "stand_in_uncovered.mp4"
    return made(file, lambda file: [SCRIPTS / "cover-faces", picture(), file, "--facepipe", arguments.facepipe,
                                    "--score", arguments.group_score, "--device", arguments.device])

"""Makes the inputs: crowd, mosaic and growing pictures.

They are made from the papers' files, which the user names, or else from the demo photo. Existing files aren't made
again, so one can copy all inputs to a machine that doesn't have the tools.
"""
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import ffmpeg
import measurement

SCRIPTS = measurement.REPOSITORY / "experiments" / "inputs"
CONFIGS = measurement.REPOSITORY / "configs"
PHOTO = measurement.REPOSITORY / "data" / "fetched" / "demo" / "city.jpg"
CROWD_SCORE, GROUP_SCORE = "0.4", "0.25"
CLIP_RATE = 50  # frames a second of crowd and mosaic


@dataclass
class Input:
    name: str  # crowd, mosaic or growing
    file: Path
    label: str  # for tables and figures
    stand_in: bool
    score: str  # the score threshold: candidates have higher scores

    def config(self):
        """Returns the options file that selects the papers' suppression for this input."""
        return CONFIGS / {"crowd": "crowd_run.toml", "mosaic": "mosaic.toml", "growing": "oro2020.toml"}[self.name]

    def facts(self):
        return {**asdict(self), "file": self.file.name}


def make(arguments, folder):
    """Returns {name: Input}. Makes the files that don't exist in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    crowd, crowd_label = crowd_clip(arguments, folder)
    stand_in = arguments.crowd_run is None
    prefix = "stand_in_" if stand_in else f"{arguments.crowd_run.stem}_"
    mosaic = made(folder / f"{prefix}mosaic.mp4", lambda file: [SCRIPTS / "mosaic", crowd, file])
    growing = growing_clip(arguments, folder)
    everything = [
        Input("crowd", crowd, crowd_label, stand_in, arguments.crowd_score),
        Input("mosaic", mosaic, "stand-in for mosaic" if stand_in else f"mosaic of {crowd_label}", stand_in,
              arguments.crowd_score),
        Input("growing", growing,
              "stand-in for oscars" if arguments.group is None else f"group photo {arguments.group.stem}",
              arguments.group is None, arguments.group_score)]
    return {one.name: one for one in everything}


def limit(arguments):
    """Returns facepipe's options for the wanted frames of crowd and mosaic."""
    return ["--end", str(arguments.frames / CLIP_RATE)] if arguments.frames else []


def made(file, command):
    """Makes a file with one of our scripts. With these scripts, a file appears only when it is complete."""
    if not file.exists():
        print(f"Making {file.name}", file=sys.stderr)
        measurement.run(command(file))
    return file


def stand_in(arguments, folder, name):
    size = ["small"] if arguments.quick else []
    return made(folder / f"stand_in_{name}", lambda file: [SCRIPTS / "stand-ins", PHOTO, folder, *size])


def crowd_clip(arguments, folder):
    if arguments.crowd_run:
        return users_clip(arguments.crowd_run, folder), arguments.crowd_run.stem
    return stand_in(arguments, folder, "crowd.mp4"), "stand-in for crowd_run"


def users_clip(clip, folder):
    """Returns a clip in H.264 and 4:2:0 with 50 frames a second, which GPUs decode. Encodes the user's clip if
    necessary."""
    file = folder / f"{clip.stem}_420.mp4"
    if not file.exists():
        told = measurement.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-of", "csv=p=0",
                                "-show_entries", "stream=codec_name,pix_fmt,r_frame_rate", clip]).output
        if told.strip() == f"h264,yuv420p,{CLIP_RATE}/1":
            return clip
    return ffmpeg.made(file, lambda: ["-r", CLIP_RATE, "-i", clip, "-an", "-vf", "setsar=1", "-pix_fmt", "yuv420p", "-c:v",
                                      "libx264", "-preset", "veryfast", "-crf", "18", "-g", CLIP_RATE])


def scaled(picture, width, folder):
    return ffmpeg.made(folder / f"{picture.stem}_{width}.jpg", lambda: [
        "-i", picture, "-vf", f"scale={width}:-2:flags=lanczos", "-q:v", "2"])


def growing_clip(arguments, folder):
    """Makes a clip with a picture for each frame: first all faces are covered, then one more is uncovered each time."""
    if arguments.group:
        width = arguments.group_width
        picture = lambda: scaled(arguments.group, width, folder) if width else arguments.group
        file = folder / f"{arguments.group.stem}{f'_{width}' if width else ''}_uncovered.mp4"
    else:
        picture = lambda: stand_in(arguments, folder, "group.jpg")
        file = folder / "stand_in_uncovered.mp4"
    return made(file, lambda file: [SCRIPTS / "cover-faces", picture(), file, "--facepipe", arguments.facepipe,
                                    "--score", arguments.group_score, "--device", arguments.device])

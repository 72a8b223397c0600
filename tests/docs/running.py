"""Runs the command blocks of a page in a folder with the input files that the documentation's examples use."""
import os
import pathlib
import subprocess

from commands import program
from markdown import SOURCE

PHOTO = SOURCE / "data" / "fetched" / "demo" / "city.jpg"
SECONDS_OF_VIDEO = 0.4
MOST_SECONDS = 240  # for a block on a busy machine; `calibrate` computes for 10 s on one core


def make_inputs(folder):
    """Makes small inputs: clip.mp4, photo.jpg, and the folder holiday/ with two videos.

    clip.mp4 shows a large face that moves, and has a tone.
    """
    (folder / "holiday" / "day2").mkdir(parents=True)
    for name, face in (("clip.mp4", "60:70:42:118"), ("holiday/beach.mp4", "60:70:208:94"),
                       ("holiday/day2/party.mp4", "64:76:736:98")):
        make_clip(folder / name, face)
    ffmpeg("-i", folder / "clip.mp4", "-frames:v", "1", folder / "photo.jpg")


def make_clip(path, face):
    """Makes a clip of ten frames of 320x192, in which `face`, a part of the demo photo, moves over a grey
    background."""
    scene = f"[0]crop={face},scale=-2:150[face];[1][face]overlay=x=40+4*n:y=20,format=yuv420p[video]"
    ffmpeg("-loop", "1", "-t", SECONDS_OF_VIDEO, "-r", "25", "-i", PHOTO, "-f", "lavfi", "-i", "color=gray:s=320x192:r=25",
           "-f", "lavfi", "-i", "sine=frequency=220:sample_rate=48000", "-filter_complex", scene, "-map", "[video]",
           "-map", "2:a", "-t", SECONDS_OF_VIDEO, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "18", "-c:a", "aac",
           path)


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def link_tree(folder):
    """Makes links to the files in the repository that command blocks read: the program, configurations, examples and a
    model."""
    (folder / "bin").mkdir()
    (folder / "bin" / "facepipe").symlink_to(program())
    for name in ("configs", "examples"):
        (folder / name).symlink_to(SOURCE / name)
    (folder / "data").mkdir()
    (folder / "data" / "acf_face.json").symlink_to(SOURCE / "data" / "acf_face.json")


def run_block(block, folder):
    """Runs a block. Returns why it doesn't do what its remark says, or "" if it does."""
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    try:
        ended = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", block.text], cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                               check=False, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return f"the block runs for more than {MOST_SECONDS} s"
    if ended.returncode != block.exit_code:
        return f"exit code {ended.returncode}, not {block.exit_code}:\n{block.text}{ended.stderr}"
    missing = [name for name in block.made if not list(pathlib.Path(folder).glob(name))]
    return f"the block makes no {', '.join(missing)}:\n{block.text}" if missing else ""

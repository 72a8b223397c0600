#!/usr/bin/env python3
"""Runs facepipe on every stream of a folder, which can be odd or damaged, and compares a CUDA device with the CPU.

facepipe processes each stream three times: on the device with Motion JPEG in Matroska as output, on the device without
video output, and on the CPU without video output. The network gets very small pictures, because this script checks
decoding and the device's pipeline. A run is wrong if it ends by a signal, takes longer than --limit seconds, or leaves
an unfinished file. It is also wrong if its exit code doesn't fit its report, or if it fails without writing exactly one
line. A video is wrong if ffprobe counts another number of frames in it than the report. Device and CPU can end with
different codes or decode different numbers of frames, because a GPU's decoder conceals other damage than FFmpeg's
decoder. The script reports this but doesn't judge it. The script's exit code is 1 if anything was wrong.

With --make N the script doesn't run facepipe: it writes N damaged copies of the folder's clips to --into. In the bytes
of a copy's video packets, the script flips bits, removes a range or repeats a range, at random with a fixed seed. In
clips in containers it only flips bits, so that a demuxer still finds the packets.

usage: odd_streams_cuda.py FOLDER [--jobs N] [--limit SECONDS] [--facepipe PROGRAM]
       odd_streams_cuda.py FOLDER --make N --into OTHER_FOLDER
"""
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import measurement

SEED = 13
RAW = (".264", ".h264", ".hevc", ".265", ".jsv", ".avc", ".26l", ".mjpeg")
DONE, REFUSED, DAMAGED = 0, (3, 4, 5), 6
MODES = {"jpeg": ["--device", "cuda", "--codec", "mjpeg", "--allow-8bit"],
         "faces": ["--device", "cuda", "--no-video"],
         "cpu": ["--device", "cpu", "--no-video"]}


# --- Damaged copies -------------------------------------------------------------------------------

def packets(clip):
    """Returns (position, size) of every video packet."""
    command = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pos,size",
               "-of", "json", str(clip)]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packets"]
    return [(int(packet["pos"]), int(packet["size"])) for packet in listed if "pos" in packet]


def flip_bits(data, places, chance):
    for _ in range(chance.choice((1, 3, 10, 100))):
        position, size = chance.choice(places)
        # Damage to the length before a NAL unit would only make the whole packet unreadable.
        byte = position + chance.randrange(min(5, size - 1), size)
        data[byte] ^= 1 << chance.randrange(8)
    return data


def some_range(places, chance):
    position, size = chance.choice(places)
    begin = position + chance.randrange(size)
    return begin, begin + chance.choice((1, 100, size, 10 * size))


def cut_range(data, places, chance):
    begin, end = some_range(places, chance)
    return data[:begin] + data[end:]


def double_range(data, places, chance):
    begin, end = some_range(places, chance)
    return data[:end] + data[begin:end] + data[end:]


def make(folder, count, into):
    chance = random.Random(SEED)
    clips = [(clip, packets(clip)) for clip in sorted(folder.iterdir())]
    into.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        clip, places = clips[number % len(clips)]
        kinds = [flip_bits] + ([cut_range, double_range] if clip.suffix in RAW else [])
        kind = chance.choice(kinds)
        data = kind(bytearray(clip.read_bytes()), places, chance)
        (into / f"{number:03}_{kind.__name__}_{clip.name}").write_bytes(data)


# --- Runs -----------------------------------------------------------------------------------------

@dataclass
class Outcome:
    code: int  # exit code; negative: it ended by a signal; None: it didn't end in time
    frames: dict
    error: str
    wrong: list

    def __str__(self):
        frames = self.frames
        counts = (f" {frames['decoded']} decoded, {frames['lost']} lost, {frames['damaged']} damaged"
                  if frames else "")
        return f"exit {self.code}{counts}"


def wrong_code(code, frames):
    if code is None:
        return "didn't end"
    if code < 0 or code >= 128:
        return f"ended by a signal ({code})"
    intact = bool(frames) and not (frames["lost"] or frames["damaged"] or frames["ended_early"])
    if code == DONE and not intact:
        return "exit 0, but not intact"
    if code == DAMAGED and (intact or not frames):
        return "exit 6, but intact"
    if code not in (DONE, DAMAGED) and code not in REFUSED:
        return f"exit {code}"
    return None


def pictures_in(file):
    command = ["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v:0", "-show_entries",
               "stream=nb_read_packets", "-of", "csv=p=0", str(file)]
    told = subprocess.run(command, capture_output=True, text=True).stdout.strip().strip(",")
    return int(told) if told.isdigit() else 0


def run(facepipe, model, stream, mode, limit):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        report, output = folder / "report.json", folder / "o.mkv"
        command = [str(facepipe), "run", str(stream), "--report", str(report), "--quiet",
                   "--detect-size", "64x64", *MODES[mode], *(["--model", str(model)] if model else [])]
        if mode == "jpeg":
            command += ["-o", str(output)]
        try:
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                   timeout=limit)
            code, told = ended.returncode, ended.stderr.decode(errors="replace").splitlines()
        except subprocess.TimeoutExpired:
            code, told = None, []
        frames = json.loads(report.read_text())[0].get("frames") if report.exists() else None
        wrong = [wrong_code(code, frames)]
        if code not in (None, DONE) and len(told) != 1:
            wrong.append(f"{len(told)} lines on stderr")
        left = sorted(file.name for file in folder.iterdir() if file not in (report, output))
        if left:
            wrong.append("left behind: " + " ".join(left))
        if mode == "jpeg" and code in (DONE, DAMAGED) and pictures_in(output) != frames["written"]:
            wrong.append(f"{pictures_in(output)} pictures in the file")
        error = told[-1].replace(f"{folder}/", "") if told else ""
        return Outcome(code, frames, error, [each for each in wrong if each])


def describe(stream, outcomes):
    wrong = [f"{mode}: {each}" for mode, outcome in outcomes.items() for each in outcome.wrong]
    line = f"{stream.name:<56} {outcomes['jpeg']}"
    told = {mode: str(outcome) for mode, outcome in outcomes.items()}
    others = [f"{mode}: {text}" for mode, text in told.items() if text != told["jpeg"]]
    if others:
        line += "; " + "; ".join(others)
    if wrong:
        line += "; WRONG: " + "; ".join(wrong)
    errors = {outcome.error for outcome in outcomes.values() if outcome.code not in (DONE, DAMAGED)}
    return "\n    ".join([line, *sorted(errors)])


def main():
    options = measurement.parser(__doc__)
    options.add_argument("folder", type=pathlib.Path, nargs="+")
    options.add_argument("--jobs", type=int, default=2, help="streams at the same time")
    options.add_argument("--limit", type=float, default=60, help="seconds that a run may take")
    options.add_argument("--model", help="(default: the program's own)")
    options.add_argument("--make", type=int, help="make so many damaged copies, and run nothing")
    options.add_argument("--into", type=pathlib.Path, help="folder of the damaged copies")
    chosen = options.parse_args()
    if chosen.make:
        make(chosen.folder[0], chosen.make, chosen.into)
        return 0

    def all_modes(stream):
        return stream, {mode: run(chosen.facepipe, chosen.model, stream, mode, chosen.limit)
                        for mode in MODES}

    streams = [file for folder in chosen.folder for file in sorted(folder.iterdir())]
    results, lines = [], []
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        for stream, outcomes in pool.map(all_modes, streams):
            results.append(outcomes)
            lines.append(describe(stream, outcomes))
            print(lines[-1], file=sys.stderr, flush=True)
    wrong = sum(any(outcome.wrong for outcome in outcomes.values()) for outcomes in results)
    unlike = sum(str(outcomes["jpeg"]) != str(outcomes["cpu"]) for outcomes in results)
    lines.append(f"{len(results)} streams, {len(MODES)} runs each: {wrong} wrong, "
                 f"{unlike} not as on the CPU (code, frames decoded, lost or damaged)")
    measurement.write_result(chosen, {"gpu": measurement.gpu()}, "\n".join(lines) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

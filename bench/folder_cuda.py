#!/usr/bin/env python3
"""Measures the wall time, including start-up, for a folder of short streams on one GPU and on all GPUs.

    bench/folder_cuda.py LOOP.264 [--files 64] [--frames 500 750 1000 1500] [--devices 0 all]

LOOP is a raw H.264 stream that begins with an IDR picture. The script repeats it into files in memory, to which it
gives the lengths of --frames in turn. The detections must be equal on all devices. If an older program is named, the
script also measures it. A further column shows the time of start-up and end: the time for a folder in which each
of --lanes decoders gets one LOOP.
"""
import hashlib
import pathlib
import sys
import tempfile

import measurement


def arguments():
    options = measurement.parser(__doc__)
    options.add_argument("loop", type=pathlib.Path)
    options.add_argument("--files", type=int, default=64)
    options.add_argument("--frames", nargs="+", type=int, default=[500, 750, 1000, 1500], help="of a file, in turn")
    options.add_argument("--devices", nargs="+", default=["0", "all"], help="as facepipe's")
    options.add_argument("--lanes", type=int, default=14, help="decoders of all devices (default: 14)")
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--old", type=lambda text: pathlib.Path(text).resolve(), help="an older program")
    options.add_argument("--folder", default="/dev/shm", help="for streams")
    return options.parse_args()


def fill(given, folder, loop_frames, files, lengths):
    data = given.loop.read_bytes()
    folder.mkdir()
    for number in range(files):
        frames = lengths[number % len(lengths)]
        (folder / f"{number:03}{given.loop.suffix}").write_bytes(data * -(-frames // loop_frames))


def once(given, program, folder, devices):
    """Returns the seconds of a run, its reports, and the hash of its detections."""
    with tempfile.TemporaryDirectory(dir=given.folder) as made:
        faces = pathlib.Path(made) / "faces.jsonl"
        used, reports = measurement.facepipe(type(given)(facepipe=program),
                                             [folder, "--devices", devices, "--no-video", "--detections", faces])
        return used.wall_s, reports, hashlib.sha256(faces.read_bytes()).hexdigest()


def main():
    given = arguments()
    programs = {"": given.facepipe, **({"older program, ": given.old} if given.old else {})}
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        _, report = measurement.facepipe(given, [given.loop, "--device", "cuda", "--no-video"])
        loop_frames = report[0]["frames"]["decoded"]
        folder, least = pathlib.Path(scratch) / "all", pathlib.Path(scratch) / "least"
        fill(given, folder, loop_frames, given.files, given.frames)
        fill(given, least, loop_frames, given.lanes, [loop_frames])
        seconds, ends, made, frames = {}, {}, set(), 0
        for _ in range(given.rounds):
            for name, program in programs.items():
                for devices in given.devices:
                    row = f"{name}--devices {devices}"
                    ends.setdefault(row, []).append(once(given, program, least, devices)[0])
                    wall_s, reports, hashed = once(given, program, folder, devices)
                    seconds.setdefault(row, []).append(wall_s)
                    made.add(hashed)
                    frames = sum(one["frames"]["decoded"] for one in reports)
                    print(f"{row}: {wall_s:.2f}, start-up and end {ends[row][-1]:.2f}", flush=True)
    if len(made) != 1:
        sys.exit(f"{given.loop.name}: what they made differs")
    body = f"{'':<32}{'seconds, each round':<24}{'start-up and end':<24}{'fps, best':>12}\n"
    for name, rounds in seconds.items():
        columns = ["  ".join(f"{one:.2f}" for one in all_) for all_ in (rounds, ends[name])]
        body += f"{name:<32}{columns[0]:<24}{columns[1]:<24}{frames / min(rounds):>12.0f}\n"
    facts = {**measurement.engine_facts(report), "gpu": measurement.gpu(),
             "streams": f"{given.files} of {', '.join(map(str, given.frames))} frames in turn, repeats of "
                        f"{given.loop.name}, {frames} frames together",
             "equal": "detections of all rows have the same hash"}
    measurement.write_result(given, facts, body)


if __name__ == "__main__":
    main()

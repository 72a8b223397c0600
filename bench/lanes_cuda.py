#!/usr/bin/env python3
"""One file on all decoders of a GPU: rate, latency, host CPU time and device memory by number of lanes.

    bench/lanes_cuda.py LOOP.264... [--lanes 1 2 4 7 8] [--frames 10000] [--cases "no video" mjpeg]

Each LOOP, a raw H.264 stream that begins with an IDR picture, is repeated in a file in memory until it has the number
of frames. The lists of detections of all numbers of lanes must be equal, and so must the videos; the same run as that
with one lane is also made by an older program, if one is named, and its rate put beside.
"""
import hashlib
import pathlib
import sys
import tempfile
import time

import device_memory
import measurement

CASES = {"no video": ["--no-video"], "mjpeg": ["--codec", "mjpeg"]}


def arguments():
    options = measurement.parser(__doc__)
    options.add_argument("loops", nargs="+", type=pathlib.Path)
    options.add_argument("--lanes", nargs="+", default=["1", "2", "4", "7", "8"])
    options.add_argument("--frames", type=int, default=10000)
    options.add_argument("--frames-in-loop", type=int, default=250)
    options.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    options.add_argument("--old", type=pathlib.Path, help="an older program, which has no lanes")
    options.add_argument("--in-flight", nargs="+", default=["4"], help="frames of a lane")
    options.add_argument("--folder", default="/dev/shm", help="for streams and videos")
    return options.parse_args()


def repeated(loop, given, folder):
    """The stream repeated to the number of frames, at least."""
    stream = pathlib.Path(folder) / loop.name
    data = loop.read_bytes()
    with stream.open("wb") as file:
        for _ in range(-(-given.frames // given.frames_in_loop)):
            file.write(data)
    return stream


def digest(path):
    if not path.exists():
        return ""
    sum_ = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            sum_.update(block)
    return sum_.hexdigest()


def once(given, stream, case, words, program=None):
    """A run's report, the hash of what it made, and the memory that it took."""
    program = program or given.facepipe
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        folder = pathlib.Path(folder)
        video = folder / "out.avi"
        made = [] if case == "no video" else ["-o", video]
        faces = folder / "faces.jsonl"
        with device_memory.Watch() as watch:
            begin = time.monotonic()
            _, report = measurement.facepipe(
                type(given)(facepipe=program),
                [stream, "--device", "cuda", *CASES[case], *made, "--detections", faces, *words])
            end = time.monotonic()
        most = max(device_memory.over(watch.samples, begin, end, 20))
        return report[0], digest(faces) + digest(video), most


def row(name, report, memory):
    frames = report["frames"]["decoded"]
    total = report["stage_ms"]["latency"]
    cuts = report.get("lanes", {}).get("cuts", 0)
    return (f"{name:<34}{report['fps']:>8.0f}{report['startup_s']:>8.2f}{total['p50']:>9.2f}"
            f"{total['p99']:>9.2f}{1000 * report['cpu_s'] / frames:>9.2f}{memory:>9}{cuts:>7}\n")


def main():
    given = arguments()
    body = f"{'':<34}{'fps':>8}{'start s':>8}{'p50 ms':>9}{'p99 ms':>9}{'CPU ms':>9}{'MiB':>9}{'cuts':>7}\n"
    facts = {"gpu": measurement.gpu(), "frames": str(given.frames),
             "rows": "stream, case, lanes x frames in flight of each",
             "columns": "start-up apart; latency decoded to faces known; host CPU a frame"}
    for loop in given.loops:
        stream = repeated(loop, given, given.folder)
        for case in given.cases:
            made = set()
            if given.old:
                report, _, memory = once(given, stream, case, [], given.old)
                body += row(f"{loop.stem}, {case}, old", report, memory)
            for in_flight in given.in_flight:
                for lanes in given.lanes:
                    words = ["--lanes", lanes, "--frames-in-flight", in_flight]
                    report, hashed, memory = once(given, stream, case, words)
                    made.add(hashed)
                    name = f"{loop.stem}, {case}, {lanes} x {in_flight}"
                    body += row(name, report, memory)
                    print(body.splitlines()[-1], flush=True)
            body += f"{'':<34}{'what they made is equal' if len(made) == 1 else 'WHAT THEY MADE DIFFERS'}\n"
            if len(made) != 1:
                print(body)
                sys.exit(f"{loop.name}, {case}: what they made differs")
        stream.unlink()
    measurement.write_result(given, facts, body)


if __name__ == "__main__":
    main()

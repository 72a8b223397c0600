#!/usr/bin/env python3
"""Measures one file with several numbers of lanes on a GPU: rate, latency, the host's CPU time and device memory.

    bench/lanes_cuda.py LOOP.264 [--lanes 1 2 4 7] [--cases "no video" mjpeg paced] [--frames 12000] [--devices all]

LOOP is a raw H.264 or HEVC stream that begins with an IDR picture. The script repeats it into a file in memory until
the file has --frames frames. The detections and videos must be equal with all numbers of lanes. If an older program is
named, the script also measures it, without --lanes. "decoding alone" measures the same number of decoders in one
program; each decodes the whole file. In the case "paced", the script feeds the program through a pipe at a fixed rate.
So no frame waits for the device, and the latency contains no such waiting. In the case "mjpeg", the script also makes
two separate measurements: nvJPEG with 1, 2 and 4 threads on pictures in device memory, and a thread that only writes as
many bytes per frame into the folder.
"""
import contextlib
import hashlib
import os
import pathlib
import sys
import tempfile
import threading
import time
import typing

import device_memory
import measurement

CASES = {"no video": ["--no-video"], "mjpeg": ["--codec", "mjpeg"], "paced": ["--no-video"]}
COLUMNS = ("fps", "start s", "p50 ms", "p99 ms", "CPU ms", "MiB", "MiB end", "cuts")


def arguments():
    options = measurement.parser(__doc__)
    measurement.add_program(options, "bench_decode_cuda")
    measurement.add_program(options, "bench_overlay_cuda")
    options.add_argument("loop", type=pathlib.Path)
    options.add_argument("--lanes", nargs="+", type=int, default=[1, 2, 4, 7])
    options.add_argument("--frames", type=int, default=12000)
    options.add_argument("--decode-frames", type=int, default=1500, help="of each decoder, alone")
    options.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    options.add_argument("--pace", type=int, default=700, help="frames a second of the paced case")
    options.add_argument("--devices", help="as facepipe's, instead of the first device")
    measurement.add_detector(options)
    options.add_argument("--old", type=lambda text: pathlib.Path(text).resolve(),
                         help="an older program, which has no lanes")
    options.add_argument("--folder", default="/dev/shm", help="for streams and videos")
    return options.parse_args()


def chosen(given):
    """Returns facepipe's options for all runs: devices, detector, and other options of the command line."""
    return [*(["--devices", given.devices] if given.devices else ["--device", "cuda"]),
            *measurement.detector_words(given)]


class Stream:
    """Repeats the loop into a file that has at least the given number of frames."""

    def __init__(self, given, words):
        _, report = measurement.facepipe(given, [given.loop, *words, "--no-video"])
        self.loop_frames = report[0]["frames"]["decoded"]
        self.facts = measurement.engine_facts(report)
        self._data = given.loop.read_bytes()
        self._folder = pathlib.Path(given.folder)
        self._given = given

    @contextlib.contextmanager
    def file(self, frames):
        path = self._folder / f"lanes-{os.getpid()}{self._given.loop.suffix}"
        with path.open("wb") as file:
            for _ in range(-(-frames // self.loop_frames)):
                file.write(self._data)
        try:
            yield path
        finally:
            path.unlink()

    @contextlib.contextmanager
    def pipe(self, frames):
        """Makes a pipe into which a thread writes at the given rate, in a hundred steps a second."""
        path = self._folder / f"lanes-{os.getpid()}.pipe"
        os.mkfifo(path)
        feeder = threading.Thread(target=self._feed, args=[path, frames])
        feeder.start()
        try:
            yield path
        finally:
            feeder.join()
            path.unlink()

    def _feed(self, path, frames):
        step = len(self._data) * self._given.pace // (100 * self.loop_frames)
        data = self._data * -(-frames // self.loop_frames)
        with path.open("wb", buffering=0) as pipe:
            begin = time.monotonic()
            for number, at in enumerate(range(0, len(data), step)):
                time.sleep(max(0, begin + number / 100 - time.monotonic()))
                view = memoryview(data)[at:at + step]
                while view:
                    view = view[pipe.write(view):]


def digest(path):
    if not path.exists():
        return ""
    sum_ = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            sum_.update(block)
    return sum_.hexdigest()


class Once(typing.NamedTuple):
    """Holds the results of a run: its report, a hash of its results, the device's memory over time, and the video's
    bytes."""

    report: dict
    digest: str
    memory: list
    written: int


def once(given, stream, case, words, program=None):
    fed = stream.pipe if case == "paced" else stream.file
    with tempfile.TemporaryDirectory(dir=given.folder) as folder, fed(given.frames) as source:
        video, faces = pathlib.Path(folder) / "out.avi", pathlib.Path(folder) / "faces.jsonl"
        made = ["-o", video] if case == "mjpeg" else []
        with device_memory.Watch() as watch:
            begin = time.monotonic()
            _, report = measurement.facepipe(
                type(given)(facepipe=program or given.facepipe),
                [source, *chosen(given), *CASES[case], *made, "--detections", faces, *words])
            memory = device_memory.over(watch.samples, begin, time.monotonic(), 20)
        written = video.stat().st_size if video.exists() else 0
        return Once(report[0], digest(faces) + digest(video), memory, written)


def row(name, run):
    report, memory = run.report, run.memory
    latency = report["stage_ms"]["latency"]
    cpu_ms = 1000 * report["cpu_s"] / report["frames"]["decoded"]
    cuts = report.get("lanes", {}).get("cuts", 0)
    text = (f"{name:<26}{report['fps']:>9.0f}{report['startup_s']:>9.2f}{latency['p50']:>9.2f}"
            f"{latency['p99']:>9.2f}{cpu_ms:>9.3f}{max(memory):>9}{memory[-2]:>9}{cuts:>9}\n")
    print(text, end="", flush=True)
    return text


def decoding_alone(given, stream):
    text = ""
    with stream.file(given.decode_frames) as path:
        for lanes in given.lanes:
            used = measurement.run([given.bench_decode_cuda, path, "--lanes", lanes])
            text += f"{f'decoding alone, {lanes}':<26}{float(used.output.splitlines()[-1].split()[1]):>9.0f}\n"
    print(text, end="", flush=True)
    return text


def jpeg_alone(given):
    text = ""
    for threads in (1, 2, 4):
        used = measurement.run([given.bench_overlay_cuda, "jpeg-rate", given.loop, threads])
        text += f"{f'nvJPEG alone, threads {threads}':<26}{float(used.output.splitlines()[-1]):>9.0f}\n"
    print(text, end="", flush=True)
    return text


def writing_alone(given, size, frames):
    """Measures a thread that only writes `frames` frames of `size` bytes into a file."""
    packet = bytes(size)
    with tempfile.TemporaryFile(dir=given.folder, buffering=0) as file:
        begin = time.monotonic()
        for _ in range(frames):
            file.write(packet)
        rate = frames / (time.monotonic() - begin)
    text = f"{'writing alone':<26}{rate:>9.0f}{f'{size} bytes a frame':>27}\n"
    print(text, end="", flush=True)
    return text


def by_lanes(given, stream, case):
    """Returns the rows of one case. Ends the script if the results differ between numbers of lanes."""
    text, made = "", set()
    if given.old and case != "paced":
        text += row(f"{case}, older program", once(given, stream, case, [], given.old))
    for lanes in given.lanes:
        run = once(given, stream, case, ["--lanes", lanes])
        text += row(f"{case}, {lanes}", run)
        made.add(run.digest)
    if case == "mjpeg":
        frames = run.report["frames"]["written"]
        text += jpeg_alone(given) + writing_alone(given, run.written // frames, frames)
    if len(made) != 1:
        sys.exit(f"{given.loop.name}, {case}: what they made differs")
    return text + f"{'':<26}{'':>2}what they made is equal\n\n"


def main():
    given = arguments()
    stream = Stream(given, chosen(given))
    body = f"{'':<26}" + "".join(f"{name:>9}" for name in COLUMNS) + "\n"
    body += decoding_alone(given, stream) + "\n"
    for case in given.cases:
        body += by_lanes(given, stream, case)
    facts = {**stream.facts, "gpu": measurement.gpu(),
             "stream": f"{given.loop.name}, {stream.loop_frames} frames, repeated to {given.frames}",
             "rows": "case, lanes", "fps": "without start-up, which stands beside",
             "latency": "decoded to faces known, with mjpeg to handed to the encoder",
             "paced": f"{given.pace} frames a second", "CPU": "of the host, a frame",
             "MiB": "of the device, the most, and at the end"}
    measurement.write_result(given, facts, body.rstrip("\n") + "\n")


if __name__ == "__main__":
    main()

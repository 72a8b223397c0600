#!/usr/bin/env python3
"""Compares the rate of hiding faces with that of drawing boxes on a GPU, with several numbers of lanes.

    bench/hide_cuda.py LOOP.264... [--lanes 1 4] [--frames 2000]

Each LOOP is a raw H.264 stream that begins with an IDR picture; the script repeats it into a file in memory. `facepipe
run` and `facepipe hide` take turns, and encode it as Motion JPEG. A rate is the median of the repetitions. hide must
write the same video with any number of lanes, and also if the host estimates the motion.
"""
import pathlib
import statistics
import sys
import tempfile

import lanes_cuda
import measurement


def arguments_given():
    options = measurement.parser(__doc__)
    options.add_argument("loops", nargs="+", type=pathlib.Path, metavar="LOOP.264")
    options.add_argument("--lanes", nargs="+", type=int, default=[1, 4])
    options.add_argument("--frames", type=int, default=2000)
    options.add_argument("--repetitions", type=int, default=3)
    options.add_argument("--folder", default="/dev/shm", help="for streams and videos")
    return options.parse_args()


def once(given, file, command, words):
    """Returns the frames a second of a run, its number of faces, and the hash of its video."""
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        video = pathlib.Path(folder) / "o.avi"
        _, report = measurement.facepipe(
            given, [file, "--device", "cuda", "--codec", "mjpeg", "-o", video, *words],
            command=command)
        return report[0]["fps"], report[0]["faces"], lanes_cuda.digest(video)


def rows(given, loop):
    given.loop = loop
    stream = lanes_cuda.Stream(given, ["--device", "cuda"])
    with stream.file(given.frames) as file:
        _, _, expected = once(given, file, "hide", ["--motion", "host"])
        for lanes in given.lanes:
            rates = {"run": [], "hide": []}
            faces = {}
            for _ in range(given.repetitions):
                for command in rates:
                    rate, faces[command], made = once(given, file, command, ["--lanes", lanes])
                    rates[command].append(rate)
                    if command == "hide" and made != expected:
                        sys.exit(f"{loop.name}, {lanes} lanes: another video than with motion of the host")
            run, hide = (statistics.median(rates[command]) for command in ("run", "hide"))
            spread = f"({min(rates['hide']):.0f} to {max(rates['hide']):.0f})"
            yield (f"{loop.stem:10} {lanes:5} {faces['run'] / given.frames:9.1f} "
                   f"{faces['hide'] / given.frames:9.1f} {run:9.0f} {hide:9.0f} {spread:16} "
                   f"{hide / run:.2f}")


def main():
    given = arguments_given()
    lines = [f"{'loop':10} {'lanes':>5} {'drawn':>9} {'hidden':>9} {'run, fps':>9} {'hide, fps':>9} "
             f"{'':16} of run's"]
    for loop in given.loops:
        for line in rows(given, loop):
            lines.append(line)
            print(line, flush=True)
    facts = {"gpu": measurement.gpu(), "work": "raw H.264 to Motion JPEG in AVI, files in memory; "
                                               "drawn, hidden: faces a frame"}
    measurement.write_result(given, facts, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

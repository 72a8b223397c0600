#!/usr/bin/env python3
"""Compares three whole pipelines on one clip: OpenCV's functions, facepipe with OpenCV's dnn, and facepipe's own
engine.

    bench/opencv_chain.py LOOP.264 --model MODEL.onnx [--frames 600] [--own-frames 12000]

LOOP is a raw stream that begins with an IDR picture; the script repeats it into a file in memory. "OpenCV's chain" is
bench_opencv_chain: cudacodec, cuda::resize, copy to the host, dnn on CUDA, NMSBoxes, one frame after the other. "NVDEC,
OpenCV's dnn" is facepipe --engine opencv, which decodes by FFmpeg's NVDEC and copies frames to the host. Rates don't
include start-up. Latency is the time from a decoded frame to its faces. CPU is the host's CPU time for a frame
(facepipe's includes start-up). Bytes are those copied over the bus for a frame, without the compressed packets. The
last column counts the faces that facepipe's own engine finds in the loop (score > 0.3). The two columns before it count
how many of these faces the other pipeline also finds (score > 0.2): one column for an IoU of at least 0.9, and one for
at least 0.5. Each face matches at most one. All pipelines need a build with FACEPIPE_OPENCV, with OpenCV's set "chain"
(data/opencv-cuda).
"""
import json
import pathlib
import tempfile
import types

import face_matching
import lanes_cuda
import measurement

LEAST_SCORE = "0.2"
COLUMNS = ("fps", "p50 ms", "p99 ms", "CPU ms", "MB to device", "MB to host", "IoU .9", "IoU .5", "of boxes")


def arguments_given():
    options = measurement.parser(__doc__)
    measurement.add_program(options, "bench_opencv_chain")
    options.add_argument("loop", type=pathlib.Path)
    options.add_argument("--model", type=pathlib.Path, required=True)
    options.add_argument("--frames", type=int, default=600, help="where OpenCV's dnn computes (default: %(default)s)")
    options.add_argument("--own-frames", type=int, default=12000, help="where ours does (default: %(default)s)")
    options.add_argument("--folder", default="/dev/shm", help="for streams")
    return options.parse_args()


class Row(types.SimpleNamespace):
    """Holds the results of one pipeline: fps, p50, p99, cpu_ms, to_device and to_host (bytes for a frame), and the
    loop's faces."""


def of_loop(lines, loop_frames):
    """Returns {(frame,): faces} for the frames of the loop's first repetition."""
    faces = {frame: found for (_, frame), found in face_matching.read(lines).items()}
    return {(frame,): faces[frame] for frame in range(loop_frames)}


def opencvs_chain(given, stream, precision):
    with stream.file(given.frames) as source, tempfile.TemporaryDirectory() as folder:
        faces = pathlib.Path(folder) / "faces.jsonl"
        used = measurement.run([given.bench_opencv_chain, given.model, source, precision, faces])
        told = json.loads(used.output.splitlines()[-1])
        with faces.open(encoding="utf-8") as lines:
            found = of_loop(lines, stream.loop_frames)
    steps = ", ".join(f"{name} {ms:.2f}" for name, ms in sorted(told["steps_ms"].items(), key=lambda step: -step[1]))
    return Row(fps=told["fps"], p50=told["latency_ms"]["p50"], p99=told["latency_ms"]["p99"], cpu_ms=told["cpu_ms"],
               to_device=told["bytes_to_device"], to_host=told["bytes_to_host"], faces=found, steps=steps)


def facepipes(given, stream, frames, words):
    with stream.file(frames) as source, tempfile.TemporaryDirectory() as folder:
        faces = pathlib.Path(folder) / "faces.jsonl"
        _, reports = measurement.facepipe(given, [source, "--device", "cuda", "--model", given.model, "--no-video",
                                                  "--score", LEAST_SCORE, "--detections", faces, *words])
        with faces.open(encoding="utf-8") as lines:
            found = of_loop(lines, stream.loop_frames)
    report = reports[0]
    decoded = report["frames"]["decoded"]

    def crossed(direction):
        return sum(kind["bytes"] for kind in report["copies"].values() if kind["direction"] == direction) / decoded
    latency = report["stage_ms"]["latency"]
    return Row(fps=report["fps"], p50=latency["p50"], p99=latency["p99"], cpu_ms=1000 * report["cpu_s"] / decoded,
               to_device=crossed("to device"), to_host=crossed("to host"), faces=found)


def agreement(own, other):
    """Returns text: how many faces match with an IoU of 0.9 and of 0.5, and the number of faces."""
    strictly, loosely = (face_matching.compare(own, other, least_iou=iou) for iou in (0.9, 0.5))
    return f"{strictly.matched:>8}{loosely.matched:>8}{strictly.faces:>10}"


def text_of(name, row, own):
    text = (f"{name:<34}{row.fps:>9.0f}{row.p50:>9.2f}{row.p99:>9.2f}{row.cpu_ms:>9.2f}{row.to_device / 1e6:>14.4f}"
            f"{row.to_host / 1e6:>12.4f}{agreement(own.faces, row.faces)}\n")
    print(text, end="", flush=True)
    return text


def main():
    given = arguments_given()
    stream = lanes_cuda.Stream(given, ["--device", "cuda", "--model", given.model])
    own = {f"facepipe, lanes {lanes}": facepipes(given, stream, given.own_frames, ["--lanes", lanes])
           for lanes in ("1", "auto")}
    one_lane = own["facepipe, lanes 1"]
    widths = (9, 9, 9, 9, 14, 12, 8, 8, 10)
    body = f"{'':<34}" + "".join(f"{name:>{width}}" for name, width in zip(COLUMNS, widths)) + "\n"
    body += "".join(text_of(name, row, one_lane) for name, row in own.items())
    steps = ""
    for precision in ("f32", "f16"):
        row = opencvs_chain(given, stream, precision)
        steps += f"OpenCV's chain, {precision}, ms of a frame: {row.steps}\n"
        body += text_of(f"OpenCV's chain, {precision}", row, one_lane)
        row = facepipes(given, stream, given.frames, ["--engine", "opencv", "--precision", precision])
        body += text_of(f"NVDEC, OpenCV's dnn, {precision}", row, one_lane)
    facts = {**stream.facts, "gpu": measurement.gpu(),
             "stream": f"{given.loop.name}, {stream.loop_frames} frames, repeated to {given.frames}, for facepipe's own "
                       f"engine to {given.own_frames}",
             "boxes": f"of the loop: over {face_matching.SCORE} in facepipe's, over {LEAST_SCORE} in the row's"}
    measurement.write_result(given, facts, body + "\n" + steps)


if __name__ == "__main__":
    main()

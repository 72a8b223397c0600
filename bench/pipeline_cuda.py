#!/usr/bin/env python3
"""Compares the rate of the whole pipeline on a CUDA device with that of decoding alone, in one run of the script.

The script repeats each clip to --frames frames without encoding it again. facepipe processes it without video output,
with the output mjpeg and with the output h264. Rates begin at frame 200, after start-up. A separate run of
--latency-frames frames measures each frame in each stage, which needs CUDA events and costs time; the result also shows
the rate of this run. "Decoding alone" is measured with bench_decode_cuda and with ffmpeg -hwaccel cuda -f null.
ffmpeg's frames stay on the device, or go to the host (its default). --at-once N runs N programs on the clip at the same
time, and N programs that only decode; their rates are added.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import clips
import device_memory
import frame_times
import measurement

STEADY = 200
LOOPS = measurement.REPOSITORY / "data" / "generated" / "loops"
PHOTO = measurement.REPOSITORY / "data" / "fetched" / "demo" / "city.jpg"
NAMES = ("sparse_1080p", "crowd_1080p", "sparse_2160p", "crowd_2160p")
OUTPUTS = {"none": ["--no-video"], "mjpeg": ["--codec", "mjpeg"],
           "h264": ["--codec", "libx264", "--preset", "veryfast", "--crf", "23"]}


@dataclass
class Rate:
    """Holds the rates of a run that doesn't measure each frame."""

    fps: float
    memory_mib: list
    report: dict


@dataclass
class Times:
    """Holds the results of a run that measures each frame."""

    fps: float
    first_frame_ms: float
    latency_ms: tuple  # p50, p95, p99 of the time from a decoded frame until the encoder gets it
    total_ms: tuple  # p50, p95, p99 of the time from reading to muxing
    stages: dict  # {name: (p50, p95, p99)} in ms
    shares: dict
    candidates: tuple  # fewest, median and most candidates of a frame


def arguments_given():
    options = measurement.parser(__doc__)
    options.add_argument("clips", nargs="*", type=pathlib.Path, metavar="CLIP.mp4",
                         help="default: the four that data/loop-clips makes, made if need be")
    options.add_argument("--frames", type=int, default=10000, help="default: 10000")
    options.add_argument("--latency-frames", type=int, default=2000, help="default: 2000")
    options.add_argument("--alone-frames", type=int, default=3000,
                         help="for decoding alone (default: 3000)")
    options.add_argument("--at-once", type=int, default=1, metavar="N", help="default: 1")
    options.add_argument("--outputs", default=",".join(OUTPUTS), help="default: %(default)s")
    options.add_argument("--score", default="0.4", help="score threshold (default: %(default)s)")
    options.add_argument("--draw", default="boxes,scores", help="as facepipe's (default: %(default)s)")
    options.add_argument("--decoder-alone", type=pathlib.Path,
                         default=measurement.REPOSITORY / "build" / "bench" / "bench_decode_cuda",
                         help="default: build/bench/bench_decode_cuda (cmake -DFACEPIPE_BENCH=ON)")
    options.add_argument("--scratch", type=pathlib.Path,
                         help="folder for long clips and outputs (default: the system's)")
    arguments = options.parse_args()
    unknown = set(arguments.outputs.split(",")) - set(OUTPUTS)
    if unknown:
        options.error(f"--outputs: not known: {', '.join(sorted(unknown))}")
    arguments.decoder_alone = arguments.decoder_alone.resolve()
    return arguments


def wanted_clips(arguments):
    if arguments.clips:
        return arguments.clips
    found = [LOOPS / f"{name}.mp4" for name in NAMES]
    if not all(clip.exists() for clip in found):
        measurement.run([measurement.REPOSITORY / "data" / "loop-clips", PHOTO, LOOPS])
    return found


def at_once(count, work):
    """Calls work(0) ... work(count - 1), each in its own thread. Returns the list of their results."""
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(work, range(count)))


def command(arguments, clip, output, folder, *words):
    target = [] if output == "none" else ["--output", f"{folder}/out.mp4", "--draw", arguments.draw]
    return [arguments.facepipe, "run", clip, "--device", "cuda", "--score", arguments.score, "--quiet",
            *OUTPUTS[output], *target, "--report", f"{folder}/report.json", "--overwrite", *words]


def watched(words, read_frames):
    """Runs a program. Returns (seconds, frames done) for each line in which read_frames() finds a number of frames."""
    samples = []
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        frames = read_frames(line)
        if frames is not None:
            samples.append((time.monotonic(), frames))
    if process.wait() != 0:
        sys.exit(f"{words[0]} ended with {process.returncode}")
    return samples


def frames_of_facepipe(line):
    state = json.loads(line)
    return state["frames"] if state["status"] == "running" else None


def frames_of_ffmpeg(line):
    key, _, value = line.strip().partition("=")
    return int(value) if key == "frame" else None


def measure_rate(arguments, clip, output, folder):
    with device_memory.Watch() as memory:
        samples = watched(command(arguments, clip, output, folder, "--progress", "json"),
                          frames_of_facepipe)
    steady = [moment for moment, frames in samples if frames >= STEADY]
    fps = frame_times.steady_rate(samples, STEADY)
    return Rate(fps, device_memory.over(memory.samples, steady[0], steady[-1]),
                json.loads(pathlib.Path(folder, "report.json").read_text()))


def measure_sum(arguments, clip, output, folder):
    """Runs several programs at the same time. Returns the sum of their rates, in frames a second."""
    def one(number):
        own = pathlib.Path(folder, str(number))
        own.mkdir(exist_ok=True)
        return watched(command(arguments, clip, output, own, "--progress", "json"), frames_of_facepipe)
    return sum(frame_times.steady_rate(samples, STEADY) for samples in at_once(arguments.at_once, one))


def measure_times(arguments, clip, output, folder, decode_fps):
    latency = pathlib.Path(folder) / "latency.csv"
    measurement.run(command(arguments, clip, output, folder, "--progress", "none", "--latency", latency))
    with open(latency, encoding="utf-8") as lines:
        everything = frame_times.read(lines, 0)
    frames = everything[STEADY:]
    candidates = [frame.candidates for frame in frames]
    ran = [name for name in frame_times.STAGES if name in frames[0].stages]
    durations = {name: [frame.stages[name][1] - frame.stages[name][0] for frame in frames
                        if name in frame.stages] for name in ran}
    fps = frame_times.rate(frames)
    return Times(fps, everything[0].end(),
                 frame_times.percentiles([frame.latency_ms for frame in frames]),
                 frame_times.percentiles([frame.total_ms for frame in frames]),
                 {name: frame_times.percentiles(values) for name, values in durations.items()},
                 frame_times.work_shares(frames, fps, decode_fps),
                 (min(candidates), statistics.median(candidates), max(candidates)))


def decode_alone(arguments, clip):
    """Returns {program: frames a second of decoding alone}."""
    told = measurement.run([arguments.decoder_alone, clip, "--from", STEADY]).output.split("\t")
    rates = {"this program": float(told[1])}
    for name, words in (("FFmpeg, frames stay", ["-hwaccel_output_format", "cuda"]),
                        ("FFmpeg, frames come to the host", [])):
        samples = watched(["ffmpeg", "-nostdin", "-v", "error", "-stats_period", "0.25", "-progress",
                           "pipe:1", "-hwaccel", "cuda", *words, "-i", clip, "-map", "0:v:0",
                           "-fps_mode", "passthrough", "-f", "null", "-"], frames_of_ffmpeg)
        rates[name] = frame_times.steady_rate(samples, STEADY)
    return rates


def several_at_once(arguments, clip, folder):
    """Runs several programs on a clip at the same time. Returns the text of their results."""
    long = clips.repeated(clip, arguments.frames, folder)
    alone = clips.repeated(clip, arguments.alone_frames, pathlib.Path(folder, "alone"))
    told = at_once(arguments.at_once,
                   lambda _: measurement.run([arguments.decoder_alone, alone, "--from", STEADY]).output)
    decode_fps = sum(float(text.split("\t")[1]) for text in told)
    rows = [f"{clip.name}: {arguments.at_once} at once, {arguments.frames} frames each",
            f"decoding alone, this program: {decode_fps:.1f} fps together"]
    for output in arguments.outputs.split(","):
        fps = measure_sum(arguments, long, output, folder)
        rows.append(f"{output:<7}{fps:9.1f} fps together, {fps / decode_fps:.3f} of decoding alone")
    return "\n".join(rows) + "\n", json.loads(pathlib.Path(folder, "0", "report.json").read_text())


def triple(values):
    return " ".join(f"{value:8.2f}" for value in values)


def output_rows(output, rate, times, decode_fps):
    bound = frame_times.bound(times.shares, looks_ahead=output == "h264")
    rows = [f"{output:<7}{rate.fps:9.1f} fps, {rate.fps / decode_fps:.3f} of decoding alone (goal at "
            f"1080p, but for h264: 0.9); with frames' times {times.fps:.1f}; first frame after "
            f"{times.first_frame_ms:.0f} ms; {rate.report[0]['encoder'] or 'no video'}",
            f"       latency   {triple(times.latency_ms)}   decoded to handed to the encoder, or done",
            f"       total     {triple(times.total_ms)}   read to muxed"]
    rows += [f"       {name:<10}{triple(values)}" for name, values in times.stages.items()]
    shares = ", ".join(f"{name} {share:.2f}" for name, share in times.shares.items())
    rows.append(f"       at work   {shares}; bound by: {bound}")
    memory = " ".join(map(str, rate.memory_mib))
    rows.append(f"       device's memory in MiB, evenly over the run: {memory}")
    return rows


def measure_clip(arguments, clip, folder):
    long = clips.repeated(clip, arguments.frames, folder)
    short = clips.repeated(clip, arguments.latency_frames, pathlib.Path(folder, "short"))
    alone = decode_alone(arguments, clips.repeated(clip, arguments.alone_frames,
                                                   pathlib.Path(folder, "alone")))
    decode_fps = alone["this program"]
    rows = [f"decoding alone, {name}: {fps:.1f} fps" for name, fps in alone.items()]
    for output in arguments.outputs.split(","):
        rate = measure_rate(arguments, long, output, folder)
        times = measure_times(arguments, short, output, folder, decode_fps)
        news = output_rows(output, rate, times, decode_fps)
        print(clip.name, *news, sep="\n", file=sys.stderr)  # if the script is interrupted, it has shown these results
        rows += ["", *news]
    run = rate.report[0]
    fewest, median, most = times.candidates
    head = (f"{clip.name}: {run['size'][0]}x{run['size'][1]} {run['video_codec']}, decoder "
            f"{run['decoder']}, {run['frames']['written']} frames, candidates a frame {fewest} to {most}, "
            f"median {median:.0f}, {run['faces'] / run['frames']['written']:.1f} faces")
    return "\n".join([head, *rows]) + "\n", rate.report


def main():
    arguments = arguments_given()
    parts = []
    for clip in wanted_clips(arguments):
        with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
            for part in ("short", "alone"):
                pathlib.Path(folder, part).mkdir()
            measure = measure_clip if arguments.at_once == 1 else several_at_once
            part, report = measure(arguments, clip, folder)
        parts.append(part)
    facts = {**measurement.engine_facts(report), "device": measurement.gpu(),
             "ffmpeg": measurement.first_line(["ffmpeg", "-version"]),
             "setting": f"score > {arguments.score}, draws {arguments.draw}, h264: "
                        f"{' '.join(OUTPUTS['h264'])}",
             "times": f"ms: p50, p95, p99, from frame {STEADY} on"}
    measurement.write_result(arguments, facts, "\n".join(parts))


if __name__ == "__main__":
    main()

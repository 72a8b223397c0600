#!/usr/bin/env python3
"""Compares facepipe's speed with that of deface 1.5.0 on one clip, and with the best that the machine allows.

Both programs decode, find faces with CenterFace, draw them with scores, and encode with the same FFmpeg's x264, preset
and CRF. Both keep the audio. deface uses onnxruntime. The programs take turns, and a time is that of a whole run, from
start to exit. A setting is PRECISION or PRECISION/N, where N is that of --every N; with the precision "auto", facepipe
chooses. The script leaves out precisions that the processor lacks, and says so.

The bound: the ffmpeg program and bench_inference measure the CPU time (user and system) of decoding, inference and
encoding separately. A pipeline without any other work and without idle cores would reach a rate of cores / (sum of the
CPU times per frame). Inference counts only for the frames that the network searches. The goal is 0.93 of this bound.
The bound contains no start-up. The script compares it with two rates of facepipe: without start-up, and from start to
exit. Both are measured with the clip four times in a row. A machine's speed changes, so the script measures in rounds,
and each round measures inference before and after it runs facepipe.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import measurement

DEFACE_VERSION = "1.5.0"
ORT_VERSION = "import onnxruntime; print('onnxruntime', onnxruntime.__version__)"
DEVICE_UNUSABLE = 4  # exit code of facepipe
IN_A_ROW = 4


def arguments_given():
    options = measurement.parser(__doc__)
    measurement.add_clip(options)
    beside = pathlib.Path(sys.executable).parent / "deface"
    options.add_argument("--deface", default=beside if beside.exists() else "deface",
                         help="the peer (default: beside this Python, else on the PATH)")
    options.add_argument("--bench-inference",
                         default=measurement.REPOSITORY / "build" / "bench" / "bench_inference",
                         help="default: build/bench/bench_inference (cmake -DFACEPIPE_BENCH=ON)")
    options.add_argument("--model", default=measurement.REPOSITORY / "build" / "models" / "centerface.onnx",
                         help="for bench_inference (default: build/models/centerface.onnx)")
    options.add_argument("--engine", default="openvino", help="as facepipe's (default: openvino)")
    options.add_argument("--settings", default="auto,f32,i8,i8/2", help="default: auto,f32,i8,i8/2")
    options.add_argument("--preset", default="veryfast", help="x264's (default: veryfast)")
    options.add_argument("--crf", default="23", help="x264's (default: 23)")
    options.add_argument("--runs", type=int, default=5, help="of each program (default: 5)")
    options.add_argument("--bound-only", action="store_true", help="without deface")
    options.add_argument("--rounds", type=int, default=3, help="beside the bound (default: 3)")
    return options.parse_args()


def words_of(arguments, setting):
    precision, _, every = setting.partition("/")
    return ["--engine", arguments.engine, "--device", "cpu", "--precision", precision,
            *(["--every", every] if every else [])]


def usable_settings(arguments):
    """Returns the requested settings that facepipe can run, and those that it refuses on this machine."""
    usable, refused = [], []
    for setting in arguments.settings.split(","):
        status = subprocess.run(
            [arguments.facepipe, "run", arguments.clip, "--no-video", "--end", "0.1", "--quiet",
             *words_of(arguments, setting)]).returncode
        if status not in (0, DEVICE_UNUSABLE):
            sys.exit(f"facepipe ended with {status} at {setting}")
        (usable if status == 0 else refused).append(setting)
    return usable, refused


def deface_command(arguments, output):
    # With the default macro_block_size of 16, deface would change a height of 1080 to 1088. With 2, it keeps the size.
    encoder = {"codec": "libx264", "macro_block_size": 2,
               "output_params": ["-preset", arguments.preset, "-crf", arguments.crf]}
    return [arguments.deface, arguments.clip, "--output", output, "--replacewith", "none",
            "--draw-scores", "--keep-audio", "--backend", "onnxrt", "--ffmpeg-config",
            json.dumps(encoder)]


def run_deface(arguments, folder):
    # deface brings its own FFmpeg. With the system's FFmpeg, both programs use the same x264.
    environment = {**os.environ, "IMAGEIO_FFMPEG_EXE": shutil.which("ffmpeg")}
    output = folder / "deface.mp4"
    used = measurement.run(deface_command(arguments, output), environment)
    output.unlink()  # the next run must write a new file; otherwise its unlink() fails
    return used.wall_s


def run_facepipe(arguments, setting, clip, folder):
    output = folder / "facepipe.mp4"
    used, report = measurement.facepipe(
        arguments, [clip, "--output", output, "--draw", "boxes,scores",
                    *words_of(arguments, setting),
                    "--preset", arguments.preset, "--crf", arguments.crf])
    output.unlink()
    return used.wall_s, report[0]


def interleaved(arguments, settings, folder):
    """Returns the wall times of each program's runs, in seconds, and facepipe's last report for each setting."""
    seconds = {name: [] for name in ["deface", *settings]}
    reports = {}
    for run in range(arguments.runs):
        seconds["deface"].append(run_deface(arguments, folder))
        for setting in settings:
            wall_s, reports[setting] = run_facepipe(arguments, setting, arguments.clip, folder)
            seconds[setting].append(wall_s)
        print(f"run {run + 1}:", *(f"{name} {taken[-1]:.2f} s" for name, taken in seconds.items()),
              file=sys.stderr, flush=True)
    return seconds, reports


def ffmpeg_cpu_s(words):
    """Returns the median of the CPU times of three runs, in seconds."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-threads", measurement.cores(), *words]
    return statistics.median(measurement.run(command).cpu_s for _ in range(3))


def codec_cost(arguments, folder, frames):
    """Returns the CPU time per frame of decoding, and that of encoding, in seconds, measured separately."""
    clip, raw = arguments.clip, folder / "frames.y4m"
    decode = ffmpeg_cpu_s(["-i", clip, "-map", "0:v:0", "-f", "null", "-"])
    measurement.run(["ffmpeg", "-nostdin", "-v", "error", "-i", clip, "-map", "0:v:0", raw])
    read = ffmpeg_cpu_s(["-i", raw, "-f", "null", "-"])
    encode = ffmpeg_cpu_s(["-i", raw, "-c:v", "libx264", "-preset", arguments.preset,
                           "-crf", arguments.crf, "-f", "null", "-"])
    raw.unlink()
    return decode / frames, (encode - read) / frames


def inference_cost(arguments, report):
    """Returns the CPU time of one run of the network, in seconds, with the report's engine and precision."""
    used = measurement.run([arguments.bench_inference, arguments.model, report["engine"],
                            report["precision"], *report["network_size"], "--benchmark_format=json",
                            "--benchmark_repetitions=3", "--benchmark_report_aggregates_only=true"])
    rows = json.loads(used.output)["benchmarks"]
    median = next(row for row in rows if row["aggregate_name"] == "median")
    return median["cpu_per_frame"]


def compare(seconds, name):
    """Returns text: the median, least and greatest ratio of deface's time to facepipe's in neighbouring runs."""
    ratios = sorted(peer / own for peer, own in zip(seconds["deface"], seconds[name]))
    return (f"facepipe {name}: {statistics.median(ratios):.2f} times as fast "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f})\n")


def several_times(arguments, folder):
    long_clip = folder / "in_a_row.mp4"
    measurement.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", IN_A_ROW - 1,
                     "-i", arguments.clip, "-c", "copy", long_clip])
    return long_clip


def held_to_bound(arguments, setting, report, codecs, long_clip, folder):
    """Measures one round.

    Returns the CPU milliseconds of inference per frame, the rate, and the rate's share of the bound without start-up
    and from start to exit.
    """
    looks = report["frames_searched"] / report["frames"]["written"]
    before = inference_cost(arguments, report)
    seconds, long_report = run_facepipe(arguments, setting, long_clip, folder)
    inference = looks * (before + inference_cost(arguments, report)) / 2
    bound = measurement.cores() / (codecs + inference)
    rate = long_report["fps"]
    return 1000 * inference, rate, rate / bound, long_report["frames"]["written"] / seconds / bound


def bound_text(arguments, settings, reports, folder):
    """Measures all rounds. Returns text that shows each setting's median round."""
    long_clip = several_times(arguments, folder)
    found = {setting: [] for setting in settings}
    for number in range(arguments.rounds):
        decode, encode = codec_cost(arguments, folder, reports[settings[0]]["frames"]["written"])
        for setting in settings:
            found[setting].append(held_to_bound(arguments, setting, reports[setting], decode + encode,
                                                long_clip, folder))
        print(f"round {number + 1}: decode {1000 * decode:.1f}, encode {1000 * encode:.1f} core-ms; "
              + "; ".join(f"{name} {took[-1][1]:.2f} fps, {took[-1][2]:.3f}"
                          for name, took in found.items()), file=sys.stderr, flush=True)
    text = (f"core-milliseconds a frame of decoding {1000 * decode:.1f}, of encoding {1000 * encode:.1f}; "
            f"the clip {IN_A_ROW} times in a row, the median of {arguments.rounds} rounds:\n")
    for setting, rounds in found.items():
        inference, fps, share, whole = sorted(rounds, key=lambda one: one[2])[arguments.rounds // 2]
        shares = [one[2] for one in rounds]
        text += (f"facepipe {setting}: {fps:.2f} fps, {share:.3f} of the bound ({min(shares):.3f} to "
                 f"{max(shares):.3f}), {whole:.3f} with start-up, inference {inference:.1f}\n")
    return text


def measure(arguments, settings, folder):
    """Runs all measurements. Returns their text, and the reports by setting."""
    if arguments.bound_only:
        reports = {setting: run_facepipe(arguments, setting, arguments.clip, folder)[1] for setting in settings}
        return bound_text(arguments, settings, reports, folder), reports
    seconds, reports = interleaved(arguments, settings, folder)
    frames = next(iter(reports.values()))["frames"]["written"]
    text = f"seconds for {frames} frames\n"
    for program, taken in seconds.items():
        text += f"  {program:<8}" + "".join(f"{wall:9.2f}" for wall in taken) + "\n"
    text += "\n" + "".join(compare(seconds, setting) for setting in settings) + "\n"
    return text + bound_text(arguments, settings, reports, folder), reports


def peer(arguments):
    """Returns the versions of deface and onnxruntime. Ends the program if deface has another version."""
    version = measurement.first_line([arguments.deface, "--version"])
    if not version.endswith(DEFACE_VERSION):
        sys.exit(f"deface {DEFACE_VERSION} is needed, found: {version}")
    return f"{version}, {measurement.first_line([sys.executable, '-c', ORT_VERSION])}"


def main():
    arguments = arguments_given()
    deface = "not run" if arguments.bound_only else peer(arguments)
    settings, refused = usable_settings(arguments)
    if not settings:
        sys.exit(f"facepipe has none of {arguments.settings} here")
    with tempfile.TemporaryDirectory() as name:
        body, reports = measure(arguments, settings, pathlib.Path(name))
    taken = [f"{setting} ({reports[setting]['precision']})" if setting.startswith("auto") else setting
             for setting in settings]
    facts = {**measurement.engine_facts([reports[settings[0]]]),
             "settings": ", ".join([*taken, *(f"no {name} on this processor" for name in refused)]),
             "deface": deface,
             "ffmpeg": measurement.first_line(["ffmpeg", "-version"]).split(" Copyright")[0],
             "x264": f"preset {arguments.preset}, CRF {arguments.crf}"}
    measurement.write_result(arguments, facts, body)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures the CPU time per frame of facepipe's own work in the running pipeline.

Own work is everything except the codecs and the network: colour conversion, decoding of the head's maps, suppression,
drawing, muxing, records. The program measures it with each thread's CPU clock, which doesn't count waiting or the work
of FFmpeg's and the engine's threads. The total is the sum of the stages' medians.
"""
import tempfile

import measurement

CONVERSION = "preprocess"  # the stage that turns YUV into the network's input


def table(stages):
    lines = [f"{'stage':<14}{'p50':>8}{'p95':>8}{'max':>8}   ms of CPU a frame\n"]
    for stage, times in stages.items():
        lines.append(f"{stage:<14}{times['p50']:8.3f}{times['p95']:8.3f}{times['max']:8.3f}\n")
    return "".join(lines)


def main():
    options = measurement.parser(__doc__)
    measurement.add_clip(options)
    measurement.add_engine(options)
    options.add_argument("--draw", default="boxes,scores", help="as facepipe's (default: boxes,scores)")
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = [arguments.clip, "--output", f"{folder}/out.mp4", "--detections",
                 f"{folder}/faces.jsonl", "--latency", f"{folder}/latency.csv",
                 "--engine", arguments.engine, "--precision", arguments.precision,
                 "--draw", arguments.draw, "--preset", "veryfast", "--crf", "23"]
        _, report = measurement.facepipe(arguments, words)
    run = report[0]
    stages = run["own_cpu_ms"]
    total = sum(times["p50"] for times in stages.values())
    without = total - stages[CONVERSION]["p50"]
    faces = run["faces"] / max(run["frames"]["written"], 1)
    facts = {**measurement.engine_facts(report),
             "clip": f"{run['size'][0]}x{run['size'][1]}, {run['frames']['written']} frames, "
                     f"{faces:.1f} faces a frame"}
    body = (table(stages) + f"\nown work, conversion included   {total:6.3f} ms (goal: 6)\n"
            f"without the conversion          {without:6.3f} ms (goal: 3)\n")
    measurement.write_result(arguments, facts, body)


if __name__ == "__main__":
    main()

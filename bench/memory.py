#!/usr/bin/env python3
"""Checks whether facepipe's memory grows: measures its resident size at a late frame minus that at an early frame.

The script repeats the clip, without encoding it again, until it has enough frames.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import clips
import measurement


def memory_mib(pid):
    """Returns the current and the largest resident size of a process, in MiB."""
    fields = {}
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        key, _, value = line.partition(":")
        fields[key] = value
    return tuple(int(fields[key].split()[0]) / 1024 for key in ("VmRSS", "VmHWM"))


def watch(command):
    """Runs facepipe. Returns a list of (frames done, resident MiB, peak MiB), with about one entry a second."""
    samples = []
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        state = json.loads(line)
        if state["status"] == "running":
            samples.append((state["frames"], *memory_mib(process.pid)))
    if process.wait() != 0:
        sys.exit(f"facepipe ended with {process.returncode}")
    return samples


def first_from(samples, frame):
    for sample in samples:
        if sample[0] >= frame:
            return sample
    sys.exit(f"the run ended before frame {frame} was seen")


def main():
    options = measurement.parser(__doc__)
    measurement.add_clip(options)
    measurement.add_engine(options)
    options.add_argument("--early", type=int, default=300, help="frame (default: 300)")
    options.add_argument("--late", type=int, default=3000, help="frame (default: 3000)")
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clip = clips.repeated(arguments.clip, arguments.late + 100, folder)
        report = pathlib.Path(folder) / "report.json"
        samples = watch([arguments.facepipe, "run", clip, "--output", f"{folder}/out.mp4",
                         "--engine", arguments.engine, "--precision", arguments.precision,
                         "--preset", "veryfast", "--draw", "boxes,scores", "--detections",
                         f"{folder}/faces.jsonl", "--latency", f"{folder}/latency.csv",
                         "--report", report, "--progress", "json", "--quiet"])
        run = json.loads(report.read_text())
    early = first_from(samples, arguments.early)
    late = first_from(samples, arguments.late)
    peak = max(sample[2] for sample in samples)
    facts = {**measurement.engine_facts(run),
             "clip": f"{run[0]['size'][0]}x{run[0]['size'][1]}, {run[0]['frames']['written']} frames, "
                     f"{run[0]['fps']:.1f} fps"}
    body = (f"resident at frame {early[0]:<6}{early[1]:9.1f} MiB\n"
            f"resident at frame {late[0]:<6}{late[1]:9.1f} MiB\n"
            f"growth                  {late[1] - early[1]:9.1f} MiB (goal: 16)\n"
            f"peak                    {peak:9.1f} MiB (goal: 1536)\n")
    measurement.write_result(arguments, facts, body)


if __name__ == "__main__":
    main()

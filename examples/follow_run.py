#!/usr/bin/env python3
"""Starts `facepipe run ... --progress json` and follows it: prints a line for each
report of progress, and ends with the run's exit code."""
import json
import subprocess
import sys

command = ["facepipe", "run", *sys.argv[1:], "--progress", "json", "--quiet"]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
    for line in run.stdout:
        now = json.loads(line)
        of = f" of about {now['expected_frames']}" if now["expected_frames"] else ""
        print(f"{now['file']} ({now['status']}): {now['frames']}{of} frames, {now['fps']:.1f} a second", flush=True)
sys.exit(run.returncode)

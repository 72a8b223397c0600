#!/usr/bin/env python3
"""Reads a file of `facepipe run --detections FILE.jsonl`, and prints for each input the frame with the most faces."""
import json
import sys

busiest = {}  # for each input, its frame with the most faces
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        frame = json.loads(line)
        so_far = busiest.get(frame["file"])
        if so_far is None or len(frame["faces"]) > len(so_far["faces"]):
            busiest[frame["file"]] = frame

for name, frame in busiest.items():
    print(f"{name}: {len(frame['faces'])} faces at {frame['pts_s']:.2f} s, in {frame['width']}x{frame['height']} pixels")
    for face in frame["faces"]:
        left, top, right, bottom = face["box"]
        print(f"  score {face['score']:.2f}, {right - left:.0f}x{bottom - top:.0f} pixels at {left:.0f}, {top:.0f}")

#!/usr/bin/env python3
"""Compares the faces that a CUDA device finds with those that the CPU finds (f32), on the same clips.

With --against cuda-plain, it compares them with the faces of the engine cuda-plain, which has one kernel for each
operator.

For each side, the result is the share of its faces with scores above 0.3 that the other side also finds. Two faces
match if their IoU is at least 0.9, and each face matches at most one. Both sides run at a lower threshold, because a
face just above 0.3 on one side can be just below it on the other. --reference runs only the CPU's side, which takes
long and needs no device, and keeps its result for later.
"""
import json
import pathlib
import sys
import tempfile

import face_matching
import frame_times
import measurement

THRESHOLD = "0.2"
GOAL = 0.995
SIDES = {"cpu": ["--device", "cpu", "--precision", "f32"],
         "cuda-plain": ["--device", "cuda", "--engine", "cuda-plain"]}


def arguments_given():
    options = measurement.parser(__doc__)
    options.add_argument("clips", nargs="+", type=pathlib.Path, metavar="CLIP")
    options.add_argument("--against", choices=SIDES, default="cpu", help="(default: cpu)")
    options.add_argument("--kept", type=pathlib.Path, metavar="FOLDER",
                         help="its detections, CLIP.jsonl and CLIP.json, from an earlier --reference")
    options.add_argument("--reference", type=pathlib.Path, metavar="FOLDER",
                         help="run that side alone and write them there")
    options.add_argument("--iou", default="0.3", help="of the suppression (default: 0.3)")
    return options.parse_args()


def detect(arguments, clip, folder, words):
    """Runs facepipe. Writes the detections to CLIP.jsonl and the report to CLIP.json in the folder."""
    _, report = measurement.facepipe(
        arguments, [clip, "--no-video", "--score", THRESHOLD, "--iou", arguments.iou, "--detections",
                    folder / f"{clip.stem}.jsonl", "--overwrite", *words])
    (folder / f"{clip.stem}.json").write_text(json.dumps(report))


def make_reference(arguments, clip, folder):
    folder.mkdir(parents=True, exist_ok=True)
    detect(arguments, clip, folder, SIDES[arguments.against])


def found(folder, clip):
    """Returns the clip's detections and report, which detect() wrote to the folder."""
    with open(folder / f"{clip.stem}.jsonl", encoding="utf-8") as lines:
        return face_matching.read(lines), json.loads((folder / f"{clip.stem}.json").read_text())


def row(name, agreement):
    differences = frame_times.percentiles(agreement.score_differences or [0.0])
    distances = frame_times.percentiles(agreement.landmark_distances or [0.0])
    return (f"{name:<42}{agreement.faces:>8}{agreement.matched:>9}{100 * agreement.share():>9.3f} %   "
            f"{differences[0]:.4f} {differences[2]:.4f}   {distances[0]:6.2f} {distances[2]:6.2f}\n")


def missing_rows(agreement, most=5):
    """Returns rows of text for the faces with the highest scores that the other side lacks."""
    worst = sorted(agreement.missing, key=lambda face: -face[2])[:most]
    return "".join(f"    frame {frame}, score {score:.4f}, box {[round(x, 1) for x in box]}\n"
                   for _, frame, score, box in worst)


def compare(clip, side, other, cuda):
    """Returns rows of text, and whether both sides find enough of each other's faces (GOAL)."""
    forth, back = face_matching.compare(other, cuda), face_matching.compare(cuda, other)
    text = (row(f"{clip.stem}, {side}'s by cuda", forth) + missing_rows(forth) +
            row(f"{clip.stem}, cuda's by {side}", back) + missing_rows(back))
    return text, min(forth.share(), back.share()) >= GOAL and forth.faces > 0


def main():
    arguments = arguments_given()
    if arguments.reference:
        for clip in arguments.clips:
            make_reference(arguments, clip, arguments.reference)
        return
    body = (f"{'':<42}{'faces':>8}{'matched':>9}{'share':>11}   score: p50, p99   landmarks: p50, p99 px\n")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        kept = arguments.kept or pathlib.Path(folder, "reference")
        for clip in arguments.clips:
            if not arguments.kept:
                make_reference(arguments, clip, kept)
            detect(arguments, clip, pathlib.Path(folder), ["--device", "cuda"])
            (other, other_report), (cuda, report) = found(kept, clip), found(pathlib.Path(folder), clip)
            text, reached = compare(clip, arguments.against, other, cuda)
            body += text
            good = good and reached
    body += f"goal: {100 * GOAL} % both ways on each clip: {'reached' if good else 'NOT REACHED'}\n"
    facts = {**measurement.engine_facts(report), "device": measurement.gpu(),
             arguments.against: f"{other_report[0]['engine']}, {other_report[0]['precision']}",
             "setting": f"both sides score > {THRESHOLD}; faces over {face_matching.SCORE} must be "
                        f"matched at IoU {face_matching.IOU}"}
    measurement.write_result(arguments, facts, body)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

"""Measures average precision on WIDER FACE for each rule. Needs the data set, numpy, and scipy or truth.json.

facepipe runs once for each rule. Here D_max is 16,384. With 4,096, facepipe would drop candidates in images of large
crowds before the rule is applied.
"""
import measurement
from nms import published
from nms.tables import Accuracy

SCORE = "0.02"
PUBLISHED = published.rule_options(d_max=16384)
RULES = {
    "greedy": [],
    "matrix as published": PUBLISHED,
    "matrix as published, threshold 0.5": [*PUBLISHED, "--iou", "0.5"],
    "fast": ["--nms-rule", "fast"],
    "diou": ["--nms-overlap", "diou"],
    "soft": ["--nms-rule", "soft"],
    "voting": ["--nms-voting"],
}


def measure(arguments, folder):
    """Returns a row for each rule, and the last run's report of its first image."""
    import wider_ap
    images = arguments.wider / "images"
    rows = []
    for rule, options in RULES.items():
        output = folder / "detections.jsonl"
        overlap = [] if "--iou" in options else ["--iou", "0.3"]
        _, report = measurement.facepipe(
            arguments, [images, "--no-video", "--detections", output, "--score", SCORE, "--device",
                        arguments.device, "--overwrite", *overlap, *options])
        detections = wider_ap.read_detections(output)
        wider_ap.check_complete(detections, images, arguments.wider)
        precisions = wider_ap.by_setting(detections, arguments.wider)
        rows.append(Accuracy(rule, " ".join([*overlap, *options]), len(detections),
                             *(precisions[setting].ap for setting in wider_ap.SETTINGS)))
    return rows, report[0]

"""Measures average precision on WIDER FACE by rule of suppression. Needs the data set, numpy, and scipy or truth.json.

The real program runs once for each rule. Here the matrix has room for 16,384 candidates. With 4,096, images of large
crowds would lose candidates because of the room, not because of the rule.
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

"""Measures precision and recall on WIDER FACE for each detector. Needs the data set, numpy, and scipy or truth.json."""
import measurement
from acf.tables import Accuracy, CurvePoint

SCORE, IOU = "0.02", "0.3"
SETTING = "medium"  # setting for the curves
MOST_POINTS = 100  # points of a curve


def measure(arguments, detector, folder):
    """Returns a detector's Accuracy, its CurvePoints, and the report of its first image."""
    import wider_ap
    images = arguments.wider / "images"
    output = folder / "detections.jsonl"
    _, report = measurement.facepipe(arguments, [
        images, "--no-video", "--detections", output, "--overwrite", "--score", SCORE, "--iou", IOU, "--device",
        arguments.device, "--model", detector.model, *detector.options])
    detections = wider_ap.read_detections(output)
    wider_ap.check_complete(detections, images, arguments.wider)
    precisions = wider_ap.by_setting(detections, arguments.wider)
    row = Accuracy(detector.name, " ".join(detector.options), f"{report[0]['engine']}, {report[0]['precision']}",
                   len(detections), *(precisions[setting].ap for setting in wider_ap.SETTINGS))
    recall, precision, _ = wider_ap.curve(detections, wider_ap.read_truth(arguments.wider, SETTING),
                                          wider_ap.score_scale(detections))
    return row, [CurvePoint(detector.name, SETTING, *point) for point in thinned(list(zip(recall, precision)))], \
        report[0]


def thinned(points):
    """Returns about MOST_POINTS different points at most. They are evenly spaced, and the last point is always
    included."""
    places = [tuple(map(float, point)) for point in dict.fromkeys(points) if point[0] > 0]
    step = -(-len(places) // MOST_POINTS) or 1
    return places[::step] + (places[-1:] if (len(places) - 1) % step else [])

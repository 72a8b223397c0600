#!/usr/bin/env python3
"""Compares the scores of networks by how many false positives they have.

The script runs facepipe with each network on the pictures FOLDER/images, whose faces FOLDER/labels.txt lists (see
docs/models.md). A false positive is a detection that overlaps no face. Detections whose side (the root of the area) is
under 16 pixels don't count.

For each network, the result has its reference score: the score that as many false positives reach as there are
pictures. It is also what `facepipe model check --images FOLDER` finds. The rows below it have the scores that other
numbers of false positives reach, and in parentheses the score to which facepipe maps that of the first network.
"""
import json
import math
import pathlib
import tempfile

import measurement

RATES = (0.1, 0.5, 1, 2, 5, 10)
LEAST_SCORE = 0.01
LEAST_SIDE = 16


def read_labels(folder):
    """Returns {name of the picture: boxes of its faces}."""
    pictures = {}
    for line in (folder / "labels.txt").read_text(encoding="utf-8").splitlines():
        words = line.split()
        if line.startswith("#"):
            faces = pictures.setdefault(" ".join(words[1:-2]), [])
        elif words:
            faces.append([float(word) for word in words])
    return pictures


def overlap(a, b):
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def is_false(box, faces):
    large = (box[2] - box[0]) * (box[3] - box[1]) >= LEAST_SIDE ** 2
    return large and not any(overlap(box, face) for face in faces)


def false_scores(lines, pictures):
    """Returns the scores of all false positives, highest first. `lines` are those of --detections."""
    scores = []
    for line in lines:
        frame = json.loads(line)
        faces = pictures[frame["file"]]
        scores += [face["score"] for face in frame["faces"] if is_false(face["box"], faces)]
    return sorted(scores, reverse=True)


def score_at(scores, rate, pictures):
    """Returns the score that `rate` false positives in each picture reach; None if there are fewer."""
    number = round(rate * pictures)
    return scores[number - 1] if len(scores) >= number else None


def mapped(score, usual, reference):
    """Returns the score to which facepipe maps a score of the first network."""
    if score <= usual:
        return score ** (math.log(reference) / math.log(usual))
    return 1 - (1 - score) * (1 - reference) / (1 - usual)


def detect(arguments, model, pictures):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "d.jsonl"
        _, report = measurement.facepipe(
            arguments, [arguments.folder / "images", "--no-video", "--detections", output, "--score",
                        str(LEAST_SCORE), "--device", "cpu", "--precision", "f32", "--model", model])
        with open(output, encoding="utf-8") as lines:
            return false_scores(lines, pictures), report


def row(rate, columns):
    text = f"{rate:<9}"
    for score, other in columns:
        text += f"{'under ' + str(LEAST_SCORE) if score is None else f'{score:.3f}':>12}"
        text += f" ({other:.3f})" if other is not None else 8 * " "
    return text.rstrip() + "\n"


def table(found, pictures):
    """Returns the lines of the result. `found` has a (name, scores) for each network."""
    body = f"{'':<9}" + "".join(f"{name[:19]:>12}{'':8}" for name, _ in found).rstrip() + "\n"
    references = [score_at(scores, 1, pictures) for _, scores in found]
    usual = references[0]
    for rate in RATES:
        own = [score_at(scores, rate, pictures) for _, scores in found]
        body += row(rate, [(score, mapped(own[0], usual, reference) if i else None)
                           for i, (score, reference) in enumerate(zip(own, references))])
    return body


def main():
    options = measurement.parser(__doc__)
    options.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="has labels.txt and images/")
    options.add_argument("models", nargs="+", type=pathlib.Path, metavar="MODEL", help="ONNX; the first is CenterFace")
    arguments = options.parse_args()
    pictures = read_labels(arguments.folder)
    found = []
    for model in arguments.models:
        scores, report = detect(arguments, model, pictures)
        found.append((model.stem, scores))
    facts = {"engine": f"{report[0]['engine']}, f32, on {report[0]['device']}",
             "setting": f"{len(pictures)} pictures with {sum(map(len, pictures.values()))} faces; the rows are false "
                        "positives in each picture, the row 1 has the reference scores"}
    if not arguments.name:
        arguments.name = "reference_scores"
    measurement.write_result(arguments, facts, table(found, len(pictures)))


if __name__ == "__main__":
    main()

"""wider_truth.py FOLDER: reads WIDER FACE's official .mat files in FOLDER and stores the truth as FOLDER/truth.json.

The file is for machines without scipy, which the .mat files need. wider_ap.py uses it if it exists. If FOLDER/images
exists, only the truth of the images in it is stored.
"""
import json
import pathlib
import sys

import wider_ap


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: wider_truth.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    wanted = {str(path.relative_to(folder / "images")) for path in (folder / "images").rglob("*.jpg")}
    truth = {}
    for setting in wider_ap.SETTINGS:
        images = wider_ap.read_official_truth(folder, setting)
        truth[setting] = {image: (faces.tolist(), counts.tolist())
                          for image, (faces, counts) in images.items() if not wanted or image in wanted}
    (folder / "truth.json").write_text(json.dumps(truth), encoding="utf-8")


if __name__ == "__main__":
    main()

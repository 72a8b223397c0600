"""Keeps where and how each part was measured, in facts.json beside the tables."""
import datetime
import json
import platform
import sys

import measurement


def read(folder):
    path = folder / "facts.json"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    return {"inputs": {}, "parts": {}, "missing": {}}


def write(folder, facts):
    text = json.dumps(facts, indent=1, ensure_ascii=False, sort_keys=True)
    (folder / "facts.json").write_text(text + "\n", encoding="utf-8")


def of_part(arguments, repeats, report):
    """Returns where and how a part was measured. `report` is facepipe's report on an input, or None."""
    gpu = measurement.gpu()
    engine = f"{report['engine']}, {report['precision']}, on {report['device']}" if report else "not run"
    return {
        "command": " ".join(["experiments/measure.py", *map(measurement.shown, sys.argv[1:])]),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "machine": f"{measurement.processor()}, {measurement.cores()} cores",
        "gpu": gpu if has_gpu(arguments) else "none",
        "system": f"Linux {platform.release()}, Python {platform.python_version()}",
        "facepipe": f"{measurement.facepipe_version(arguments)}revision {measurement.revision()}",
        "engine": engine,
        "repeats": repeats,
    }


def has_gpu(arguments):
    """Returns whether there is a GPU. The option --device decides; if it is "auto", nvidia-smi decides."""
    if arguments.device != "auto":
        return arguments.device.startswith("cuda")
    return measurement.first_line(["nvidia-smi", "-L"]).startswith("GPU ")

"""Has functions for all measurements: they run programs, measure their CPU time, and write results."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
RESULTS = REPOSITORY / "bench" / "results"


@dataclass
class Usage:
    """Holds the resources that one program used."""

    wall_s: float
    cpu_s: float  # user and system time, including children for which the program waited
    peak_mib: float
    output: str  # standard output


def run(command, environment=None):
    """Runs a program until it ends. If the program fails, ends the script with the program's stderr."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=errors, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        wall_s = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0:
            text = errors.read().decode(errors="replace")
            sys.exit(f"{command[0]} ended with {process.returncode}:\n{text}")
        return Usage(wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024,
                     output.read().decode(errors="replace"))


def parser(description):
    """Returns an argument parser with the options that every measurement has."""
    options = argparse.ArgumentParser(description=description,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--facepipe", default=REPOSITORY / "build" / "facepipe",
                         help="the program (default: build/facepipe)")
    options.add_argument("--name", help="of the text file in bench/results (default: the script's)")
    return options


def add_clip(options):
    options.add_argument("--clip", type=pathlib.Path,
                         default=REPOSITORY / "data" / "generated" / "demo.mp4",
                         help="video to run on (default: the demo clip, which ./dev demo makes)")


def add_engine(options):
    options.add_argument("--engine", default="auto", help="as facepipe's (default: auto)")
    options.add_argument("--precision", default="auto", help="as facepipe's (default: auto)")


def add_detector(options):
    options.add_argument("--model", help="as facepipe's (default: its own)")
    options.add_argument("--more", action="append", default=[], metavar="WORD",
                         help="another word for facepipe run, like --more=--min-face=20; may be given again")


def detector_words(arguments):
    """Returns the words of facepipe's command line for the options that add_detector() adds."""
    return [*(["--model", arguments.model] if arguments.model else []), *arguments.more]


def add_program(options, program, dest=None):
    """Adds an option --NAME for the path of a measuring program, which is in build/bench by default."""
    # pathlib shortens "./name" to "name", and the system would search PATH for "name". An absolute path avoids this.
    options.add_argument("--" + program.replace("_", "-"), dest=dest or program, metavar="PROGRAM",
                         type=lambda text: pathlib.Path(text).resolve(),
                         default=REPOSITORY / "build" / "bench" / program,
                         help=f"default: build/bench/{program} (cmake -DFACEPIPE_BENCH=ON)")


def facepipe(arguments, words, environment=None, command="run"):
    """Runs `facepipe run`, or another command, with `words`. Returns its usage, and its reports (one for each
    input)."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        used = run([arguments.facepipe, command, *words, "--report", report, "--quiet",
                    "--progress", "none"], environment)
        return used, json.loads(report.read_text())


def cores():
    return len(os.sched_getaffinity(0))


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def first_line(command):
    try:
        found = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    except OSError:
        return "not found"
    return (found.stdout or found.stderr).partition("\n")[0].strip()


def gpu():
    """Returns the name, driver version and largest clock of the first device."""
    return first_line(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm",
                       "--format=csv,noheader"])


def gpus():
    """Returns the number of GPUs that nvidia-smi finds."""
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    except OSError:
        return 0
    return sum(line.startswith("GPU ") for line in listed.splitlines())


def revision():
    found = subprocess.run(["git", "-C", REPOSITORY, "describe", "--always", "--dirty",
                            "--abbrev=10"], capture_output=True, text=True)
    # If the sources were copied without their history, FACEPIPE_REVISION names the revision.
    return found.stdout.strip() or os.environ.get("FACEPIPE_REVISION", "unknown")


def facepipe_version(arguments):
    """Returns the program's version and ", ". Returns "" if the program isn't found: some measurements need only parts
    of it."""
    version = first_line([arguments.facepipe, "--version"])
    return "" if version == "not found" else version + ", "


def shown(word):
    """Returns a word of the command line as the result shows it: without the folders of this machine."""
    path = pathlib.Path(word)
    if not path.is_absolute():
        return str(word)
    if path.is_relative_to(REPOSITORY):
        return str(path.relative_to(REPOSITORY))
    return f".../{path.name}"


def headed(arguments, facts, body):
    """Returns the text of a result, below a head that says where and how it was measured."""
    command = " ".join(["bench/" + pathlib.Path(sys.argv[0]).name, *(shown(word) for word in sys.argv[1:])])
    head = {
        "command": command,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "machine": f"{processor()}, {cores()} cores",
        "system": f"Linux {platform.release()}, Python {platform.python_version()}",
        "facepipe": f"{facepipe_version(arguments)}revision {revision()}",
        **facts,
    }
    return "".join(f"{key + ':':<12}{value}\n" for key, value in head.items()) + "\n" + body


def write_result(arguments, facts, body):
    """Prints a result and writes it into bench/results."""
    name = arguments.name or pathlib.Path(sys.argv[0]).stem
    text = headed(arguments, facts, body)
    print(text, end="")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.txt").write_text(text)


def engine_facts(report):
    """Returns the engine and the model that the first input's report names."""
    first = report[0]
    model = first["model"]
    return {"engine": f"{first['engine']}, {first['precision']}, on {first['device']}",
            "model": f"{model['kind']}, SHA-256 {model['sha256'][:16]}..."}

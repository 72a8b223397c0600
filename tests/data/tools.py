"""Has helpers for tests of the tools of bench/, data/ and experiments/.

They choose a Python that has the needed packages, and load the tools as modules or run them as commands. They also run
the program with a model that a tool made.
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
from unittest import mock

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # exit code that means "skipped" to ctest (see CMakeLists.txt)


def need(*packages):
    """Continues in a Python that has these packages: this Python, or one that ./dev has installed.

    If there is none, skips all tests.
    """
    made = [SOURCE / "build" / name / "bin" / "python" for name in ("test-python", "bench-python")]
    for python in (sys.executable, *map(str, made)):
        if not os.access(python, os.X_OK) or subprocess.run(
                [python, "-c", "import " + ", ".join(packages)], capture_output=True).returncode != 0:
            continue
        if python != sys.executable:
            os.execv(python, [python, "-B", *sys.argv])
        return
    print(f"skipped: no Python with {', '.join(packages)} here: ./dev test makes one, build/test-python")
    sys.exit(SKIPPED)


def script(path):
    """Loads a script as a module, although its name doesn't end with .py. `path` is relative to the repository."""
    loader = importlib.machinery.SourceFileLoader(path.rpartition("/")[2].replace("-", "_"), str(SOURCE / path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # dataclasses look the module up here
    loader.exec_module(module)
    return module


def command(path, *words, python=("-B",), **options):
    return subprocess.run([sys.executable, *python, SOURCE / path, *words], capture_output=True,
                          text=True, check=False, **options)


def called(tool, *words):
    """Works like command(), but in this process, so that Python and the packages are loaded only once.

    Returns (end, stdout, stderr). `end` is 0, another exit code, or the line that Python would print before it ends
    with 1.
    """
    said, complained = io.StringIO(), io.StringIO()
    end = 0
    with mock.patch.object(sys, "argv", [tool.__name__.replace("_", "-"), *map(str, words)]), \
            contextlib.redirect_stderr(complained), contextlib.redirect_stdout(said):
        try:
            tool.main()
        except SystemExit as ended:
            end = ended.code
    return end, said.getvalue(), complained.getvalue()


def refusal(tool, *words):
    """Returns the line with which a script refuses `words`. Expects that the script writes nothing else to stderr."""
    end, _, complained = called(tool, *words)
    assert isinstance(end, str) and "\n" not in end and not complained, (words, end, complained)
    return end


def check_misuse(case, tool, option, *words):
    """Expects that the script refuses an option like argparse: the exit code is 2, and the last line has the reason."""
    end, _, complained = called(tool, *words)
    case.assertEqual(end, 2)
    case.assertRegex(complained, rf"\n{tool.__name__.replace('_', '-')}: error: argument {option}: [^\n]+\n\Z")


def program_faces(model, picture, *words):
    """Returns the faces that the program finds with a model file, or None if the test has no program."""
    program = os.environ.get("FACEPIPE_PROGRAM")
    if not program:
        return None
    found = picture.with_suffix(".jsonl")
    ended = subprocess.run([program, "run", picture, "--model", model, "--device", "cpu", "--no-video",
                            "--detections", found, "--overwrite", *words],
                           capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(found.read_text(encoding="utf-8"))["faces"]

"""Runs the tests of this folder with a Python that has pytest: this Python, or Debian's. Without one, skips them."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77  # exit code that means "skipped" to ctest (see CMakeLists.txt)

for python in (sys.executable, "/usr/bin/python3"):
    if os.access(python, os.X_OK) and not subprocess.run([python, "-c", "import pytest"], capture_output=True).returncode:
        os.environ["PYTHONPATH"] = str(HERE.parents[1] / "python")
        os.execv(python, [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE), *sys.argv[1:]])
print("skipped: no Python with pytest here; Debian's package is python3-pytest")
sys.exit(SKIPPED)

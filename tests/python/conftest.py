"""Has the inputs of the tests: those of the documentation's examples (tests/docs/running.py)."""
import pathlib
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "docs"))


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """Returns a folder with clip.mp4, in which a face moves over ten frames. Tests don't change it."""
    from running import make_inputs

    folder = tmp_path_factory.mktemp("inputs")
    make_inputs(folder)
    return folder

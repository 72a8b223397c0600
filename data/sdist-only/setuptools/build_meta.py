"""Replaces setuptools while pip downloads a source package, so that no code of the package runs.

Before pip saves a source package, it asks the package's build system for the metadata of the package. For this, pip
would install the build system in any version. But the package already contains the metadata: PKG-INFO.
"""

import email
import pathlib
import shutil


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    metadata = email.message_from_string(pathlib.Path("PKG-INFO").read_text(encoding="utf-8"))
    info = pathlib.Path(metadata_directory, f"{metadata['Name']}-{metadata['Version']}.dist-info")
    info.mkdir()
    shutil.copy("PKG-INFO", info / "METADATA")
    return info.name


# Some packages have their own build system, which imports these functions from here.

def get_requires_for_build_sdist(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("only downloads")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    raise NotImplementedError("only downloads")

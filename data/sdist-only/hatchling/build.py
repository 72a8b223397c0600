"""Replaces hatchling, the build system of some packages, in the same way as ../setuptools replaces setuptools."""

from setuptools.build_meta import (  # noqa: F401
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_wheel,
)

"""Stands in for hatchling, which some packages name as their build system, as ../setuptools does for others."""

from setuptools.build_meta import (  # noqa: F401
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_wheel,
)

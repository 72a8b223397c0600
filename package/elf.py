"""Reads ELF files with readelf: the libraries that they need, and the versions of symbols that they use."""
import re
import subprocess


def readelf(option, path):
    return subprocess.run(["readelf", "--wide", option, path], capture_output=True, text=True, check=True).stdout


def needed(path):
    """Returns the names of the libraries that a file needs."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", path))


def search_path(path):
    """Returns the folders in which a file looks for libraries, as it stores them; "" if it stores none."""
    found = re.search(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", readelf("--dynamic", path))
    return found[1] if found else ""


def symbol_versions(path):
    """Returns the versions of other libraries' symbols that a file uses, such as ("libc.so.6", "GLIBC_2.36")."""
    versions, library = set(), ""
    in_needs = False
    for line in readelf("--version-info", path).splitlines():
        if line.startswith("Version "):
            in_needs = line.startswith("Version needs section")
        if not in_needs:
            continue
        if found := re.search(r"File: (\S+)", line):
            library = found[1]
        elif found := re.search(r"Name: (\S+)", line):
            versions.add((library, found[1]))
    return versions

#!/usr/bin/env python3
"""deb.py TREE --name NAME --version VERSION --work FOLDER --to FILE: packs an installed facepipe as a Debian package.

The libraries are private, in /usr/lib/facepipe. So one package serves Debian 12 and all later versions. FOLDER gets the
files as they will be installed. Equal trees give equal files, because dpkg-deb takes times from SOURCE_DATE_EPOCH.
"""
import email.utils
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess

import xz
from arguments import packing

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: What an archive of ar begins with.
AR = b"!<arch>\n"
#: The package has no address of a maintainer, because the project publishes none.
MAINTAINER = "The authors of facepipe"
#: The runtime that stays outside (promise.py), with the versions in which Debian 12 has it.
DEPENDS = "libbz2-1.0, libc6 (>= 2.36), libgcc-s1 (>= 3.0), libstdc++6 (>= 12), zlib1g (>= 1:1.2.13)"
#: Every Debian system has these libraries of DEPENDS, so they needn't be private.
OF_DEBIAN = ("libbz2.so.1.0", "libz.so.1")

CONTROL = """\
Package: {name}
Version: {version}
Architecture: amd64
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Suggests: ffmpeg, opencv-data, python3:any
{relations}Section: video
Priority: optional
Description: finds faces in video, and draws boxes around them or hides them
 facepipe decodes a video, finds the faces in each frame, and writes a video
 in which the faces have boxes or are hidden. It keeps sound, subtitles and
 timing, counts every frame, and can verify that a hidden video shows no face.
 .
 The package contains the face model, and the libraries that facepipe needs:
 FFmpeg, OpenVINO and OpenCV. {computes}
"""
#: What differs between the package for the CPU and the one for GPUs. They have the same files, so only one can be
#: installed.
KINDS = {
    "facepipe": {"relations": "Conflicts: facepipe-cuda\nReplaces: facepipe-cuda\n",
                 "computes": "It computes on the CPU."},
    "facepipe-cuda": {"relations": "Provides: facepipe\nConflicts: facepipe\nReplaces: facepipe\n",
                      "computes": "It computes on NVIDIA's GPUs\n with a driver from version 580 on, or else on the CPU."},
}

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: facepipe
Comment:
 The package contains libraries of others, two of them under the GPL. The files
 in /usr/share/doc/{name}/licences say what holds for each of them.

Files: *
Copyright: 2026 the authors of facepipe
License: Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
"""

CHANGELOG = """\
{name} ({version}) unstable; urgency=medium

  * history.md beside this file lists the changes.

 -- {maintainer} <>  {date}
"""


def main():
    asked = packing(__doc__, name=str, version=str, work=pathlib.Path)
    shutil.rmtree(asked.work, ignore_errors=True)
    shutil.copytree(asked.tree, asked.work / "usr")
    arrange_as_debian(asked.work / "usr", asked.name, asked.version)
    write_control(asked.work, asked.name, asked.version)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", asked.work, asked.to], check=True,
                   stdout=subprocess.DEVNULL)
    compress_members(asked.to)


def arrange_as_debian(usr, package, version):
    """Moves files to where Debian's packages have them, and adds those that each package has."""
    share, doc = usr / "share", usr / "share" / "doc" / package
    if package != "facepipe":
        (share / "doc" / "facepipe").rename(doc)
    (share / "zsh" / "site-functions").rename(share / "zsh" / "vendor-completions")
    for page in sorted((share / "man").rglob("*.1")):
        compress(page.read_bytes(), page.with_name(page.name + ".gz"))
        page.unlink()
    (doc / "LICENSE").unlink()  # Debian has this text once for all packages
    (doc / "CHANGELOG.md").rename(doc / "history.md")  # Debian uses the name for the changes of the package itself
    for name in OF_DEBIAN:
        (usr / "lib" / "facepipe" / name).unlink()
    (doc / "copyright").write_text(COPYRIGHT.format(name=package), encoding="utf-8")
    date = email.utils.formatdate(int(os.environ["SOURCE_DATE_EPOCH"]))
    changes = CHANGELOG.format(name=package, version=version, maintainer=MAINTAINER, date=date)
    compress(changes.encode(), doc / "changelog.gz")
    overrides = share / "lintian" / "overrides"
    overrides.mkdir(parents=True)
    text = (ROOT / "package" / "lintian-overrides").read_text(encoding="utf-8")
    (overrides / package).write_text(re.sub(r"^facepipe:", f"{package}:", text, flags=re.MULTILINE), encoding="utf-8")
    for path in usr.rglob("*"):
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def compress_members(package):
    """Compresses the tar archives of a package, because dpkg-deb can't use the filter for x86 itself.

    A package is an archive of ar: each member has a header of 60 characters, and begins at an even position.
    """
    content = package.read_bytes()
    assert content.startswith(AR)
    with package.open("wb") as file:
        file.write(AR)
        position = len(AR)
        while position < len(content):
            header = content[position:position + 60]
            name, size = header[:16].decode().strip(), int(header[48:58])
            member = content[position + 60:position + 60 + size]
            if name.endswith(".tar"):
                name, member = name + ".xz", xz.compress(member)
            file.write(name.ljust(16).encode() + header[16:48] + str(len(member)).ljust(10).encode() + header[58:])
            file.write(member + b"\n" * (len(member) % 2))
            position += 60 + size + size % 2


def compress(content, to):
    to.write_bytes(gzip.compress(content, 9, mtime=0))


def write_control(work, package, version):
    files = sorted(path for path in (work / "usr").rglob("*") if path.is_file())
    size = sum(-(-path.stat().st_size // 1024) for path in files)
    control = work / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(
        CONTROL.format(name=package, **KINDS[package], version=version, maintainer=MAINTAINER, size=size, depends=DEPENDS), encoding="utf-8")
    (control / "md5sums").write_text(
        "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(work)}\n" for path in files),
        encoding="utf-8")


if __name__ == "__main__":
    main()

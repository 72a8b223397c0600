#!/usr/bin/env python3
"""wheel.py TREE --name NAME --version VERSION --to FILE: packs the Python module and an installed facepipe as a wheel.

The program, its libraries and its model are in the module's folder. pip installs the man pages and the scripts for
shells below the environment's share/. Equal trees give equal files. NAME is the name of the package; the module's name
is facepipe.
"""
import base64
import hashlib
import os
import pathlib
import time
import zipfile

from arguments import packing

ROOT = pathlib.Path(__file__).resolve().parents[1]
TAG = "py3-none-manylinux_2_36_x86_64"
#: What pip puts into share/ of the environment. The other files of share/ are in the module's folder.
SHARED = ("man", "bash-completion", "zsh", "fish")

METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: Finds faces in video, draws boxes around them or hides them
License-Expression: Apache-2.0 AND GPL-2.0-or-later
{licence_files}
Requires-Python: >=3.9
Provides-Extra: numpy
Requires-Dist: numpy; extra == "numpy"
Provides-Extra: ray
Requires-Dist: ray>=2.60; extra == "ray"
Requires-Dist: tqdm; extra == "ray"
Requires-Dist: prometheus-client; extra == "ray"
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Multimedia :: Video
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{description}"""


def main():
    asked = packing(__doc__, name=str, version=str)
    beginning = f"{asked.name.replace('-', '_')}-{asked.version}"
    info = f"{beginning}.dist-info"
    files = {**module_files(asked.tree), **shared_files(asked.tree, beginning), **licence_files(asked.tree, info)}
    texts = {f"{info}/{name}": text for name, text in info_texts(files, asked.name, asked.version, info).items()}
    write(asked.to, files, texts, f"{info}/RECORD")


def module_files(tree):
    """Returns the files of the folder facepipe/ as {name in the wheel: path}."""
    found = {f"facepipe/{path.name}": path for path in (ROOT / "python" / "facepipe").iterdir() if path.is_file()}
    for folder in ("bin", "lib", "share/facepipe"):
        found.update(files_below(tree / folder, f"facepipe/{folder}"))
    return found


def shared_files(tree, beginning):
    found = {}
    for folder in SHARED:
        found.update(files_below(tree / "share" / folder, f"{beginning}.data/data/share/{folder}"))
    return found


def licence_files(tree, info):
    doc = tree / "share" / "doc" / "facepipe"
    return {**files_below(doc / "licences", f"{info}/licenses"), f"{info}/licenses/LICENSE": doc / "LICENSE",
            f"{info}/sboms/sbom.cdx.json": doc / "sbom.cdx.json"}


def files_below(folder, name):
    return {f"{name}/{path.relative_to(folder)}": path for path in folder.rglob("*") if path.is_file()}


def info_texts(files, name, version, info):
    licences = sorted(file.removeprefix(f"{info}/licenses/") for file in files if file.startswith(f"{info}/licenses/"))
    return {
        "METADATA": METADATA.format(name=name, version=version, description=description(),
                                    licence_files="\n".join(f"License-File: {file}" for file in licences)),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: facepipe's package/wheel.py\nRoot-Is-Purelib: false\nTag: {TAG}\n",
        "entry_points.txt": "[console_scripts]\nfacepipe = facepipe.__main__:main\n"
                            "facepipe-ray = facepipe.cluster:main\n",
    }


def description():
    """Returns the page about the module. Its links to other pages would lead nowhere outside the repository."""
    import re
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", (ROOT / "docs" / "python.md").read_text(encoding="utf-8"))


def write(to, files, texts, record):
    """Writes the wheel. The list of its files with their hashes is the last one."""
    lines = []
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(name, content, mode):
            entry = zipfile.ZipInfo(name, time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content, compresslevel=9)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}")

        for name, path in sorted(files.items()):
            add(name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
        for name, text in sorted(texts.items()):
            add(name, text.encode(), 0o644)
        add(record, "".join(f"{line}\n" for line in [*lines, f"{record},,"]).encode(), 0o644)


if __name__ == "__main__":
    main()

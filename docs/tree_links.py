"""A hook of mkdocs: pages may link to files outside of docs/, such as ../bench/results/memory.txt.

With this hook, the same link works on the site that mkdocs builds, and on a website that shows the Markdown files of
the repository. The hook copies the linked files into the site's folder tree/. A linked Markdown file becomes a page,
and the hook follows its links, too. A linked folder becomes a page that lists its files. If a link leads nowhere, the
hook warns; with mkdocs' option --strict, this warning is an error.
"""
import logging
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

LOG = logging.getLogger("mkdocs.plugins.tree_links")
TREE = pathlib.Path(__file__).resolve().parents[1]
PAGES = "docs/"
# The hook also checks the links of these Markdown files, even if no page links to them.
ROOTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/results/README.md",
         "data/LICENSES.md", "docker/README.md"]

FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?(?=\))")
ELSEWHERE = re.compile(r"^[a-z]+:")


def outside_fences(text):
    """Yields `text` in pieces: (piece, whether links in the piece count). Links in blocks of code don't count."""
    end = 0
    for fence in FENCE.finditer(text):
        yield text[end:fence.start()], True
        yield fence.group(), False
        end = fence.end()
    yield text[end:], True


def target_of(source, link):
    """Returns the path in the tree to which the Markdown file `source` links; None for a link to another server."""
    if ELSEWHERE.match(link["path"]):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link["path"]))


def targets(source):
    for piece, counts in outside_fences((TREE / source).read_text(encoding="utf-8")):
        for link in LINK.finditer(piece) if counts else ():
            if (target := target_of(source, link)) is not None:
                yield target


def source_of(uri):
    """Returns the path in the tree of the file whose place on the site is `uri`."""
    return uri.removeprefix("tree/") if uri.startswith("tree/") else PAGES + uri


def uri_of(path):
    uri = path.removeprefix(PAGES) if path.startswith(PAGES) else "tree/" + path
    return uri + "/index.md" if (TREE / path).is_dir() else uri


def files_in(folder):
    return sorted(file.name for file in (TREE / folder).iterdir() if file.is_file())


def page_of(folder):
    return f"# {folder}\n\n" + "".join(f"* [{name}]({name})\n" for name in files_in(folder))


def on_files(files, config):
    waiting = [source_of(file.src_uri) for file in files.documentation_pages()] + ROOTS
    seen = set(waiting)
    while waiting:
        source = waiting.pop()
        if (TREE / source).is_dir():
            files.append(File.generated(config, uri_of(source), content=page_of(source)))
            listed = {f"{source}/{name}" for name in files_in(source)} - seen
            seen |= listed
            waiting += listed
        elif not source.startswith(PAGES):
            files.append(File.generated(config, uri_of(source), abs_src_path=str(TREE / source)))
        if not source.endswith(".md"):
            continue
        for target in targets(source):
            if target in seen or target.startswith(PAGES):  # mkdocs itself checks links among pages
                continue
            seen.add(target)
            if not target.startswith("..") and (TREE / target).exists():
                waiting.append(target)
            else:
                LOG.warning("%s links to %s, which doesn't exist", source, target)
    return files


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri

    def moved(link):
        target = target_of(source_of(here), link)
        if target is None:
            return link.group()
        return posixpath.relpath(uri_of(target), posixpath.dirname(here) or ".") + (link["anchor"] or "")

    return "".join(LINK.sub(moved, piece) if counts else piece for piece, counts in outside_fences(markdown))

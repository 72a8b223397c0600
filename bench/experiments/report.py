"""REPORT.md: a section a paper, and what all sections tell alike: what is missing, and where a part ran."""
import pathlib

HEAD = """# The papers' experiments, repeated

Made by `./dev experiments`, a section a paper: tables as CSV, figures as SVG and PNG. What is published was measured
on other machines and other pictures: it stands beside ours, and is no baseline.
"""


def write(folder, sections):
    (folder / "REPORT.md").write_text("\n".join([HEAD, *sections]), encoding="utf-8")


def images(captions, names, tables):
    """Those of the figures that were drawn, each with its caption."""
    figures = pathlib.PurePosixPath(tables, "figures")
    return [f"![{name}]({figures}/{name}.svg)\n\n*{captions[name]}*\n" for name in names if name in captions]


def missing(results, parts):
    gone = {part: "not run" for part in parts if part not in results.facts["parts"]}
    gone |= results.facts["missing"]
    if not gone:
        return "### Missing\n\nNothing: all parts were measured.\n"
    return ("### Missing\n\n" + "".join(f"* `{part}`: {one_line(why)}.\n"
                                        for part, why in sorted(gone.items())))


def one_line(text):
    return " ".join(text.split()).rstrip(":.") or "for reasons unknown"


def provenance(results):
    lines = ["### Machine and commands\n"]
    for part, told in sorted(results.facts["parts"].items()):
        lines.append(f"* `{part}`: {told['date']}, {told['machine']}, GPU {told['gpu']}, {told['system']}, "
                     f"{told['facepipe']}, engine {told['engine']}, repeats {told['repeats']}: "
                     f"`{told['command']}`")
    return "\n".join(lines) + "\n"

"""Writes REPORT.md, which has a section for each paper. Each section also says what is missing and where a part ran."""
import pathlib

HEAD = """# The papers' experiments, repeated

Made by `./dev experiments`, a section a paper: tables as CSV, figures as PNG. What is published was measured
on other machines and other pictures: it stands beside ours, and is not a baseline.
"""


def write(folder, sections):
    (folder / "REPORT.md").write_text("\n".join([HEAD, *sections]), encoding="utf-8")


def section_of(results, captions, tables, opening, claims, headings, parts, part_of):
    """Returns a paper's section: the text `opening`, the missing parts, the claims, and the headings with their
    figures.

    `tables` is the folder of the tables, relative to the report; figures are in its folder figures. `captions` is
    {figure: caption} of the drawn figures. `headings` has for each heading its title, the tables that it describes, the
    function that makes its text from the results, and its figures. `parts` are all parts; `part_of` is {table: part}.
    """
    texts = [*opening, missing(results, parts), claims, "### Tables and figures\n"]
    for title, sources, text_of, drawn in headings:
        text = text_of(results)
        texts.append(f"#### {title}\n")
        if not text and not any(name in captions for name in drawn):
            texts.append(f"Not measured: {why_missing(results, [part_of[source] for source in sources])}.\n")
            continue
        texts.append(text)
        texts += images(captions, drawn, tables)
    texts.append(provenance(results))
    return "\n".join(text for text in texts if text)


def why_missing(results, parts):
    gone = results.facts["missing"]
    return "; ".join(dict.fromkeys(one_line(gone.get(part) or gone.get(f"{part}, in part") or "this part was not run")
                                   for part in parts))


def images(captions, names, tables):
    """Returns those of the figures that were drawn, each with its caption."""
    figures = pathlib.PurePosixPath(tables, "figures")
    return [f"![{name}]({figures}/{name}.png)\n\n*{captions[name]}*\n" for name in names if name in captions]


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

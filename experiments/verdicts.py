"""Judges a paper's claims on the inputs of one run, and compares the verdicts with those of other runs.

A claim is a function of results. It returns a text "* **CLAIM: VERDICT.** NUMBERS", or "" if nothing was measured.
"""
import re

from markdown import table

HEADING = re.compile(r"\*\*(.+?)\*\*")


def section(title, claims, results, beside=()):
    """Returns the section on the claims, with a table of the claims whose verdicts differ on other inputs.

    `beside` are results of other runs for the same paper.
    """
    told = {claim: text for claim in claims if (text := claim(results))}
    if not told:
        return f"### {title}\n\nNone could be tested here.\n"
    return f"### {title}\n\n" + "\n".join(told.values()) + "".join(compared(told, results, other) for other in beside)


def compared(told, results, other):
    """Returns a text: how many claims have the same verdict on other inputs, and a table of the other claims."""
    both = {claim: (heading(text), heading(again)) for claim, text in told.items() if (again := claim(other))}
    if not both:
        return ""
    names = [", ".join(labels(one)) for one in (results, other)]
    differ = [verdicts for verdicts in both.values() if verdicts[0] != verdicts[1]]
    text = (f"\n**On {names[1]}**, {len(both)} of these claims could be tested, and {len(both) - len(differ)} have the "
            "same verdict, word for word.")
    return text + (" The others:\n\n" + table((f"on {names[0]}", f"on {names[1]}"), differ) if differ else "\n")


def heading(text):
    return HEADING.search(text)[1].rstrip(".")


def labels(results):
    return [one["label"] for one in results.facts["inputs"].values()]

"""Finds the rows of one model and one picture, for claims, figures and the report."""
from dataclasses import dataclass

from results import where

ON_A_CORE = ("fine alone, plain loops on a core", "coarse and fine, plain loops on a core")
HYBRIDS = ("hybrid, compaction", "hybrid, tail launch", "hybrid, a launch a window")
PUBLISHED_FEATURES = "features as published"
STEPS = ("upload", "luv", "smooth", "gradient", "normalize", "bins", "shrink", "cells")


@dataclass
class Shown:
    """Identifies a model and a picture."""

    model: str
    input: str

    def label(self, results):
        return f"{self.model}s, {results.label(self.input)}"


def all_shown(results):
    """Returns all models and pictures: pedestrians before faces, as in the paper, and a crowd before fewer people."""
    found = dict.fromkeys((row.model, row.input) for row in [*results.cuda, *results.cpu])
    return [Shown(*key) for key in sorted(found, key=lambda key: (key[0] == "face", key[1] != "crowd", key))]


def rows_of(rows, shown, **wanted):
    return where(rows, model=shown.model, input=shown.input, **wanted)


def row_of(rows, shown, **wanted):
    """Returns the first row with these values, or None."""
    return next(iter(rows_of(rows, shown, **wanted)), None)


def cpu(results, shown, scales, part, threads=None):
    """Returns the row with this number of threads, or with the largest measured number if `threads` is None."""
    rows = rows_of(results.cpu, shown, scales=scales, part=part)
    most = max((row.threads for row in rows), default=None)
    return next((row for row in rows if row.threads == (threads or most)), None)


def evaluation(rows, shown, scales, who):
    return row_of(rows, shown, scales=scales, part="evaluation", who=who)


def best_hybrid(rows, shown, scales, names=HYBRIDS):
    """Returns the fastest row of all hybrid variants and numbers of first trees, or None."""
    found = [row for row in rows_of(rows, shown, scales=scales, part="evaluation") if row.who in names]
    return min(found, key=lambda row: row.median_ms, default=None)


def published_features(rows, shown):
    """Returns the published features of the first scale, including the upload."""
    return row_of(rows, shown, scales="one", part="features", who=PUBLISHED_FEATURES)


def ways(rows, shown, scales):
    """Returns {variant: row} for Table 2 from the rows of a GPU. Variants that weren't measured are missing."""
    found = {"window parallel": evaluation(rows, shown, scales, "window parallel"),
             "stage parallel": evaluation(rows, shown, scales, "stage parallel"),
             "coarse and fine": evaluation(rows, shown, scales, "coarse and fine"),
             "hybrid": best_hybrid(rows, shown, scales),
             "ours": evaluation(rows, shown, scales, "ours")}
    return {way: row for way, row in found.items() if row}

"""WIDER FACE, for all papers' parts on accuracy."""
from experiment import missing_module


def why_not(arguments):
    """Returns what prevents measuring accuracy; None if nothing does."""
    if not arguments.wider:
        return "no WIDER FACE folder was named (--wider)"
    return missing_module("numpy") if (arguments.wider / "truth.json").exists() else missing_module("numpy", "scipy")

"""Checks what the parts on accuracy need: WIDER FACE and its readers."""
from experiment import missing_module


def why_not(arguments):
    """Returns the reason why accuracy can't be measured, or None."""
    if not arguments.wider:
        return "no WIDER FACE folder was named (--wider)"
    return missing_module("numpy") if (arguments.wider / "truth.json").exists() else missing_module("numpy", "scipy")

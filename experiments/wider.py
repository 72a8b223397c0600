"""WIDER FACE, for all papers' parts on accuracy."""


def why_not(arguments):
    """Returns what prevents measuring accuracy; an empty text if nothing does."""
    if not arguments.wider:
        return "no WIDER FACE folder was named (--wider)"
    try:
        import numpy  # noqa: F401
        if not (arguments.wider / "truth.json").exists():
            import scipy  # noqa: F401
    except ImportError as missing:
        return f"this Python has no {missing.name}"
    return None

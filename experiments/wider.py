"""WIDER FACE, as all papers' parts on accuracy need it."""


def why_not(arguments):
    """What keeps accuracy from being measured; nothing where nothing does."""
    if not arguments.wider:
        return "no WIDER FACE folder was named (--wider)"
    try:
        import numpy  # noqa: F401
        if not (arguments.wider / "truth.json").exists():
            import scipy  # noqa: F401
    except ImportError as missing:
        return f"this Python has no {missing.name}"
    return None

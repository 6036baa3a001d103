"""Which model names mean a simulated model; apart from the rest, so that asking costs no import."""

PROVIDER = "simulated"


def is_simulated(model: str) -> bool:
    """Whether ``model`` is ``simulated/SPEC``.

    >>> is_simulated("simulated/well-read"), is_simulated("local/smollm2-135m")
    (True, False)
    """
    return model.partition("/")[0] == PROVIDER

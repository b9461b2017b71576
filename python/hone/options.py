"""The options of an inference: one table, shared with the command line and problem files."""

from __future__ import annotations

from typing import Any, Iterable

from . import _core
from .errors import InputError


def options(preset: str = "default", method: str = "") -> dict[str, Any]:
    """All options with their values in a preset, "default", "paper", ..., for a method: that of the
    preset if none is named.

    They are keywords of ``hone.run`` and ``hone.train``.

    >>> import hone
    >>> hone.options()["ensemble"]
    2
    """
    return _core.Options(_known_preset(preset), method).to_dict()


def option_help(name: str) -> str:
    """What an option means and which values it takes."""
    for row in _core.option_table():
        if row["name"] == name:
            return f"{row['help']} ({row['values']}) [{row['default']}]"
    raise InputError(f"there is no option '{name}'; {_core.suggestion(name, option_names())}")


def option_names() -> list[str]:
    """Names of all options."""
    return [row["name"] for row in _core.option_table()]


def make_options(preset: str, given: dict[str, Any], function: str,
                 keywords: Iterable[str] = ()) -> Any:
    """The engine's options. A keyword that is none is a TypeError with the nearest right name,
    among the options and the other keywords of the function."""
    names = option_names()
    method = given.get("method", "")
    result = _core.Options(_known_preset(preset), method if isinstance(method, str) else "")
    for name, value in given.items():
        if name not in names:
            hint = _core.suggestion(name, sorted([*names, *keywords]))
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'; {hint}")
        result.set(name, value)
    result.validate()
    return result


def _known_preset(preset: str) -> str:
    names = _core.preset_names()
    if preset not in (*names, "cosmology", "paper_cosmology"):  # older names of two of them
        raise InputError(f"preset = {preset!r}: must be {' or '.join(names)}")
    return preset

"""Functions of the data that a user wants to see beside those of the observation."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np

from .errors import InputError

Statistic = Callable[[np.ndarray], float]


def statistic_functions(statistics: Mapping[str, Statistic] | None) -> dict[str, Statistic]:
    """The same functions by name, each of which returns a float or says why it is none."""
    if statistics is None:
        return {}
    if not isinstance(statistics, Mapping):
        raise InputError(f"statistics = {statistics!r}: must be functions by name, such as "
                         "{'peak': lambda x: x.max()}")
    return {_name(name): _checked(name, function) for name, function in statistics.items()}


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise InputError(f"statistics: {name!r} must be a name")
    return name


def _checked(name: str, function: Any) -> Statistic:
    if not callable(function):
        raise InputError(f"statistics[{name!r}] = {function!r}: must be a function of the data")

    def number(x: np.ndarray) -> float:
        value = np.asarray(function(x))
        if value.size != 1 or value.dtype.kind not in "biuf":
            raise InputError(f"statistics[{name!r}]: it returned {value.tolist()!r:.60}; it must "
                             "return one number")
        return float(value.reshape(()))

    return number

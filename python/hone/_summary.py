"""A function of the data that the user brings: the networks see what it returns."""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np

from .errors import InputError

Summary = Callable[[Any], Any]


class Summarised:
    """A simulator, and behind it the summary. Looks like the simulator from outside: it takes the
    same arguments, has its name, and can be pickled if both can."""

    def __init__(self, simulator: Callable[..., Any], summary: Summary) -> None:
        self.simulator, self.summary = simulator, summary
        functools.update_wrapper(self, simulator)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.summary(self.simulator(*args, **keywords))

    def __reduce__(self) -> tuple[Any, ...]:
        return Summarised, (self.simulator, self.summary)


def checked(summary: Any) -> Summary | None:
    if summary is not None and not callable(summary):
        raise TypeError(f"summary = {summary!r}: must be a function of the data")
    return summary


def of_simulator(simulator: Any, summary: Summary | None) -> Any:
    return simulator if simulator is None or summary is None else Summarised(simulator, summary)


def of_data(data: Any, summary: Summary | None, batched: bool = False) -> Any:
    """Of one data vector; a batch of one, if that is what the summary takes."""
    if summary is None:
        return data
    if not batched:
        return summary(data)
    whole = {k: np.asarray(v)[np.newaxis] for k, v in data.items()} if isinstance(data, dict) \
        else np.asarray(data)[np.newaxis]
    one = summary(whole)
    return {k: np.asarray(v)[0] for k, v in one.items()} if isinstance(one, dict) else one[0]


def of_rows(x: Any, summary: Summary | None, batched: bool) -> Any:
    """Of the data of existing simulations, a row for each."""
    if summary is None:
        return x
    if batched:
        return summary(x)
    if isinstance(x, dict):
        rows = [summary(dict(zip(x, one))) for one in zip(*x.values())]
    else:
        rows = [summary(one) for one in x]
    if not rows:
        raise InputError("simulations: there are none")
    if isinstance(rows[0], dict):
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    return np.stack(rows)

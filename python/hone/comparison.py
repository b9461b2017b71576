"""How different are two samples?"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import as_count, as_data, as_seed
from ._progress import shown
from .errors import InputError

FEWEST_DRAWS = 20


class Distance(NamedTuple):
    """How far two samples are apart, and how far those of equal distributions would be."""

    value: float
    if_equal: float


def compare(a: Any, b: Any, metrics: Sequence[str] | str | None = None, *, seed: int = 1,
            threads: int = 0, progress: Any = False) -> dict[str, Any]:
    """Compares two samples (n, columns), rows in random order; of the larger one the first rows are
    used. C2ST is the accuracy of a classifier: 0.5 cannot tell them apart, 1 always can.

    >>> import hone, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> a, b = rng.standard_normal((500, 2)), rng.standard_normal((500, 2)) + 3
    >>> hone.compare(a, b, "c2st")["c2st"] > 0.95
    True

    metrics: of "c2st", "c2st-1d", "c2st-2d", "kl", "wasserstein", "mmd"; None: all. The result has
    a value for each, and how large it is between equal distributions: ``c2st_noise``, and
    ``value`` and ``if_equal`` of the others ("kl" has them column by column).
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics or _core.metric_names())
    first, second = _draws(a, "a"), _draws(b, "b")
    if first.shape[1] != second.shape[1]:
        raise InputError(f"a has {first.shape[1]} columns, b has {second.shape[1]}")
    with shown(progress) as watcher:
        result = _core.compare(first, second, names, as_seed(seed), as_count(threads, "threads"),
                               watcher)
    for key in ("c2st_1d", "c2st_2d"):
        if key in result:
            values = {columns[0] if len(columns) == 1 else tuple(columns): value
                      for columns, value in result[key]}
            result[key] = {"mean": float(np.mean(list(values.values()))), "marginals": values}
    for key in ("wasserstein", "mmd"):
        if key in result:
            result[key] = Distance(*result[key])
    if "kl" in result:
        result["kl"] = [Distance(*one) for one in result["kl"]]
    return result


def _draws(values: Any, name: str) -> np.ndarray:
    rows = as_data(values, None, name)
    if len(rows) < FEWEST_DRAWS or rows.shape[1] == 0:
        raise InputError(f"{name}: {len(rows)} draws of {rows.shape[1]} columns are too few to "
                         f"compare; at least {FEWEST_DRAWS} draws are needed")
    return rows

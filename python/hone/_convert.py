"""Draws as the objects of other packages, which need not be installed."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np


def optional(module: str, what: str) -> Any:
    """The module, or an ImportError that says what it is for."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs the package {module.split('.')[0]}, which is not "
                          "installed") from error


def to_pandas(theta: np.ndarray, names: list[str]) -> Any:
    return optional("pandas", "to_pandas()").DataFrame(theta, columns=names)


def to_getdist(theta: np.ndarray, names: list[str], labels: list[str],
               bounds: list[list[tuple[float, float]]]) -> Any:
    ranges = {
        name: [low if np.isfinite(low) else None, high if np.isfinite(high) else None]
        for name, (low, high) in zip(names, [(b[0][0], b[-1][1]) for b in bounds])
    }
    getdist = optional("getdist", "to_getdist()")
    return getdist.MCSamples(samples=theta, names=names, labels=labels, ranges=ranges)


def to_arviz(theta: np.ndarray, names: list[str]) -> Any:
    arviz = optional("arviz", "to_arviz()")
    return arviz.from_dict(posterior={name: theta[None, :, i] for i, name in enumerate(names)})

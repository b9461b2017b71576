"""Frozen distributions of scipy.stats as priors: ``scipy.stats.norm(0, 1)`` does for ``hone.Normal(0, 1)``.

Nothing of scipy is imported: what is given brings its own functions.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .distributions import (Beta, Binomial, Distribution, Exponential, Gamma, HalfNormal, Integer, LogNormal,
                            LogUniform, Normal, Poisson, StudentT, Tabulated, TruncatedNormal, Uniform)
from .errors import InputError

TAIL = 1e-9  # of the probability, left out on each side where only a table does
POINTS = 2001


def is_frozen(value: Any) -> bool:
    """A frozen distribution: it has a name, quantiles, and a density or probabilities of whole numbers."""
    return (hasattr(getattr(value, "dist", None), "name") and hasattr(value, "ppf")
            and (hasattr(value, "pdf") or hasattr(value, "pmf")))


def from_scipy(name: str, frozen: Any) -> Distribution:
    """The same distribution of hone's own, or a table of it where there is none."""
    if not hasattr(frozen.dist, "_parse_args"):
        raise InputError(f"prior of '{name}' = {frozen!r}: must be a frozen distribution of one number")
    shapes, location, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    make = _EXACT.get(frozen.dist.name)
    made = make(*map(float, shapes), float(location), float(scale)) if make else None
    if made is None and hasattr(frozen, "pmf"):
        raise InputError(f"prior of '{name}': hone has no {frozen.dist.name} at {location:g}; "
                         "use hone.Categorical with the probability of each value")
    return made if made is not None else _table(name, frozen)


def _at_zero(make: Callable[..., Distribution]) -> Callable[..., Distribution | None]:
    """For those that hone has only with location 0."""
    return lambda *values: make(*values[:-2], values[-1]) if values[-2] == 0 else None


_EXACT: dict[str, Callable[..., Distribution | None]] = {
    "uniform": lambda location, scale: Uniform(location, location + scale),
    "norm": lambda location, scale: Normal(location, scale),
    "truncnorm": lambda a, b, location, scale: TruncatedNormal(
        location, scale, location + a * scale, location + b * scale),
    "loguniform": _at_zero(lambda a, b, scale: LogUniform(a * scale, b * scale)),
    "reciprocal": _at_zero(lambda a, b, scale: LogUniform(a * scale, b * scale)),
    "lognorm": _at_zero(lambda sigma, scale: LogNormal(float(np.log(scale)), sigma)),
    "halfnorm": _at_zero(lambda scale: HalfNormal(scale)),
    "gamma": _at_zero(lambda shape, scale: Gamma(shape, scale)),
    "expon": _at_zero(lambda scale: Exponential(scale)),
    "beta": _at_zero(lambda a, b, scale: Beta(a, b) if scale == 1 else None),
    "t": lambda nu, location, scale: StudentT(nu, location, scale),
    # Of whole numbers; their scale is always 1. The highest number of randint is not among its values.
    "randint": lambda low, high, location, scale: Integer(int(low + location), int(high + location) - 1),
    "poisson": _at_zero(lambda mean, scale: Poisson(mean)),
    "binom": _at_zero(lambda trials, probability, scale: Binomial(int(trials), probability)),
    "bernoulli": _at_zero(lambda probability, scale: Binomial(1, probability)),
}


def _table(name: str, frozen: Any) -> Distribution:
    """Half of the points where the probability is, half spread evenly, so that tails are smooth."""
    low, high = (float(frozen.ppf(p)) for p in (TAIL, 1 - TAIL))
    if not np.isfinite([low, high]).all() or not low < high:
        raise InputError(f"prior of '{name}': {frozen.dist.name} has no finite quantiles")
    quantiles = frozen.ppf(np.linspace(TAIL, 1 - TAIL, POINTS))
    x = np.unique(np.concatenate([quantiles, np.linspace(low, high, POINTS)]))
    density = frozen.pdf(x)
    inside = np.isfinite(density)
    return Tabulated(x[inside], density[inside])

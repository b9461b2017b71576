"""Priors of one parameter.

The same kinds and fields as in problem files:

>>> import hone
>>> mass = hone.LogUniform(1e8, 1e12)
>>> mass
LogUniform(low=100000000.0, high=1000000000000.0)
>>> mass.support
(100000000.0, 1000000000000.0)
"""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np

from . import _core
from ._arrays import as_floats

__all__ = [
    "Distribution", "Uniform", "LogUniform", "Triangular", "Beta", "Tabulated", "Normal",
    "TruncatedNormal", "LogNormal", "HalfNormal", "Gamma", "Exponential", "StudentT", "Integer",
    "Poisson", "Binomial", "Categorical",
]

_CLASS_NAMES = {"loguniform": "LogUniform", "lognormal": "LogNormal"}
_FIELDS = {kind: [name for name, _ in fields] for kind, _, fields in _core.distribution_kinds()}


class Distribution:
    """A distribution of one parameter. Made by ``hone.Uniform`` and its like.

    Of whole numbers ``log_prob`` is the log probability of a value, ``cdf`` the probability below it
    and half of its own, and the support reaches half a unit beyond the values.
    """

    def __init__(self, kind: str, **fields: Any) -> None:
        given = {name: value for name, value in fields.items() if not _is_infinite(value)}
        self._core = _core.Distribution({"kind": kind, **given})

    @classmethod
    def _wrap(cls, core: Any) -> Distribution:
        self = cls.__new__(cls)
        self._core = core
        return self

    @property
    def kind(self) -> str:
        """As in a problem file: ``"uniform"``."""
        return self._core.spec()["kind"]

    @property
    def support(self) -> tuple[float, float]:
        """Its ends; may be infinite."""
        return self._core.support()

    def log_prob(self, x: Any) -> np.ndarray:
        """Log density, -inf outside the support."""
        return self._map(self._core.log_density, x)

    def cdf(self, x: Any) -> np.ndarray:
        """Probability below x; of whole numbers with half of that of x itself."""
        return self._map(self._core.cdf, x)

    def quantile(self, p: Any) -> np.ndarray:
        """The inverse of ``cdf``; NaN unless 0 <= p <= 1."""
        return self._map(self._core.quantile, p)

    @staticmethod
    def _map(function: Any, values: Any) -> np.ndarray:
        array = as_floats(values, "values")
        return function(array.ravel()).reshape(np.shape(values))

    def __repr__(self) -> str:
        fields = self._core.spec()
        name = _CLASS_NAMES.get(self.kind) or self.kind.title().replace("_", "")
        given = [f"{key}={fields[key]!r}" for key in _FIELDS[self.kind] if key in fields]
        return f"{name}({', '.join(given)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self._core.spec() == other._core.spec()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._core.spec(),)


def _restore(spec: dict[str, Any]) -> Distribution:
    return Distribution(**spec)


def _is_infinite(value: Any) -> bool:
    return isinstance(value, float) and math.isinf(value)


def Uniform(low: float, high: float) -> Distribution:
    """The same density from low to high."""
    return Distribution("uniform", low=low, high=high)


def LogUniform(low: float, high: float) -> Distribution:
    """Density proportional to 1 / x from low > 0 to high: uniform in the logarithm."""
    return Distribution("loguniform", low=low, high=high)


def Triangular(low: float, mode: float, high: float) -> Distribution:
    """The density rises linearly from low to mode and falls to high."""
    return Distribution("triangular", low=low, mode=mode, high=high)


def Beta(alpha: float, beta: float) -> Distribution:
    """Density proportional to x^(alpha - 1) (1 - x)^(beta - 1) on [0, 1]."""
    return Distribution("beta", alpha=alpha, beta=beta)


def Tabulated(x: Sequence[float], density: Sequence[float]) -> Distribution:
    """Linear between the points (x, density); need not be normalised."""
    return Distribution("tabulated", x=as_floats(x, "x"), density=as_floats(density, "density"))


def Normal(mean: float, sigma: float) -> Distribution:
    """Gaussian."""
    return Distribution("normal", mean=mean, sigma=sigma)


def TruncatedNormal(
    mean: float, sigma: float, low: float = -math.inf, high: float = math.inf
) -> Distribution:
    """Gaussian with mean and sigma, cut to [low, high] and normalised again."""
    return Distribution("truncated_normal", mean=mean, sigma=sigma, low=low, high=high)


def LogNormal(mean: float, sigma: float) -> Distribution:
    """The logarithm of x is Gaussian with mean and sigma."""
    return Distribution("lognormal", mean=mean, sigma=sigma)


def HalfNormal(sigma: float) -> Distribution:
    """The absolute value of a Gaussian of mean 0."""
    return Distribution("half_normal", sigma=sigma)


def Gamma(shape: float, scale: float) -> Distribution:
    """Density proportional to x^(shape - 1) exp(-x / scale), x > 0."""
    return Distribution("gamma", shape=shape, scale=scale)


def Exponential(scale: float) -> Distribution:
    """Density proportional to exp(-x / scale), x > 0."""
    return Distribution("exponential", scale=scale)


def StudentT(
    degrees_of_freedom: float, location: float = 0.0, scale: float = 1.0
) -> Distribution:
    """Student's t, moved by location and stretched by scale."""
    return Distribution(
        "student_t", degrees_of_freedom=degrees_of_freedom, location=location, scale=scale
    )


def Integer(low: int, high: int) -> Distribution:
    """Each whole number from low to high is equally probable."""
    return Distribution("integer", low=low, high=high)


def Poisson(mean: float) -> Distribution:
    """A number of independent events with this mean."""
    return Distribution("poisson", mean=mean)


def Binomial(trials: int, probability: float) -> Distribution:
    """How many of some trials succeed."""
    return Distribution("binomial", trials=trials, probability=probability)


def Categorical(
    probabilities: Sequence[float] | dict[str, float], names: Sequence[str] | None = None
) -> Distribution:
    """One of several categories, which the simulator gets as numbers 0, 1, ...: probabilities by
    name, or a list of them with or without names."""
    if isinstance(probabilities, dict):
        names, probabilities = list(probabilities), list(probabilities.values())
    named = {} if names is None else {"names": list(names)}
    return Distribution("categorical", probabilities=as_floats(probabilities, "probabilities"), **named)

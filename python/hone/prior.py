"""Priors of all parameters, and regions of them."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from . import _core
from ._arrays import as_count, as_rows, as_seed
from ._scipy import from_scipy, is_frozen
from .distributions import Distribution
from .errors import InputError


class Prior:
    """Priors of all parameters, in their order; independent unless said otherwise.

    >>> import hone
    >>> prior = hone.Prior(mass=hone.LogUniform(1, 100), slope=hone.Normal(-2, 0.5))
    >>> prior.names
    ['mass', 'slope']
    >>> prior.sample(5, seed=1).shape
    (5, 2)

    A dictionary does instead of keywords, and a list gives the names theta_0, theta_1, ... Labels
    are for figures: ``labels={"mass": "M"}``. Frozen distributions of scipy.stats are as good as
    hone's: ``mass=scipy.stats.norm(1, 0.1)``.

    ``correlations`` are those of the normal scores of two parameters; of normal parameters, their
    own:

    >>> prior = hone.Prior(
    ...     mass=hone.Normal(1, 0.1), slope=hone.Normal(-2, 0.5),
    ...     correlations={("mass", "slope"): 0.8})
    >>> prior.correlations
    {('mass', 'slope'): 0.8}
    """

    def __init__(
        self,
        distributions: Mapping[str, Distribution] | Sequence[Distribution] | None = None,
        *,
        labels: Mapping[str, str] | None = None,
        correlations: Mapping[tuple[str, str], float] | None = None,
        **named: Distribution,
    ) -> None:
        given = {name: from_scipy(name, one) if is_frozen(one) else one
                 for name, one in _by_name(distributions, named).items()}
        wrong = [name for name, one in given.items() if not isinstance(one, Distribution)]
        if wrong:
            raise TypeError(
                f"prior of '{wrong[0]}' = {given[wrong[0]]!r}: must be a distribution, such as "
                "hone.Uniform(0, 1)"
            )
        unknown = [name for name in labels or {} if name not in given]
        if unknown:
            raise InputError(
                f"labels: there is no parameter '{unknown[0]}'; "
                + _core.suggestion(unknown[0], list(given))
            )
        self._core = _core.Prior(
            list(given),
            [(labels or {}).get(name, "") for name in given],
            [one._core for one in given.values()],
            _indexed(correlations or {}, list(given)),
        )

    @classmethod
    def _wrap(cls, core: Any) -> Prior:
        self = cls.__new__(cls)
        self._core = core
        return self

    @property
    def names(self) -> list[str]:
        """Names of the parameters, in the order of the columns of theta."""
        return self._core.names()

    @property
    def labels(self) -> list[str]:
        """What figures write at the axes."""
        return self._core.labels()

    @property
    def correlations(self) -> dict[tuple[str, str], float]:
        """Of pairs of parameters; those that are not here are 0."""
        names = self.names
        return {(names[a], names[b]): value for a, b, value in self._core.correlations()}

    @property
    def derived(self) -> dict[str, str]:
        """Formulas of quantities that are derived from the parameters, by name: ``hone.run`` makes
        them from its argument of this name."""
        return {one["name"]: one["value"] for one in self._core.derived()}

    def _with_derived(self, derived: Mapping[str, str] | None) -> Prior:
        return Prior._wrap(self._core.with_derived(derived_list(derived)))

    @property
    def dimensions(self) -> int:
        """How many parameters there are."""
        return len(self.names)

    def __len__(self) -> int:
        return self.dimensions

    def __getitem__(self, parameter: str | int) -> Distribution:
        return Distribution._wrap(self._core.distribution(self._index(parameter)))

    def _index(self, parameter: str | int) -> int:
        if not isinstance(parameter, str):
            return range(self.dimensions)[parameter]
        if parameter not in self.names:
            hint = _core.suggestion(parameter, self.names)
            raise KeyError(f"there is no parameter '{parameter}'; {hint}")
        return self.names.index(parameter)

    def sample(self, n: int, seed: int = 1, region: Region | None = None) -> np.ndarray:
        """(n, parameters): independent draws, from a region of the prior if there is one."""
        return (region or Region.whole(self)).sample(n, seed)

    def log_prob(self, theta: Any) -> np.ndarray:
        """(n): log density of every row of theta; -inf outside the support."""
        return self._core.log_density(as_rows(theta, self.dimensions, "theta"))

    def to_unit(self, theta: Any) -> np.ndarray:
        """u = CDF(theta) of every parameter: uniform on the unit cube under the prior."""
        return self._core.to_unit(as_rows(theta, self.dimensions, "theta"))

    def to_theta(self, u: Any) -> np.ndarray:
        """The inverse of ``to_unit``."""
        return self._core.to_theta(as_rows(u, self.dimensions, "u"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Prior) and self._core == other._core

    def __hash__(self) -> int:
        return hash(tuple(self.names))

    def __repr__(self) -> str:
        parts = [f"{name}={self[name]!r}" for name in self.names]
        if self.correlations:
            parts.append(f"correlations={self.correlations!r}")
        parts += [f"{name}={formula!r}" for name, formula in self.derived.items()]
        return f"Prior({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        labels = dict(zip(self.names, self._core.labels()))
        return _restore_prior, (
            {name: self[name] for name in self.names}, labels, self.correlations, self.derived)


def as_prior(value: Any) -> Prior:
    """What ``hone.run`` takes for a prior, as one."""
    if isinstance(value, Prior):
        return value
    if isinstance(value, Distribution):
        return Prior([value])
    if isinstance(value, (Mapping, Sequence)) and not isinstance(value, str):
        return Prior(value)
    raise TypeError(
        f"prior = {value!r}: must be a hone.Prior, or distributions by name: "
        '{"mass": hone.Uniform(0, 1)}'
    )


def derived_list(derived: Mapping[str, str] | None) -> list[dict[str, str]]:
    """Derived quantities as the engine wants them."""
    for name, formula in (derived or {}).items():
        if not isinstance(formula, str):
            raise InputError(f"derived: '{name}' = {formula!r}: must be a formula, such as "
                             "\"a * b\", which can be kept with the run")
    return [{"name": name, "value": formula} for name, formula in (derived or {}).items()]


def _by_name(distributions: Any, named: dict[str, Any]) -> dict[str, Any]:
    if distributions is None:
        return named
    if not isinstance(distributions, Mapping):
        distributions = {f"theta_{i}": one for i, one in enumerate(distributions)}
    twice = [name for name in named if name in distributions]
    if twice:
        raise InputError(f"prior: '{twice[0]}' is there twice")
    return {**distributions, **named}


def _indexed(correlations: Any, names: list[str]) -> list[tuple[int, int, float]]:
    result: list[tuple[int, int, float]] = []
    for pair, value in dict(correlations).items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError(f"correlations: {pair!r}: must be a pair of names, (\"a\", \"b\")")
        for name in pair:
            if name not in names:
                raise InputError(
                    f"correlations: there is no parameter {name!r}; "
                    + _core.suggestion(str(name), names)
                )
        if pair[0] == pair[1]:
            raise InputError(f"correlations: {pair!r}: is one parameter, not two")
        if not -1 < float(value) < 1:
            raise InputError(f"correlations: {pair!r} = {value!r}: must lie in (-1, 1)")
        if pair[::-1] in correlations:
            raise InputError(f"correlations: {pair!r} is there twice")
        result.append((names.index(pair[0]), names.index(pair[1]), float(value)))
    return result


def _restore_prior(
    distributions: dict[str, Distribution],
    labels: dict[str, str],
    correlations: dict[tuple[str, str], float],
    derived: dict[str, str] | None = None,
) -> Prior:
    return Prior(distributions, labels=labels, correlations=correlations)._with_derived(derived)


class Region:
    """A part of a prior: on every axis a union of intervals, their product in all, and of this what
    satisfies a constraint, if there is one.

    >>> import hone
    >>> prior = hone.Prior(a=hone.Uniform(0, 10), b=hone.Normal(0, 1))
    >>> region = hone.Region(prior, a=(2, 4))
    >>> region.mass
    0.2
    >>> region.contains([[3, 0], [5, 0]])
    array([ True, False])
    >>> half = hone.Region.whole(prior).where({"a": 1, "b": 1}, 1)
    >>> half.contains([[2, 0], [8, 0]])
    array([ True, False])
    """

    def __init__(self, prior: Prior, **bounds: tuple[float, float]) -> None:
        unknown = [name for name in bounds if name not in prior.names]
        if unknown:
            raise InputError(
                f"there is no parameter '{unknown[0]}'; "
                + _core.suggestion(unknown[0], prior.names)
            )
        axes = [bounds.get(name, prior[name].support) for name in prior.names]
        for name, axis in bounds.items():
            if np.shape(axis) != (2,):
                raise InputError(f"{name} = {axis!r}: must be (low, high)")
        self.prior = prior
        self._core = _core.Region.from_bounds(prior._core, [(float(a), float(b)) for a, b in axes])

    @classmethod
    def whole(cls, prior: Prior) -> Region:
        """All of the prior."""
        return cls._wrap(_core.Region.whole(prior.dimensions), prior)

    @classmethod
    def _wrap(cls, core: Any, prior: Prior) -> Region:
        self = cls.__new__(cls)
        self._core, self.prior = core, prior
        return self

    @property
    def mass(self) -> float:
        """The prior's probability inside. With a constraint it is estimated with 65,536 points,
        always the same; its standard error is below 0.002 of the intervals' mass."""
        return self._core.mass()

    @property
    def constraint(self) -> dict[str, Any] | None:
        """What holds inside besides the intervals, as it is saved; None: nothing."""
        return self._core.constraint()

    def where(self, coefficients: Mapping[str, float], at_most: float) -> Region:
        """This region where the sum of coefficient times u is at most so much; u is the prior's CDF
        of a parameter, from 0 to 1. Several conditions: one after the other."""
        numbers = [0.0] * self.prior.dimensions
        for name, value in coefficients.items():
            numbers[self.prior._index(name)] = float(value)
        return Region._wrap(self._core.constrained(numbers, float(at_most)), self.prior)

    def bounds(self, parameter: str | int) -> list[tuple[float, float]]:
        """The intervals of one parameter, in its units."""
        return self._core.bounds(self.prior._core, self.prior._index(parameter))

    def contains(self, theta: Any) -> np.ndarray:
        """(n): whether each row of theta is inside."""
        rows = as_rows(theta, self.prior.dimensions, "theta")
        return self._core.contains(self.prior._core, rows)

    def sample(self, n: int, seed: int = 1) -> np.ndarray:
        """(n, parameters): draws from the prior inside the region."""
        return self._core.sample(self.prior._core, as_count(n, "n"), as_seed(seed))

    def log_prob(self, theta: Any) -> np.ndarray:
        """(n): log density of the prior cut to the region; -inf outside."""
        rows = as_rows(theta, self.prior.dimensions, "theta")
        return self._core.log_density(self.prior._core, rows)

    def intersect(self, other: Region) -> Region:
        """What is common to both."""
        return Region._wrap(self._core.intersect(other._core), self.prior)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Region) and self._core == other._core and self.prior == other.prior

    def __hash__(self) -> int:
        return hash((self.prior, self.mass))

    def __repr__(self) -> str:
        return self._core.text(self.prior._core)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_region, (self._core.to_json(), self.prior)


def _restore_region(json: dict[str, Any], prior: Prior) -> Region:
    return Region._wrap(_core.Region.from_json(json), prior)

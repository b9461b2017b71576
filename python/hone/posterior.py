"""Marginal posteriors for one data vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Sequence, Union

import numpy as np

from . import _convert, _core
from ._arrays import as_count, as_floats, as_rows, as_seed, as_vector
from ._table import Table
from .errors import InputError
from .prior import Prior, Region

if TYPE_CHECKING:
    from .figure import Figure

Marginal = Union[str, int, Sequence[Union[str, int]], None]

SUMMARY_COLUMNS = {"name": "parameter", "mean": "mean", "standard_deviation": "st. dev.",
                   "median": "median", "interval_68": "68 % interval",
                   "interval_95": "95 % interval"}


class Density(NamedTuple):
    """A density on a grid: ``theta`` has one array of cell centres per parameter."""

    theta: tuple[np.ndarray, ...]
    density: np.ndarray


class Posterior:
    """The posterior for one data vector: a density for each marginal that was trained.

    A marginal is a parameter or several: ``"mass"``, ``("mass", "age")``, ``"mass,age"``, indices
    ``0`` or ``(0, 1)``, or ``"joint"`` for all. Where it may be left out, all parameters are meant.
    Columns come in the order they are asked for.
    """

    def __init__(self, estimators: Sequence[Any], prior: Prior, x: Any,
                 how_to_train: str = "",
                 powers: Mapping[tuple[int, ...], float] | None = None) -> None:
        self._estimators = list(estimators)
        self._powers = dict(powers or {})  # of marginals that are widened
        self.prior = prior
        self.x = as_vector(x, "x", missing=True)
        self._how_to_train = how_to_train
        self._posteriors: dict[tuple[int, ...], Any] = {}
        self._grids: dict[tuple[tuple[int, ...], int], Any] = {}

    @property
    def names(self) -> list[str]:
        """Names of the parameters, then of the derived quantities."""
        return self.prior._core.quantity_names()

    @property
    def region(self) -> Region:
        """The part of the prior in which the posterior is known."""
        return Region._wrap(self._estimators[0].region(), self.prior)

    @property
    def marginals(self) -> list[tuple[str, ...]]:
        """What was trained."""
        return [tuple(self.names[i] for i in one)
                for estimator in self._estimators for one in estimator.marginals()]

    def sample(self, n: int = 1000, marginal: Marginal = None, *, seed: int = 1,
               threads: int = 0) -> np.ndarray:
        """(n, parameters of the marginal): independent draws. The same seed gives the same draws,
        and the same as ``hone sample``."""
        if isinstance(n, tuple) and len(n) == 1:  # a shape, as elsewhere
            n = n[0]
        rows = as_count(n, "n")
        columns = self._columns(marginal)
        posterior = self._posterior(columns)
        if rows == 0:
            return np.empty((0, len(columns)))
        theta = posterior.sample(rows, as_seed(seed), as_count(threads, "threads"))[0]
        return theta[:, np.argsort(np.argsort(columns))]

    def log_prob(self, theta: Any, marginal: Marginal = None) -> np.ndarray:
        """(n): log density of the marginal at the rows of theta, normalised, in units of the
        parameters; -inf outside the region."""
        columns = self._columns(marginal)
        rows = as_rows(theta, len(columns), "theta")
        if len(rows) == 0:
            return np.empty(0)
        if np.isnan(rows).any():
            raise InputError("theta: has NaN; must be numbers")
        ascending = np.ascontiguousarray(rows[:, np.argsort(columns)])
        return self._posterior(columns).log_density(ascending)

    def density(self, marginal: Marginal = None, theta: Any = None, *, cells: int = 0) -> Any:
        """At rows of theta: exp(log_prob). Without them: a ``Density`` on a grid of the region,
        for one or two parameters, with about so many cells per axis (0: enough to draw)."""
        if theta is not None:
            return np.exp(self.log_prob(theta, marginal))
        columns = self._columns(marginal)
        grid = self._grid(columns, as_count(cells, "cells"))
        order = np.argsort(columns)  # of the grid's axes
        axes = [grid.theta(axis) for axis in range(len(columns))]
        values = grid.density()
        return Density(tuple(axes[i] for i in np.argsort(order)),
                       values.T if list(order) == [1, 0] else values)

    def interval(self, level: float = 0.95, parameter: str | int | None = None) -> Any:
        """The smallest part of a parameter that holds ``level`` of its posterior: a list of
        (low, high), one per mode. Without a parameter, a dictionary of all."""
        if not 0 < float(level) < 1:
            raise InputError(f"level = {level}: must lie in (0, 1)")
        if parameter is None:
            return {name: self.interval(level, name) for name in self._one_dimensional()}
        return self._grid(self._single(parameter), 0).intervals(float(level))

    def probabilities(self, parameter: str | int) -> dict[str, float]:
        """Of the values of a whole number or of categories, by name."""
        found = self._grid(self._single(parameter), 0).summary("").get("probabilities")
        if found is None:
            raise InputError(f"parameter = {parameter!r}: is a continuous one; ask for its density")
        return {one["name"]: one["probability"] for one in found}

    def quantile(self, probability: Any, parameter: str | int) -> np.ndarray:
        """Of one parameter."""
        p = as_floats(probability, "probability")
        if not ((p >= 0) & (p <= 1)).all():
            raise InputError(f"probability = {probability}: must lie in [0, 1]")
        grid = self._grid(self._single(parameter), 0)
        return np.array([grid.quantile(one) for one in p.ravel()]).reshape(p.shape)

    def map(self, marginal: Marginal = None) -> np.ndarray:
        """The parameters of highest posterior density."""
        columns = self._columns(marginal)
        if len(columns) <= 2:
            found = self.density([int(c) for c in columns])
            best = np.unravel_index(np.argmax(found.density), found.density.shape)
            return np.array([axis[i] for axis, i in zip(found.theta, best)])
        return _climb(lambda theta: self.log_prob(theta, marginal), self.sample(4096, marginal))

    def summary(self) -> Table:
        """Mean, standard deviation and intervals of every parameter. A table in a notebook."""
        rows = [self._grid(self._single(name), 0).summary(name) for name in self._one_dimensional()]
        return Table(rows, SUMMARY_COLUMNS)

    def corner(self, parameters: Sequence[str | int] | None = None, **style: Any) -> Figure:
        """The corner plot: all 1-d and 2-d marginals. Shows itself in a notebook;
        ``.save("corner.png")`` writes PNG, SVG or PDF."""
        from .figure import corner

        return corner(self, parameters, **style)

    def plot(self, parameters: Sequence[str | int] | None = None, **style: Any) -> Any:
        """The corner plot as a matplotlib figure, to be changed further. Needs matplotlib."""
        from .figure import matplotlib_corner

        return matplotlib_corner(self, parameters, **style)

    def to_pandas(self, n: int = 10000, marginal: Marginal = None, *, seed: int = 1) -> Any:
        """Draws as a pandas DataFrame. Needs pandas."""
        return _convert.to_pandas(self.sample(n, marginal, seed=seed), self._names(marginal))

    def to_getdist(self, n: int = 10000, marginal: Marginal = None, *, seed: int = 1) -> Any:
        """Draws as ``getdist.MCSamples``. Needs getdist."""
        columns = self._columns(marginal)
        return _convert.to_getdist(self.sample(n, marginal, seed=seed), self._names(marginal),
                                   [self._labels[c] for c in columns],
                                   [self._bounds(c) for c in columns])

    def to_arviz(self, n: int = 10000, marginal: Marginal = None, *, seed: int = 1) -> Any:
        """Draws as ``arviz.InferenceData``. Needs arviz."""
        return _convert.to_arviz(self.sample(n, marginal, seed=seed), self._names(marginal))

    def __repr__(self) -> str:
        return f"Posterior of {', '.join(self.names)}\n{self.summary()!r}"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = [(e.estimator(), Prior._wrap(e.prior()), e.region().to_json(), e.to_arrays())
                  for e in self._estimators]
        return _restore, (arrays, self.prior, self.x, self._how_to_train, self._powers)

    # The parameters of a marginal as columns, in the order they were asked for.
    def _columns(self, marginal: Marginal) -> tuple[int, ...]:
        if marginal is None or (isinstance(marginal, str) and marginal == "joint"):
            return tuple(range(self.prior.dimensions))
        return marginal_columns(marginal, self.names)

    @property
    def _labels(self) -> list[str]:
        return self.prior._core.quantity_labels()

    def _support(self, column: int) -> tuple[float, float]:
        """Of the prior; a derived quantity has no edges of its own."""
        derived = column >= self.prior.dimensions
        return (-np.inf, np.inf) if derived else self.prior[int(column)].support

    def _bounds(self, column: int) -> list[tuple[float, float]]:
        derived = column >= self.prior.dimensions
        return [self._support(column)] if derived else self.region.bounds(int(column))

    def _names(self, marginal: Marginal) -> list[str]:
        return [self.names[c] for c in self._columns(marginal)]

    def _single(self, parameter: str | int) -> tuple[int, ...]:
        columns = self._columns(parameter)
        if len(columns) != 1:
            raise InputError(f"parameter = {parameter!r}: must be one parameter")
        return columns

    def _one_dimensional(self) -> list[str]:
        trained = self.marginals
        return [name for name in self.names if (name,) in trained]

    def _posterior(self, columns: Sequence[int]) -> Any:
        key = tuple(sorted(columns))
        if key not in self._posteriors:
            for estimator in self._estimators:
                if list(key) in estimator.marginals():
                    self._posteriors[key] = _core.MarginalPosterior(
                        estimator, list(key), self.x, self._powers.get(key, 1.0))
                    break
            else:
                self._refuse(key)
        return self._posteriors[key]

    def _refuse(self, key: Sequence[int]) -> None:
        wanted = ",".join(self.names[i] for i in key)
        trained = "; ".join(",".join(one) for one in self.marginals)
        advice = f"; {self._how_to_train.format(wanted)}" if self._how_to_train else ""
        raise InputError(f"the marginal {wanted} has not been trained; trained are {trained}"
                         + advice)

    def _grid(self, columns: Sequence[int], cells: int) -> Any:
        key = tuple(sorted(columns))
        cells = cells or (1024 if len(key) == 1 else 128)
        if (key, cells) not in self._grids:
            self._grids[key, cells] = self._posterior(key).grid(cells)
        return self._grids[key, cells]


def marginal_columns(marginal: Marginal, names: list[str]) -> tuple[int, ...]:
    """Indices of a marginal's parameters, in the order given."""
    if marginal is None or marginal == "joint":
        return tuple(range(len(names)))
    if isinstance(marginal, str):
        words = [word.strip() for word in marginal.split(",")]
    elif isinstance(marginal, Sequence) or isinstance(marginal, np.ndarray):
        words = list(marginal)
    else:
        words = [marginal]
    columns = tuple(_core.parse_marginal(str(word), names)[0] for word in words)
    if not columns or len(set(columns)) < len(columns):
        raise InputError(f"marginal = {marginal!r}: must name parameters, each once")
    return columns


def _climb(log_prob: Callable[[np.ndarray], np.ndarray], start: np.ndarray) -> np.ndarray:
    """From the best of many draws uphill, by ever smaller random steps."""
    rng = np.random.default_rng(1)
    best = start[np.argmax(log_prob(start))]
    scale = start.std(axis=0)
    for _ in range(40):
        trial = np.vstack([best, best + scale * rng.standard_normal((255, best.size))])
        best = trial[np.argmax(log_prob(trial))]
        scale = 0.85 * scale
    return best


def _restore(arrays: list[Any], prior: Prior, x: np.ndarray, how_to_train: str,
             powers: Mapping[tuple[int, ...], float]) -> Posterior:
    estimators = [
        _core.AmortizedPosterior.from_arrays(kind, own._core, _core.Region.from_json(region),
                                             dict(one))
        for kind, own, region, one in arrays
    ]
    return Posterior(estimators, prior, x, how_to_train, powers)

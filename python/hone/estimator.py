"""Training by hand: ratio estimators, truncation, and the verbs of sbi."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import as_count, as_data, as_rows, as_seed, as_vector
from ._problem import marginal_list
from ._progress import shown
from .errors import InputError
from .options import make_options
from .posterior import Marginal, Posterior, marginal_columns
from .prior import Prior, Region, as_prior
from .store import Store

FEWEST_SIMULATIONS = 50


class Cut(NamedTuple):
    """One truncation: the new region, and what it is expected to have cost."""

    region: Region
    mass_ratio: float  # mass(new) / mass(old)
    axis_ratio: list[float]  # the same per parameter
    lost_mass: list[float]  # per parameter: estimated posterior mass outside


class RatioEstimator:
    """Networks that estimate p(x | theta) / p(x) inside a region, for each trained marginal.

    Locally amortised: good for every x that parameters inside the region produce.
    """

    def __init__(self, core: Any, prior: Prior, rows: int) -> None:
        self._core, self.prior = core, prior
        self.rows = rows  # simulations it was trained on

    @property
    def region(self) -> Region:
        """Where it was trained."""
        return Region._wrap(self._core.region(), self.prior)

    @property
    def marginals(self) -> list[tuple[str, ...]]:
        """What was trained."""
        return [tuple(self.prior.names[i] for i in one) for one in self._core.marginals()]

    def build_posterior(self, x: Any) -> Posterior:
        """The posterior for a data vector."""
        return Posterior([self._core], self.prior, x, 'train it with marginals=["{}"]')

    def log_ratio(self, theta: Any, x: Any, marginal: Marginal = None) -> np.ndarray:
        """(n): log p(x | theta) / p(x) of a marginal at rows of theta; -inf outside the region.
        Normalised, so that ratio times prior inside the region is the posterior."""
        columns = marginal_columns(marginal, self.prior.names)
        rows = as_rows(theta, len(columns), "theta")
        log_prob = self.build_posterior(x).log_prob(rows, marginal)
        for j, c in enumerate(columns):
            finite = np.isfinite(log_prob)
            prior = self.prior[int(c)].log_prob(rows[finite, j])
            log_prob[finite] -= prior - np.log(self._core.region().axis_mass(int(c)))
        return log_prob

    def truncate(self, x: Any, **options: Any) -> Cut:
        """Keeps, on every axis, what the 1-d posterior at x has above epsilon of its peak."""
        missing = [name for name in self.prior.names if (name,) not in self.marginals]
        if missing:
            raise InputError(f"truncate() needs all 1-d marginals; {missing[0]} has not been "
                             "trained")
        made = make_options("default", options, "truncate")
        region, facts = self._core.truncate(self.rows, as_vector(x, "x"), made)
        return Cut(Region._wrap(region, self.prior), **facts)

    def __repr__(self) -> str:
        return f"RatioEstimator of {'; '.join(','.join(one) for one in self.marginals)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._core.estimator(), self._core.to_arrays(),
                          self._core.region().to_json(), self.prior, self.rows)


def _restore(kind: str, arrays: dict[str, np.ndarray], region: dict[str, Any], prior: Prior,
             rows: int) -> RatioEstimator:
    made = _core.AmortizedPosterior.from_arrays(kind, prior._core, _core.Region.from_json(region),
                                                arrays)
    return RatioEstimator(made, prior, rows)


def train(store: Store, region: Region | None = None, *,
          marginals: Sequence[Marginal] | str | None = None, seed: int = 1,
          preset: str = "default", threads: int = 0, progress: Any = False,
          **options: Any) -> RatioEstimator:
    """Trains networks on the simulations of a store that are inside the region (default: the whole
    prior). They must have been drawn from the prior, evenly inside the region.

    >>> import hone, numpy as np
    >>> prior = hone.Prior(a=hone.Uniform(0, 1))
    >>> theta = prior.sample(500, seed=1)
    >>> x = theta + 0.1 * np.random.default_rng(1).standard_normal(theta.shape)
    >>> store = hone.Store(prior, data_size=1)
    >>> store.append_simulations(theta, x)
    >>> ratios = hone.train(store, max_epochs=5)
    >>> round(float(ratios.build_posterior([0.5]).map()[0]), 1)
    0.5
    """
    keywords = ("marginals", "seed", "preset", "threads", "progress")
    made = make_options(preset, options, "train", keywords)
    region = region or Region.whole(store.prior)
    found = len(store._core.inside(store.prior._core, region._core))
    if found < FEWEST_SIMULATIONS:
        raise InputError(f"{found} simulations inside the region are too few to train on; at least "
                         f"{FEWEST_SIMULATIONS} are needed")
    wanted = marginal_list(marginals, store.prior)
    with shown(progress) as watcher:
        core = _core.train(store._core, store.prior._core, region._core, wanted, made,
                           as_seed(seed), as_count(threads, "threads"), watcher)
    return RatioEstimator(core, store.prior, found)


class MNRE:
    """Marginal ratio estimation with the verbs of sbi, for simulations made elsewhere.

    >>> import hone, numpy as np
    >>> prior = hone.Prior(a=hone.Uniform(0, 1))
    >>> theta = prior.sample(500, seed=1)
    >>> x = theta + 0.1 * np.random.default_rng(1).standard_normal(theta.shape)
    >>> inference = hone.MNRE(prior)
    >>> estimator = inference.append_simulations(theta, x).train(max_epochs=5)
    >>> posterior = inference.build_posterior([0.5])
    >>> posterior.sample(100).shape
    (100, 1)
    """

    def __init__(self, prior: Any) -> None:
        self.prior = as_prior(prior)
        self.store: Store | None = None
        self.estimator: RatioEstimator | None = None

    def append_simulations(self, theta: Any, x: Any) -> MNRE:
        """Adds simulations with theta drawn from the prior."""
        if self.store is None:
            self.store = Store(self.prior, max(1, as_data(x, None, "x").shape[1]))
        self.store.append_simulations(theta, x)
        return self

    def train(self, region: Region | None = None, **options: Any) -> RatioEstimator:
        """As ``hone.train``."""
        if self.store is None:
            raise InputError("there are no simulations; call append_simulations(theta, x) first")
        self.estimator = train(self.store, region, **options)
        return self.estimator

    def build_posterior(self, x: Any) -> Posterior:
        """The posterior for a data vector, by the networks trained last."""
        if self.estimator is None:
            raise InputError("nothing has been trained; call train() first")
        return self.estimator.build_posterior(x)

"""Simulations: made here, or brought along."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from typing import Any, Callable

import numpy as np

from . import _core
from ._arrays import as_count, as_data, as_rows, as_seed
from ._calling import Caller
from ._pool import executor
from ._progress import shown
from ._simulate import Failures
from .errors import InputError, SimulatorError
from .prior import Prior, Region, as_prior


class Store:
    """Simulations of one problem, on disk. For those who drive the rounds by themselves.

    >>> import hone
    >>> prior = hone.Prior(a=hone.Uniform(0, 1))
    >>> store = hone.Store(prior, data_size=2)
    >>> store.append_simulations([[0.2], [0.7]], [[1, 2], [3, float("nan")]])
    >>> len(store), store.failures
    (2, {1: 'x[1] is nan'})
    >>> store.theta
    array([[0.2]])

    Without a directory it is a temporary one, removed with the object. theta and x are those of
    the successful simulations; rows with NaN or infinity in x are failed ones, and count: where
    simulations fail, the posterior is that of data that exist.
    """

    def __init__(self, prior: Any, data_size: int,
                 directory: str | os.PathLike[str] | None = None) -> None:
        self.prior = as_prior(prior)
        size = as_count(data_size, "data_size", least=1)
        path = tempfile.mkdtemp(prefix="hone-") if directory is None else os.fspath(directory)
        self._core = _core.Store.create(path, self.prior.names, size)
        self._read_only = False
        if directory is None:
            self._remove = weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)

    @classmethod
    def open(cls, directory: str | os.PathLike[str], prior: Any) -> Store:
        """One that is on disk, with the prior its simulations were drawn from."""
        core = _core.Store.open(os.fspath(directory))
        prior = as_prior(prior)
        if core.parameters() != prior.names:
            raise InputError(f"{directory}: has the parameters {', '.join(core.parameters())}; the "
                             f"prior has {', '.join(prior.names)}")
        return cls._wrap(core, prior)

    @classmethod
    def _wrap(cls, core: Any, prior: Prior, read_only: bool = False) -> Store:
        if core is None:
            raise InputError("there are no simulations yet")
        self = cls.__new__(cls)
        self._core, self.prior, self._read_only = core, prior, read_only
        return self

    def append_simulations(self, theta: Any, x: Any) -> None:
        """Adds simulations that were made elsewhere, with theta drawn from the prior (or, if all of
        them are, from the region that training will be told)."""
        self._check_writable()
        rows = as_rows(theta, self.prior.dimensions, "theta")
        data = as_data(x, self.data_size, "x")
        if len(rows) != len(data):
            raise InputError(f"theta has {len(rows)} rows, x has {len(data)}; they must belong "
                             "together")
        if len(rows):
            self._core.append(self.prior._core, rows, data, "append_simulations")

    def simulate(self, simulator: Callable[..., Any], n: int, region: Region | None = None, *,
                 seed: int = 1, round: int = 0, workers: int = 0, batched: bool = False,
                 max_failed_fraction: float = 0.5, progress: Any = False) -> None:
        """Runs n more simulations, with theta from the prior inside the region. Simulation number i
        depends on the seed and i only."""
        self._check_writable()
        region = region or Region.whole(self.prior)
        caller = Caller(simulator, self.prior.names, self.data_size, batched)
        failures = Failures()
        try:
            with shown(progress) as watcher, \
                    executor(caller, failures, as_count(workers, "workers")) as simulate:
                self._core.simulate(self.prior._core, region._core, as_count(n, "n"),
                                    as_count(round, "round"), as_seed(seed),
                                    float(max_failed_fraction), simulate, watcher)
        except SimulatorError as error:
            raise error from failures.last_error

    def _check_writable(self) -> None:
        if self._read_only:
            raise InputError("these simulations belong to a run; it alone may add to them")

    @property
    def data_size(self) -> int:
        """Length of x."""
        return self._core.data_size()

    def __len__(self) -> int:
        return self._core.rows()

    @property
    def theta(self) -> np.ndarray:
        """(n, parameters) of the successful simulations."""
        return self._core.theta(self._core.valid_ids())

    @property
    def x(self) -> np.ndarray:
        """(n, data_size) of the successful simulations, float32 as they are stored."""
        return self._core.x(self._core.valid_ids())

    @property
    def rounds(self) -> np.ndarray:
        """(n) in which round each successful simulation was made."""
        return self._core.columns(self._core.valid_ids())[0]

    @property
    def failures(self) -> dict[int, str]:
        """Why simulations failed, by their number."""
        return self._core.failure_reasons()

    def inside(self, region: Region) -> tuple[np.ndarray, np.ndarray]:
        """theta and x of the successful simulations inside a region."""
        ids = self._core.inside(self.prior._core, region._core)
        return self._core.theta(ids), self._core.x(ids)

    def __repr__(self) -> str:
        return (f"Store of {len(self)} simulations ({len(self.failures)} failed), "
                f"{self.prior.dimensions} parameters, {self.data_size} values each")

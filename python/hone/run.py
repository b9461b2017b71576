"""A run: what came out of it, and what can be done with it."""

from __future__ import annotations

import os
import shutil
import warnings
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ._arrays import as_count, as_seed, as_vector
from ._calling import Caller
from ._data import Blocks
from ._execution import execute, simulating
from ._place import Place
from ._pool import serving
from ._problem import marginal_list
from ._progress import shown
from ._ranks import leads, ranks_of
from ._simulate import Failures
from ._statistics import statistic_functions
from ._summary import of_data, of_simulator
from ._table import Table
from .checks import Checks
from .errors import InputError, NumericalError
from .figure import truth_by_name
from .posterior import SUMMARY_COLUMNS, Marginal, Posterior
from .prior import Prior, Region, derived_list
from .store import Store

Simulator = Callable[..., Any]


class Run:
    """A run on disk, and what came out of it. Made by ``hone.run`` and ``hone.open``.

    In an MPI job all ranks call ``resume``, ``train``, ``check``, ``uncorrect`` and ``save``
    together; everything else is each rank's own.
    """

    def __init__(self, core: Any, place: Place, comm: Any = None,
                 failures: Failures | None = None, summary: Any = None,
                 batched: bool = False) -> None:
        self._core, self._place, self._comm = core, place, comm
        self._failures = failures or Failures()
        self._summary, self._batched = summary, batched
        self._posterior: Posterior | None = None
        self.joint_check: dict[str, str] | None = None  # of the last sample()
        self.prior = Prior._wrap(core.prior())

    @property
    def directory(self) -> Path:
        """Where it is kept. A temporary one goes with this object, unless ``save`` is called."""
        return self._place.path

    @property
    def observation(self) -> np.ndarray:
        """The data, as one vector."""
        return self._core.observation()

    @property
    def options(self) -> dict[str, Any]:
        """All options of the run."""
        return self._core.spec()["options"]

    @property
    def seed(self) -> int:
        """What all random numbers of the run come from."""
        return self._core.spec()["seed"]

    @property
    def finished(self) -> bool:
        """Is there a posterior?"""
        return self._core.finished()

    @property
    def posterior(self) -> Posterior:
        """For the observation."""
        if self._posterior is None:
            self._posterior = self.build_posterior()
        return self._posterior

    def build_posterior(self, x: Any = None, *, anyway: bool = False) -> Posterior:
        """For other data like the observation, made by parameters inside the region.

        Data that are unlike the simulations of the run give a warning. Those far outside are
        refused, since networks only extrapolate there; anyway: answer all the same.
        """
        estimators = self._core.estimators()
        if not estimators:
            raise InputError(f"{self.directory} is not finished; call resume()")
        blocks = self._blocks()
        data = self.observation if x is None else as_vector(
            blocks.vector(of_data(x, self._summary, self._batched), "x"), "x",
            self.observation.size, blocks.has_missing)
        if x is not None:
            self._compare(data, anyway)
        powers = {tuple(marginal): power for marginal, power in self._core.correction()}
        return Posterior(estimators, self.prior, data, 'call run.train("{}")', powers)

    def _compare(self, data: np.ndarray, anyway: bool) -> None:
        """Other data with the simulations of the run."""
        found = self._core.compare_data(data)
        if found is None or found["status"] == "pass":
            return
        if found["status"] == "fail" and not anyway:
            raise InputError(
                f"x lies far outside the simulations of the run, where networks only extrapolate "
                f"({found['reason']}); run hone with it as the observation, or set anyway=True")
        warnings.warn(found["reason"], stacklevel=4)

    @property
    def region(self) -> Region:
        """The part of the prior the final simulations come from."""
        region = self._core.region()
        return Region.whole(self.prior) if region is None else Region._wrap(region, self.prior)

    @property
    def rounds(self) -> Table:
        """What every round of truncation did."""
        rows = [{**one, "name": str(one["number"]), "mass": one["region"].mass(),
                 "region": Region._wrap(one["region"], self.prior)} for one in self._core.rounds()]
        columns = {"name": "round", "mass": "prior mass", "kept": "kept", "simulated": "new",
                   "mass_ratio": "a cut keeps"}
        return Table(rows, columns)

    @property
    def simulations(self) -> Store:
        """All simulations of the run, to read."""
        return Store._wrap(self._core.simulations(), self.prior, read_only=True)

    @property
    def tracebacks(self) -> list[str]:
        """Of simulations that failed since this object was made: one for each reason. On rank 0 of
        an MPI job those of all ranks."""
        return list(self._failures.tracebacks.values())

    @property
    def warnings(self) -> list[dict[str, str]]:
        """What to know before trusting the answer: kind, message and advice of each."""
        return (self._core.summary() or {"warnings": []})["warnings"]

    @property
    def checks(self) -> Checks | None:
        """What the last tests of the run found; None before the first."""
        facts = self._core.checks()
        return None if facts is None else Checks(facts)

    def summary(self) -> Table:
        """Mean, standard deviation and intervals of every parameter, warnings and the verdict."""
        summary = self._core.summary()
        if summary is None:
            raise InputError(f"{self.directory} is not finished; call resume()")
        notes = [f"warning: {w['message']}; {w['advice']}" for w in self.warnings]
        if self.checks is not None:
            notes.append(repr(self.checks))
        return Table(summary["parameters"], SUMMARY_COLUMNS, notes)

    def corner(self, parameters: Sequence[str | int] | None = None, **style: Any) -> Any:
        """The corner plot, as ``posterior.corner()``."""
        return self.posterior.corner(parameters, **style)

    def resume(self, simulator: Simulator | None = None, *, budget: int | None = None,
               until: str | None = None, budget_limit: int | None = None,
               workers: int = 0, batched: bool = False, threads: int = 0,
               progress: Any = True, exact: bool = False) -> Run:
        """Continues the run where it stopped, with the simulator it was started with.

        budget: total number of simulations, more than the run has: rounds are added while the region
            shrinks, the rest is simulated in the final region, and networks are trained again.
        until, budget_limit: with "pass" and a number, the simulations are doubled until the checks
            pass; NumericalError if they do not with that number.
        exact: an error, not a warning, if this machine would not give the same result bit for bit.
        """
        kind = self._core.spec()["simulator"]["kind"]
        more = None if budget is None else as_count(budget, "budget")
        larger = more is not None and more != self._core.spec()["options"]["budget"]
        limit = self._limit(until, budget_limit, more)
        if simulator is None and kind not in ("dataset", "task") and \
                (larger or not self._core.complete() or (limit and not self._passes())):
            raise InputError(
                "resume() needs the simulator of the run" if kind == "function"
                else f"resume() cannot start the simulator of {self.directory}; give it one, or "
                     "go on with the program that made the run"
            )
        caller, workers = self._caller(simulator, batched), as_count(workers, "workers")
        threads = as_count(threads, "threads")

        def work(ranks: Any) -> None:
            execute(self, ranks, caller, workers, threads, progress, exact)
            if larger:
                self._core.extend(more)
                execute(self, ranks, caller, workers, threads, progress, exact)
            while limit and self.checks is not None and not self._passes():
                # Twice as many each time, so that the last attempt costs as much as all before it.
                now = self._core.spec()["options"]["budget"]
                if now >= limit:
                    raise NumericalError(f"{self.directory} does not pass its checks with {now} "
                                         "simulations, the limit")
                self._core.extend(min(2 * now, limit))
                self._posterior = None
                execute(self, ranks, caller, workers, threads, progress, exact)

        facts = {"budget": more, "limit": limit, "exact": exact}
        self._together("resume", facts, work, caller, workers)
        if not leads(self._comm):  # rank 0 changed what is on disk
            self._core = self._place.open()
        return self

    def _limit(self, until: str | None, budget_limit: int | None, budget: int | None) -> int:
        """The most simulations of a run that goes on until it passes; 0: it does not."""
        if until is None and budget_limit is None:
            return 0
        if until != "pass" or budget_limit is None:
            raise InputError(f"until = {until!r}, budget_limit = {budget_limit!r}: until='pass' and "
                             "budget_limit=N go together")
        if budget is not None:
            raise InputError("give either budget or until='pass' with budget_limit")
        limit, now = as_count(budget_limit, "budget_limit"), self._core.spec()["options"]["budget"]
        if limit < now:
            raise InputError(f"budget_limit = {limit}: must be at least {now}, the budget of the run")
        return limit

    def _passes(self) -> bool:
        return self.checks is not None and self.checks.verdict == "pass"

    def train(self, *marginals: Marginal, derived: Mapping[str, str] | None = None,
              threads: int = 0, progress: Any = True) -> Run:
        """Trains more marginals on the simulations of a finished run: ``run.train("joint")``.

        derived: formulas of quantities to infer besides the parameters, as for ``hone.run``. They
            are then part of the run, which is checked again.
        """
        prior = self.prior._with_derived({name: formula for name, formula in (derived or {}).items()
                                          if self.prior.derived.get(name) != formula})
        wanted = marginal_list(list(marginals), prior) if marginals or not derived else []
        threads = as_count(threads, "threads")

        def work(ranks: Any) -> None:
            with shown(progress) as watcher:
                if derived:
                    self._core.derive(ranks.core, derived_list(derived), threads, watcher,
                                      not self._place.temporary)
                if wanted:
                    self._core.train(ranks.core, wanted, threads, watcher)

        self._together("train", {"marginals": wanted, "derived": str(derived)}, work)
        if not leads(self._comm):  # rank 0 changed what is on disk
            self._core = self._place.open()
        self.prior = Prior._wrap(self._core.prior())
        return self

    def check(self, simulations: int = 0, simulator: Simulator | None = None, *,
              correct: bool = False, workers: int = 0, batched: bool = False, threads: int = 0,
              progress: Any = True) -> Checks:
        """Tests the run: calibration, truncation, the data, the networks. ``hone.run`` did so once,
        with the held-out simulations of the run.

        simulations: test with so many more, which ``simulator`` makes; a built-in task makes its
            own. They are kept, and never trained on.
        correct: widen the posteriors that are found too narrow. ``uncorrect`` takes that back.
        """
        count = as_count(simulations, "simulations")
        kind = self._core.spec()["simulator"]["kind"]
        if count > 0 and simulator is None and kind != "task":
            raise InputError(f"simulations = {count}: give check() the simulator that makes them")
        if not self.finished:
            raise InputError(f"{self.directory} is not finished; call resume()")
        caller, workers = self._caller(simulator, batched), as_count(workers, "workers")
        threads = as_count(threads, "threads")

        def work(ranks: Any) -> Any:
            with simulating(self, ranks, caller, workers, progress) as (simulate, watcher):
                return self._core.check(ranks.core, count, bool(correct), simulate, threads, watcher)

        return Checks(self._together("check", {"simulations": count, "correct": bool(correct)}, work,
                                     caller, workers))

    def sample(self, n: int = 1000, *, seed: int = 1, anyway: bool = False, threads: int = 0,
               progress: Any = True) -> np.ndarray:
        """(n, parameters and derived quantities): draws of all of them together, as
        ``hone sample`` without a marginal makes them. The joint posterior is trained on the
        simulations of the run when it is first needed, and checked: what was found, and from what
        the draws are, is in ``run.joint_check``, and a warning unless it is a pass.

        anyway: draw also from a joint posterior that fails its check, which is refused otherwise.
        """
        rows, threads = as_count(n, "n"), as_count(threads, "threads")
        seed = as_seed(seed)

        def work(ranks: Any) -> Any:
            with shown(progress) as watcher:
                return self._core.sample_joint(ranks.core, rows, seed, bool(anyway), threads,
                                               watcher)

        theta, self.joint_check = self._together("sample", {"n": rows, "seed": seed}, work)
        if self.joint_check["status"] != "pass":
            warnings.warn(f"the joint posterior: {self.joint_check['reason']}", stacklevel=2)
        return theta

    def predict(self, n: int = 200, simulator: Simulator | None = None, *,
                source: str = "posterior",
                statistics: Mapping[str, Callable[[np.ndarray], float]] | None = None,
                anyway: bool = False, workers: int = 0, batched: bool = False, threads: int = 0,
                progress: Any = True) -> dict[str, Any]:
        """Simulates n times with parameters from the joint posterior and compares with the
        observation: ``statistics`` with their predictive p-values, bands of all ``columns``, a
        ``status`` and its ``reason``. The simulations are kept, and never trained on; the report
        draws them.

        simulator: what makes them, as for ``hone.run``; a built-in task makes its own.
        source: "posterior", "region" (the prior in the final region) or "prior".
        statistics: functions of your own, such as {"peak": lambda x: x.max()}: each gets the data
            of a simulation, or the observation, as an array of one dimension and returns a number.
        anyway: take parameters also from a joint posterior that fails its check, which is refused
            otherwise. What its check found is ``joint_check`` in the result, and a warning unless
            it is a pass.
        """
        count = as_count(n, "n")
        own = statistic_functions(statistics)
        kind = self._core.spec()["simulator"]["kind"]
        if simulator is None and kind != "task":
            raise InputError("predict() needs the simulator of the run")
        caller, workers = self._caller(simulator, batched), as_count(workers, "workers")
        threads = as_count(threads, "threads")

        def work(ranks: Any) -> Any:
            with simulating(self, ranks, caller, workers, progress) as (simulate, watcher):
                return self._core.predict(ranks.core, count, source, own, bool(anyway), simulate,
                                          threads, watcher)

        facts = {"n": count, "source": source, "statistics": list(own)}
        found = self._together("predict", facts, work, caller, workers)
        joint = (found or {}).get("joint_check")
        if joint is not None and joint["status"] != "pass":
            warnings.warn(f"the joint posterior: {joint['reason']}", stacklevel=2)
        return found

    def uncorrect(self) -> Run:
        """The posteriors as the networks have them, after ``check(correct=True)``. The checks on
        record were of the corrected ones: check again."""
        self._together("uncorrect", {}, lambda _: self._core.remove_correction())
        return self

    def report(self, *, truth: Mapping[str, float] | None = None,
               figures: Sequence[str] = ("pdf",)) -> Path:
        """Writes report.html, the whole story on one page, and figures ("pdf", "png", "svg") into
        the directory; returns the page. ``hone.run`` did so if it was given a directory. In an MPI
        job rank 0 writes, and nobody waits."""
        if not self.finished:
            raise InputError(f"{self.directory} is not finished; call resume()")
        for name in figures:
            if name not in ("pdf", "png", "svg"):
                raise InputError(f"figures = {name!r}: must be 'pdf', 'png' or 'svg'")
        values = truth_by_name(truth, self.prior.names)
        if leads(self._comm):
            self._core.report(values, list(figures))
        return Path(self._core.report_page())

    def save(self, directory: str | os.PathLike[str]) -> Run:
        """Copies the run to a new directory, where it stays."""
        target = Path(directory).absolute()

        def work(_: Any) -> None:
            if target.exists() and any(target.iterdir()):
                raise InputError(f"{target}: is not empty; a run is never overwritten")
            shutil.copytree(self.directory, target, dirs_exist_ok=True)

        self._together("save", {"directory": os.fspath(directory)}, work)
        self._place = Place(target)
        self._core = self._place.open()
        return self

    def __repr__(self) -> str:
        state = "finished" if self.finished else "not finished"
        head = f"Run of {', '.join(self.prior.names)} in {self.directory}, {state}"
        return f"{head}\n{self.summary()!r}" if self.finished else head

    def _repr_html_(self) -> str | None:
        return self.summary()._repr_html_() if self.finished else None

    def _caller(self, simulator: Simulator | None, batched: bool) -> Caller | None:
        if simulator is None:
            return None
        return Caller(of_simulator(simulator, self._summary), self.prior.names, self.observation.size, batched, self._blocks())

    def _blocks(self) -> Blocks:
        return Blocks(self._core.spec().get("data", []))

    def _together(self, call: str, facts: dict[str, Any], work: Callable[[Any], Any],
                  caller: Caller | None = None, workers: int = 0) -> Any:
        """Work that changes the run, by all ranks that belong to it."""
        ranks = ranks_of(self._comm)
        self._posterior = None
        return ranks.together(
            f"run.{call}", {"run": str(self.directory), **facts},
            lambda: {"directory": str(self.directory)}, lambda: work(ranks),
            lambda: serving(ranks, caller, self._failures, workers))[1]

"""A whole inference: simulate, truncate, train; and what came out of it."""

from __future__ import annotations

import os
import shutil
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np

from . import _core
from ._arrays import as_count, as_seed, as_vector
from ._calling import Caller
from ._data import Blocks
from ._place import Place
from ._pool import executor, serving
from ._problem import Problem, marginal_list
from ._progress import shown
from ._ranks import leads, ranks_of
from ._simulate import Failures
from ._statistics import statistic_functions
from ._table import Table
from ._words import in_calls
from .checks import Checks
from .errors import InputError, SimulatorError
from .figure import truth_by_name
from .options import make_options
from .posterior import SUMMARY_COLUMNS, Marginal, Posterior
from .prior import Prior, Region, derived_list
from .store import Store

Simulator = Callable[..., Any]

KEYWORDS = ("seed", "directory", "marginals", "workers", "batched", "preset", "noise",
            "simulations", "threads", "progress", "name", "comm", "data", "derived")


def run(
    prior: Prior | Mapping[str, Any] | Sequence[Any],
    simulator: Simulator | None,
    observation: Any,
    *,
    seed: int = 1,
    directory: str | os.PathLike[str] | None = None,
    marginals: Sequence[Marginal] | str | None = None,
    workers: int = 0,
    batched: bool = False,
    preset: str = "default",
    noise: Any = None,
    data: str | Mapping[str, str] | None = None,
    derived: Mapping[str, str] | None = None,
    simulations: tuple[Any, Any] | None = None,
    threads: int = 0,
    progress: Any = True,
    name: str | None = None,
    comm: Any = None,
    **options: Any,
) -> Run:
    """Which parameters could have produced the observation?

    >>> import hone
    >>> def simulate(theta, rng):
    ...     return theta + 0.1 * rng.standard_normal(2)
    >>> prior = {"a": hone.Uniform(-1, 1), "b": hone.Uniform(-1, 1)}
    >>> run = hone.run(prior, simulate, [0.3, -0.2], budget=400, max_epochs=5, progress=False)
    >>> run.posterior.sample(1000, "a").shape
    (1000, 1)

    prior: a ``hone.Prior``, or distributions by name.
    simulator: a function of theta that returns data like the observation. It may also take
        ``rng``, a numpy Generator of its own for every call, or ``seed``; then the same seed of
        the run gives the same result, with any number of workers. If its arguments are named like
        the parameters, it gets numbers. What it raises is a failed simulation, and so is NaN.
        None: only the given simulations are used.
    observation: the real data; more than one dimension is flattened, here and in the simulator. Or
        a dictionary of named arrays; the simulator may return such a dictionary, too.
    data: what the data are: "vector", "series", "image" or "set", or one of these for each name.
        Shapes are those of the observation.
    derived: formulas of quantities to infer besides the parameters, by name, such as
        {"S8": "sigma8 * sqrt(omega_m / 0.3)"}.
    directory: where everything is kept. If it holds this run already, it goes on where that
        stopped; another run is never overwritten. None: a temporary directory, kept if the run is
        interrupted; ``run.save()`` keeps it otherwise.
    marginals: posteriors to train: "1d", "2d", "joint" or parameters, as in ["1d", ("a", "b")].
        None: all of one and two parameters.
    workers: processes that call the simulator; 0: this one.
    batched: the simulator takes theta (n, parameters) and returns x (n, data) for many at once.
    preset, options: as on the command line, see ``hone.options()``: budget, ensemble, ...
    noise: noise that training adds to what the simulator makes, afresh in every epoch: sigma (one,
        or one per value), a covariance matrix, or "poisson".
    simulations: (theta, x), drawn from the prior before; counted by the budget.
    threads: for training; 0: one per core. progress: show it, or an object with show() and log().
    comm: under mpirun all ranks make this call with the same arguments, and share the simulations
        and the training; all get the run. None: all ranks of the job; a communicator of mpi4py:
        those in it, so that ``MPI.COMM_SELF`` works alone.
    """
    problem = Problem(prior, simulator, observation, simulations, batched, data, derived)
    problem.decide(seed, marginals, noise, name, make_options(preset, {**problem.budget, **options},
                                                              "run", KEYWORDS))
    workers, threads = as_count(workers, "workers"), as_count(threads, "threads")
    ranks, failures, made = ranks_of(comm), Failures(), []

    def begin() -> dict[str, Any]:
        place = Place(directory, ranks)
        core = place.create(problem.spec(place.path), problem.existing)
        made.append(Run(core, place, comm, failures))
        return {"directory": str(place.path), "temporary": place.temporary}

    begun, _ = ranks.together(
        "hone.run", problem.facts(directory), begin,
        lambda: made[0]._execute(ranks, problem.caller, workers, threads, progress),
        lambda: serving(ranks, problem.caller, failures, workers))
    if not made:  # by rank 0
        place = Place.of_rank(begun["directory"], begun["temporary"], ranks.rank)
        made.append(Run(place.open(), place, comm, failures))
    return made[0]


def open(directory: str | os.PathLike[str], *, comm: Any = None) -> Run:
    """A run on disk, made here or by the command line. comm: which ranks work on it, as for
    ``hone.run``; opening and reading is done by each for itself."""
    place = Place(directory)
    core = _core.Run.open(str(place.path))
    if not core.verified():
        warnings.warn(f"{os.fspath(directory)}: an older version of hone made this run, whose files "
                      "carry no checksums: it cannot be verified that they are what hone wrote",
                      stacklevel=2)
    return Run(core, place, comm)


class Run:
    """A run on disk, and what came out of it. Made by ``hone.run`` and ``hone.open``.

    In an MPI job all ranks call ``resume``, ``train``, ``check``, ``uncorrect`` and ``save``
    together; everything else is each rank's own.
    """

    def __init__(self, core: Any, place: Place, comm: Any = None,
                 failures: Failures | None = None) -> None:
        self._core, self._place, self._comm = core, place, comm
        self._failures = failures or Failures()
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
        data = self.observation if x is None else as_vector(self._blocks().vector(x, "x"), "x",
                                                            self.observation.size)
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
        found = (self._core.summary() or {"warnings": []})["warnings"]
        return [{**one, "advice": in_calls(one["advice"])} for one in found]

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
               workers: int = 0, batched: bool = False, threads: int = 0,
               progress: Any = True, exact: bool = False) -> Run:
        """Continues the run where it stopped, with the simulator it was started with.

        budget: more simulations in all than the run has. It keeps every simulation, goes on with
            rounds while the region shrinks, simulates the rest in the final region and trains
            again. A run that is not finished is finished first, with the budget that it has.
        exact: refuse to go on where the processor or a library would give other last bits than the
            run has so far; without it a warning says so.
        """
        kind = self._core.spec()["simulator"]["kind"]
        more = None if budget is None else as_count(budget, "budget")
        larger = more is not None and more != self._core.spec()["options"]["budget"]
        if simulator is None and kind not in ("dataset", "task") and \
                (larger or not self._core.complete()):
            raise InputError(
                "resume() needs the simulator of the run" if kind == "function"
                else f"resume() cannot start the simulator of {self.directory}; give it one, or "
                     "go on with the program that made the run"
            )
        caller, workers = self._caller(simulator, batched), as_count(workers, "workers")
        threads = as_count(threads, "threads")

        def work(ranks: Any) -> None:
            self._execute(ranks, caller, workers, threads, progress, exact)
            if larger:
                self._core.extend(more)
                self._execute(ranks, caller, workers, threads, progress, exact)

        self._together("resume", {"budget": more, "exact": exact}, work, caller, workers)
        if not leads(self._comm):  # rank 0 changed what is on disk
            self._core = self._place.open()
        return self

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
        with the validation simulations of the run.

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
            with self._simulating(ranks, caller, workers, progress) as (simulate, watcher):
                return self._core.check(ranks.core, count, bool(correct), simulate, threads, watcher)

        return Checks(self._together("check", {"simulations": count, "correct": bool(correct)}, work,
                                     caller, workers))

    def sample(self, n: int = 1000, *, seed: int = 1, threads: int = 0,
               progress: Any = True) -> np.ndarray:
        """(n, parameters and derived quantities): draws of all of them together, as
        ``hone sample`` without a marginal makes them. The joint posterior is trained on the
        simulations of the run when it is first needed, and checked each time: what is found, and
        from what the draws are, is in ``run.joint_check``, and a warning unless it is a pass."""
        rows, threads = as_count(n, "n"), as_count(threads, "threads")
        seed = as_seed(seed)

        def work(ranks: Any) -> Any:
            with shown(progress) as watcher:
                return self._core.sample_joint(ranks.core, rows, seed, threads, watcher)

        theta, self.joint_check = self._together("sample", {"n": rows, "seed": seed}, work)
        if self.joint_check["status"] != "pass":
            warnings.warn(f"the joint posterior: {self.joint_check['reason']}", stacklevel=2)
        return theta

    def predict(self, n: int = 200, simulator: Simulator | None = None, *,
                source: str = "posterior",
                statistics: Mapping[str, Callable[[np.ndarray], float]] | None = None,
                workers: int = 0, batched: bool = False, threads: int = 0,
                progress: Any = True) -> dict[str, Any]:
        """Simulates n times with parameters from the joint posterior and compares with the
        observation: ``statistics`` with their predictive p-values, bands of all ``columns``, a
        ``status`` and its ``reason``. The simulations are kept, and never trained on; the report
        draws them.

        simulator: what makes them, as for ``hone.run``; a built-in task makes its own.
        source: "posterior", "region" (the prior in the final region) or "prior".
        statistics: functions of your own, such as {"peak": lambda x: x.max()}: each gets the data
            of a simulation, or the observation, as an array of one dimension and returns a number.
        """
        count = as_count(n, "n")
        own = statistic_functions(statistics)
        kind = self._core.spec()["simulator"]["kind"]
        if simulator is None and kind != "task":
            raise InputError("predict() needs the simulator of the run")
        caller, workers = self._caller(simulator, batched), as_count(workers, "workers")
        threads = as_count(threads, "threads")

        def work(ranks: Any) -> Any:
            with self._simulating(ranks, caller, workers, progress) as (simulate, watcher):
                return self._core.predict(ranks.core, count, source, own, simulate, threads,
                                          watcher)

        facts = {"n": count, "source": source, "statistics": list(own)}
        return self._together("predict", facts, work, caller, workers)

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
        return Caller(simulator, self.prior.names, self.observation.size, batched, self._blocks())

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

    def _execute(self, ranks: Any, caller: Caller | None, workers: int, threads: int,
                 progress: Any, exact: bool = False) -> None:
        report = not self._place.temporary
        reported = not report or Path(self._core.report_page()).exists()
        if self._core.complete() and self.checks is not None and reported:
            return
        with self._simulating(ranks, caller, workers, progress) as (simulate, watcher):
            trouble = self._core.finish(ranks.core, simulate, threads, watcher, report,
                                        exact)
        if trouble:
            warnings.warn(f"the run is finished, but its report could not be made: {trouble}; "
                          "call run.report() to try again", stacklevel=2)

    @contextmanager
    def _simulating(self, ranks: Any, caller: Caller | None, workers: int,
                    progress: Any) -> Iterator[tuple[Any, Any]]:
        """Who makes simulations and who watches. Whatever happens, what is finished is kept."""
        try:
            with shown(progress) as watcher, \
                    executor(caller, self._failures, workers, ranks.size > 1) as simulate:
                yield simulate, watcher
        except SimulatorError as error:
            self._note_tracebacks(ranks)
            self._keep()
            raise error from self._failures.last_error
        except BaseException as error:
            if not self._keep():
                raise
            hint = f"finished simulations are kept; go on with directory={str(self.directory)!r}"
            if hasattr(error, "add_note"):
                error.add_note(hint)
            raise
        self._note_tracebacks(ranks)

    def _keep(self) -> bool:
        """A temporary directory that holds simulations outlives this object."""
        worth = any(Path(self._core.simulations_folder()).glob("*.h5"))
        if worth:
            self._place.keep()
        return worth

    def _note_tracebacks(self, ranks: Any) -> None:
        """Into the log of the run, where external simulators leave their messages, too."""
        for line in ranks.core.take_log() if ranks.core else []:
            self._failures.hear(line)
        if self._failures.tracebacks:
            with Path(self._core.simulator_log()).open("a", encoding="utf-8") as log:
                log.write("\n".join(self._failures.tracebacks.values()))

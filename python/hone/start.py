"""Where a run begins: with a simulator and an observation, or on disk."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Mapping, Sequence

from . import _core
from ._arrays import as_count
from ._data import Data
from ._execution import execute
from ._place import Place
from ._pool import serving
from ._problem import Problem
from ._ranks import ranks_of
from ._simulate import Failures
from ._summary import checked
from .options import make_options
from .posterior import Marginal
from .prior import Prior
from .run import Run, Simulator

KEYWORDS = ("seed", "directory", "marginals", "workers", "batched", "preset", "noise",
            "simulations", "threads", "progress", "name", "comm", "data", "derived", "summary")


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
    data: str | Data | Mapping[str, str | Data] | None = None,
    summary: Callable[[Any], Any] | None = None,
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
        the parameters, it gets numbers. What it raises is a failed simulation, and so is NaN,
        unless ``data`` says that values may be missing.
        None: only the given simulations are used.
    observation: the real data; more than one dimension is flattened, here and in the simulator. Or
        a dictionary of named arrays; the simulator may return such a dictionary, too.
    data: what the data are, such as "series" or "image", or one of these for each name
        (docs/problem-file.md has all kinds). Shapes are those of the observation. ``hone.Data``
        instead of the name of a kind says more: that values may be missing, or that a set has a
        varying number of elements.
    summary: a function of the data, such as a compression by a network of your own: called once for
        every simulation, with what the simulator returns, and once for the observation. What it
        returns is the data of the run from then on, and what ``data`` is about
        (docs/howto/shapes.md).
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
    problem = Problem(prior, simulator, observation, simulations, batched, data, derived,
                      summary)
    problem.decide(seed, marginals, noise, name, make_options(preset, {**problem.budget, **options},
                                                              "run", KEYWORDS))
    workers, threads = as_count(workers, "workers"), as_count(threads, "threads")
    ranks, failures, made = ranks_of(comm), Failures(), []

    def begin() -> dict[str, Any]:
        place = Place(directory, ranks)
        core = place.create(problem.spec(place.path), problem.existing)
        made.append(Run(core, place, comm, failures, problem.summary, batched))
        return {"directory": str(place.path), "temporary": place.temporary}

    begun, _ = ranks.together(
        "hone.run", problem.facts(directory), begin,
        lambda: execute(made[0], ranks, problem.caller, workers, threads, progress),
        lambda: serving(ranks, problem.caller, failures, workers))
    if not made:  # by rank 0
        place = Place.of_rank(begun["directory"], begun["temporary"], ranks.rank)
        made.append(Run(place.open(), place, comm, failures, problem.summary, batched))
    return made[0]


def open(directory: str | os.PathLike[str], *, comm: Any = None,
         summary: Callable[[Any], Any] | None = None) -> Run:
    """A run on disk, made here or by the command line. comm: which ranks work on it, as for
    ``hone.run``; opening and reading is done by each for itself. summary: that of ``hone.run``, if
    the run was made with one, for new simulations and for other data."""
    place = Place(directory)
    core = _core.Run.open(str(place.path))
    if not core.verified():
        warnings.warn(f"{os.fspath(directory)}: an older version of hone made this run, whose files "
                      "carry no checksums: it cannot be verified that they are what hone wrote",
                      stacklevel=2)
    return Run(core, place, comm, summary=checked(summary))

"""How a run gets what it lacks, and what happens to it when that fails."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator

from ._calling import Caller
from ._pool import executor
from ._progress import shown
from .errors import SimulatorError

if TYPE_CHECKING:
    from .run import Run


def execute(run: Run, ranks: Any, caller: Caller | None, workers: int, threads: int,
            progress: Any, exact: bool = False) -> None:
    """What is missing of a run: simulations, posteriors, checks, the report."""
    report = not run._place.temporary
    reported = not report or Path(run._core.report_page()).exists()
    if run._core.complete() and run.checks is not None and reported:
        return
    with simulating(run, ranks, caller, workers, progress) as (simulate, watcher):
        trouble = run._core.finish(ranks.core, simulate, threads, watcher, report, exact)
    if trouble:
        warnings.warn(f"the run is finished, but its report could not be made: {trouble}; "
                      "call run.report() to try again", stacklevel=2)


@contextmanager
def simulating(run: Run, ranks: Any, caller: Caller | None, workers: int,
               progress: Any) -> Iterator[tuple[Any, Any]]:
    """Who makes simulations and who watches. Whatever happens, what is finished is kept."""
    try:
        with shown(progress) as watcher, \
                executor(caller, run._failures, workers, ranks.size > 1) as simulate:
            yield simulate, watcher
    except SimulatorError as error:
        _note_tracebacks(run, ranks)
        _keep(run)
        raise error from run._failures.last_error
    except BaseException as error:
        if not _keep(run):
            raise
        hint = f"finished simulations are kept; go on with directory={str(run.directory)!r}"
        if hasattr(error, "add_note"):
            error.add_note(hint)
        raise
    _note_tracebacks(run, ranks)


def _keep(run: Run) -> bool:
    """A temporary directory that holds simulations outlives this object."""
    worth = any(Path(run._core.simulations_folder()).glob("*.h5"))
    if worth:
        run._place.keep()
    return worth


def _note_tracebacks(run: Run, ranks: Any) -> None:
    """Into the log of the run, where external simulators leave their messages, too."""
    for line in ranks.core.take_log() if ranks.core else []:
        run._failures.hear(line)
    if run._failures.tracebacks:
        with Path(run._core.simulator_log()).open("a", encoding="utf-8") as log:
            log.write("\n".join(run._failures.tracebacks.values()))

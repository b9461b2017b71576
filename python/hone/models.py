"""Which of several models describes the observation best?"""

from __future__ import annotations

from typing import Any, Sequence

from . import _core
from ._arrays import as_count, as_vector
from ._progress import shown
from .errors import InputError
from .run import Run


def models(runs: Run | Sequence[Run], prior: Sequence[float] | None = None, *, threads: int = 0,
           progress: Any = True) -> dict[str, Any]:
    """Posterior probabilities and Bayes factors of models: finished runs with the same observation,
    each with parameters of its own. ``models`` has ``probability``, ``log_bayes_factor`` (over the
    ``best``) and its ``error`` for each run, in their order; ``status`` and ``reason`` say whether
    the probabilities of held-out simulations are right.

    prior: probabilities of the models before the observation, up to a factor; None: equal.

    Of one run alone, whose problem declares gaussian or poisson noise, the ``log_evidence``.
    """
    chosen = [runs] if isinstance(runs, Run) else list(runs)
    if not chosen:
        raise InputError("models() needs a run")
    for one in chosen:
        if not isinstance(one, Run):
            raise TypeError(f"models() takes runs, not {type(one).__name__}; hone.open() opens one")
    weights = [] if prior is None else as_vector(prior, "prior").tolist()
    with shown(progress) as watcher:
        return _core.models([one._core for one in chosen], weights, as_count(threads, "threads"),
                            watcher)

"""Runs the simulations that the engine asks for, here or in worker processes."""

from __future__ import annotations

import random
import time
from typing import Any, Callable

import numpy as np

from ._calling import Caller, SimulatorFailure

# Long against the cost of handing over rows, short against patience.
SECONDS_PER_DELIVERY = 0.02
MOST_ROWS = 4096
KEPT_TRACEBACKS = 20


class Failures:
    """Tracebacks of the first failures, one for each reason, and the last exception itself."""

    def __init__(self) -> None:
        self.tracebacks: dict[str, str] = {}
        self.last_error: Exception | None = None

    def note(self, failed: list[SimulatorFailure | None]) -> list[str | None]:
        """The reasons alone, for the store."""
        for failure in failed:
            if failure is None:
                continue
            self.last_error = failure.error or self.last_error
            if len(self.tracebacks) < KEPT_TRACEBACKS:
                self.tracebacks.setdefault(failure.reason, failure.traceback)
        return [failure and failure.reason for failure in failed]


class HereExecutor:
    """Calls the simulator in this process, row after row or batch after batch."""

    def __init__(self, caller: Caller, failures: Failures) -> None:
        self.caller, self.failures = caller, failures

    def __enter__(self) -> HereExecutor:
        self._states = np.random.get_state(), random.getstate()
        return self

    def __exit__(self, *_: Any) -> None:
        # A simulator without rng got seeds of its own; the caller's numbers go on as before.
        np.random.set_state(self._states[0])
        random.setstate(self._states[1])

    def __call__(self, theta: np.ndarray, seeds: np.ndarray, deliver: Callable[..., bool]) -> None:
        begin, rows = 0, 1
        while begin < len(theta):
            end = min(begin + rows, len(theta))
            start = time.perf_counter()
            x, failed = self.caller.rows(theta[begin:end], seeds[begin:end])
            if not deliver(begin, x, self.failures.note(failed)):
                return
            rows = next_rows(end - begin, time.perf_counter() - start)
            begin = end


def next_rows(rows: int, seconds: float) -> int:
    """Rows of the next call, from the time the last one took. Results do not depend on it."""
    factor = min(2.0, SECONDS_PER_DELIVERY / max(seconds, 1e-9))
    return max(1, min(MOST_ROWS, int(rows * factor)))

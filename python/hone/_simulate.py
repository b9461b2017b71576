"""Runs the simulations that the engine asks for, here or in worker processes."""

from __future__ import annotations

import json
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
        self.tell: Callable[[str], None] | None = None  # somebody else who keeps them

    def note(self, failed: list[SimulatorFailure | None]) -> list[str | None]:
        """The reasons alone, for the store."""
        for failure in failed:
            if failure is None:
                continue
            self.last_error = failure.error or self.last_error
            if self._keep(failure.reason, failure.traceback) and self.tell:
                self.tell(json.dumps([failure.reason, failure.traceback]))
        return [failure and failure.reason for failure in failed]

    def hear(self, line: str) -> None:
        """What the failures of another rank tell: "[rank 1] " and the rest."""
        rank, _, rest = line.partition("] ")
        reason, traceback = json.loads(rest)
        self._keep(reason, f"{rank}] {traceback}")

    def _keep(self, reason: str, traceback: str) -> bool:
        """Is it new?"""
        if reason in self.tracebacks or len(self.tracebacks) >= KEPT_TRACEBACKS:
            return False
        self.tracebacks[reason] = traceback
        return True


class HereExecutor:
    """Calls the simulator in this process, row after row or batch after batch."""

    def __init__(self, caller: Caller, failures: Failures) -> None:
        self.caller, self.failures = caller, failures
        self.rows = 1  # in the next call

    def __enter__(self) -> HereExecutor:
        self._states = np.random.get_state(), random.getstate()
        return self

    def __exit__(self, *_: Any) -> None:
        # A simulator without rng got seeds of its own; the caller's numbers go on as before.
        np.random.set_state(self._states[0])
        random.setstate(self._states[1])

    def __call__(self, theta: np.ndarray, seeds: np.ndarray, deliver: Callable[..., bool]) -> None:
        begin = 0
        while begin < len(theta):
            end = min(begin + self.rows, len(theta))
            start = time.perf_counter()
            x, failed = self.caller.rows(theta[begin:end], seeds[begin:end])
            if not deliver(begin, x, self.failures.note(failed)):
                return
            self.rows = next_rows(end - begin, time.perf_counter() - start)
            begin = end


def next_rows(rows: int, seconds: float) -> int:
    """Rows of the next call, from the time the last one took. Results do not depend on it."""
    factor = min(2.0, SECONDS_PER_DELIVERY / max(seconds, 1e-9))
    return max(1, min(MOST_ROWS, int(rows * factor)))

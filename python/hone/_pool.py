"""Worker processes for a simulator. The same seeds as here, hence the same bits."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, Callable, Iterator

import numpy as np

from ._calling import Caller
from ._ranks import forget_launcher
from ._simulate import Failures, HereExecutor, next_rows
from .errors import InputError

SECONDS_PER_LOOK = 0.1  # to see whether anybody still wants the results
SECONDS_TO_STOP = 2.0  # who ends a job may reach the workers first


def serve(caller: Caller, connection: Connection) -> None:
    """What a worker does: shares in, results out, until the end of its input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # by which the parent ends it
    forget_launcher()
    parent = os.getppid()
    while True:
        while not connection.poll(1.0):
            if os.getppid() != parent:  # it died; siblings may still hold the pipe open
                return
        try:
            share = connection.recv()
        except EOFError:
            return
        if share is None:
            return
        connection.send(caller.rows(*share))


class Worker:
    """One process and the share of rows it is at."""

    def __init__(self, context: Any, caller: Caller) -> None:
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(caller, other), daemon=True)
        self.process.start()
        other.close()
        self.rows = 1  # in the next share
        self.share: range | None = None
        self.since = 0.0

    def submit(self, share: range, theta: np.ndarray, seeds: np.ndarray) -> None:
        self.share, self.since = share, time.perf_counter()
        part = slice(share.start, share.stop)
        self.connection.send((theta[part], seeds[part]))

    def stop(self, politely: bool) -> None:
        try:
            if politely:
                self.connection.send(None)
            else:
                self.process.terminate()
        except (OSError, ValueError):
            pass
        self.connection.close()
        self.process.join(2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class PoolExecutor:
    """Hands rows to worker processes and their results to the engine."""

    def __init__(self, caller: Caller, failures: Failures, workers: int) -> None:
        self.caller, self.failures, self.count = caller, failures, workers
        self.context = multiprocessing.get_context()
        if self.context.get_start_method() != "fork":
            _check_picklable(caller)

    def __enter__(self) -> PoolExecutor:
        self.workers = [Worker(self.context, self.caller) for _ in range(self.count)]
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        for worker in self.workers:
            worker.stop(politely=worker.share is None and kind is None)

    def __call__(self, theta: np.ndarray, seeds: np.ndarray, deliver: Callable[..., bool]) -> None:
        waiting = [range(len(theta))]  # rows to hand out, in ascending pieces
        nothing = np.zeros((0, self.caller.size))
        go_on = True
        for worker in self.workers:
            if worker.share is not None:  # nobody waited for it
                self._renew(worker)
        while True:
            for worker in self.workers:
                if go_on and worker.share is None and waiting:
                    worker.submit(_take(waiting, worker.rows, len(self.workers)), theta, seeds)
            busy = [worker for worker in self.workers if worker.share is not None]
            if not busy:
                return
            ready = wait([w.connection for w in busy], SECONDS_PER_LOOK)
            if not ready and not deliver(0, nothing, []):
                return
            for worker in busy:
                if worker.connection not in ready:
                    continue
                share = worker.share
                result = _receive(worker)
                if result is not None:
                    x, failed = result
                    go_on = deliver(share.start, x, self.failures.note(failed)) and go_on
                    seconds = time.perf_counter() - worker.since
                    worker.rows, worker.share = next_rows(len(share), seconds), None
                    continue
                go_on = self._replace(worker, share, waiting, deliver) and go_on

    def _replace(self, worker: Worker, share: range, waiting: list[range],
                 deliver: Callable[..., bool]) -> bool:
        worker.process.join(2)
        code = worker.process.exitcode
        self._renew(worker)
        if code == -signal.SIGTERM and self._stopped_soon(deliver):
            return False
        if len(share) > 1:  # one of them did it: alone, each will tell
            waiting[:0] = [range(i, i + 1) for i in share]
            return True
        how = f"signal {-code}" if code and code < 0 else f"exit code {code}"
        return deliver(share.start, np.zeros((1, self.caller.size)),
                       [f"the worker process died ({how})"])

    def _stopped_soon(self, deliver: Callable[..., bool]) -> bool:
        """Is all the work being stopped? Then a worker's end says nothing about its simulation."""
        for _ in range(round(SECONDS_TO_STOP / SECONDS_PER_LOOK)):
            if not deliver(0, np.zeros((0, self.caller.size)), []):
                return True
            time.sleep(SECONDS_PER_LOOK)
        return False

    def _renew(self, worker: Worker) -> None:
        worker.stop(politely=False)
        self.workers[self.workers.index(worker)] = Worker(self.context, self.caller)


def _receive(worker: Worker) -> Any:
    """None if the process died."""
    try:
        return worker.connection.recv()
    except (EOFError, OSError, pickle.UnpicklingError):
        return None


def _take(waiting: list[range], rows: int, workers: int) -> range:
    """The next share. Towards the end shares get smaller, so that nobody waits long."""
    first = waiting[0]
    left = sum(len(piece) for piece in waiting)
    size = max(1, min(rows, left // (2 * workers), len(first)))
    if size == len(first):
        waiting.pop(0)
    else:
        waiting[0] = first[size:]
    return first[:size]


def _check_picklable(caller: Caller) -> None:
    try:
        pickle.dumps(caller)
    except Exception as error:
        raise InputError(
            f"workers: the simulator cannot be sent to another process ({error}); define it in a "
            "module by def, or leave workers out"
        ) from error


@contextmanager
def executor(caller: Caller | None, failures: Failures, workers: int,
             apart: bool = False) -> Iterator[Any]:
    """What the engine calls for simulations. apart: workers one by one, in a list; it hands out
    the rows by itself then."""
    if caller is None:
        yield None
        return
    if workers == 0:
        with HereExecutor(caller, failures) as here:
            yield here
        return
    with ExitStack() as stack:
        counts = [1] * workers if apart else [workers]
        pools = [stack.enter_context(PoolExecutor(caller, failures, n)) for n in counts]
        yield pools if apart else pools[0]


@contextmanager
def serving(ranks: Any, caller: Caller | None, failures: Failures, workers: int) -> Iterator[Any]:
    """The same on a rank that serves another, which keeps the tracebacks."""
    failures.tell = ranks.core.log
    try:
        with executor(caller, failures, workers, apart=True) as simulate:
            yield simulate
    finally:
        failures.tell = None

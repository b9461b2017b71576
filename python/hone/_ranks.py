"""The ranks of an MPI job: all run the same script, rank 0 leads and the others serve it.

Calls that work on a run are made by all ranks, as in any MPI program. First the others tell rank 0
what they call. If that is not the same, all raise an error. Then rank 0 does the work as if it were
alone, while the others simulate and train for it, and in the end tells them how it went.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import Any, Callable, ContextManager, Iterator

from . import _core, errors
from .errors import Error, InputError

ALONE_HINT = ("If a rank is to work by itself, give it comm=MPI.COMM_SELF of mpi4py, or set "
              "HONE_MPI=off for all")
SECONDS_TO_HINT = 10.0
SECONDS_TO_END = 10  # how long a rank that is asked to end waits for the word of rank 0


class Alone:
    """This process by itself: the leader of nobody."""

    core: Any = None
    rank, size = 0, 1
    one_machine = True

    def together(self, call: str, facts: dict[str, Any], begin: Callable[[], Any],
                 work: Callable[[], Any], serving: Callable[[], ContextManager[Any]]) -> Any:
        return begin(), work()


class Ranks:
    """Those of a communicator."""

    def __init__(self, core: Any) -> None:
        self.core, self.rank, self.size = core, core.rank(), core.size()
        self.one_machine = core.ranks_here() == self.size

    def together(self, call: str, facts: dict[str, Any], begin: Callable[[], Any],
                 work: Callable[[], Any], serving: Callable[[], ContextManager[Any]]) -> Any:
        """What `begin` and then `work` return on rank 0, on all ranks.

        facts: of this call, the same on all ranks. serving: gives what the engine calls for
        simulations on this rank, and takes it away again.
        """
        mine = json.dumps({"call": call, "facts": facts})
        with _working(), _asked_to_end(self.rank):
            return self._lead(mine, begin, work) if self.rank == 0 else self._serve(mine, serving)

    def _lead(self, mine: str, begin: Callable[[], Any], work: Callable[[], Any]) -> Any:
        try:
            with hint_if_long(0):
                calls = self.core.begin(mine)
            check_same_calls([json.loads(text) for text in calls])
            begun = begin()
            self._say(begun)
            value = work()
        except BaseException as error:
            self.core.say(json.dumps(_as_facts(error)))
            raise
        self._say(value)
        return begun, value

    def _say(self, value: Any) -> None:
        self.core.say(json.dumps({"value": value}))

    def _serve(self, mine: str, serving: Callable[[], ContextManager[Any]]) -> Any:
        self.core.begin(mine)
        with hint_if_long(self.rank):
            begun = _value(self.core.hear())
        with serving() as simulate:
            end = self.core.serve(simulate, begun["directory"])
        return begun, _value(end)


def ranks_of(comm: Any) -> Alone | Ranks:
    """None: all ranks of the job that this process was started in; else a communicator of mpi4py.
    Joins the job, with the others, if that was not done yet."""
    if comm is None:
        if _state.working or not launched():
            return ALONE
        if _state.job is None:
            _state.job = _join(0, 0, _core.launched_rank())
        return _state.job if _state.job.size > 1 else ALONE
    address, size = _handle(comm)
    if comm.Get_size() == 1:
        return ALONE
    for known, ranks in _state.given:
        if known is comm:
            return ranks
    ranks = _join(address, size, comm.Get_rank())
    _state.given.append((comm, ranks))
    return ranks


def leads(comm: Any) -> bool:
    """Is this rank 0? Says so without joining anybody."""
    if comm is not None:
        _handle(comm)
        return comm.Get_rank() == 0
    return not launched() or _core.launched_rank() == 0


def launched() -> bool:
    """By mpirun or the like, with others? In the environment of Python's start: a library that
    uses MPI by itself may change it later."""
    if os.environ.get("HONE_MPI") == "off":
        return False
    if not any(name in os.environ for name in _core.signs_of_launch()):
        return False
    sizes = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
    return os.environ.get(next((s for s in sizes if s in os.environ), "")) != "1"


def check_same_calls(calls: list[dict[str, Any]]) -> None:
    """Rank 0's is the first. Says who differs, and in what."""
    first = calls[0]
    for rank, other in enumerate(calls):
        if other == first:
            continue
        also = [str(r) for r in range(rank + 1, len(calls)) if calls[r] != first]
        others = f" (and {'ranks' if len(also) > 1 else 'rank'} {', '.join(also)})" if also else ""
        if other["call"] != first["call"]:
            what = f"calls {other['call']}"
        else:
            what = "has " + ", ".join(_unlike(first["facts"], other["facts"]))
        raise InputError(f"{first['call']}: rank {rank} {what}{others}; all ranks must make the same "
                         f"call. {ALONE_HINT}")


def _unlike(first: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Values that were too long to send are digests, and only known to differ."""
    names = [name for name in {**first, **other} if first.get(name) != other.get(name)]
    return [f"another {name}" if str(other.get(name)).startswith("#") else
            f"{name} = {other.get(name)!r} (rank 0: {first.get(name)!r})" for name in names]


def forget_launcher() -> None:
    """For worker processes: what they start shall not take itself for a rank."""
    for name in _core.launcher_variables():
        os.environ.pop(name, None)
        os.unsetenv(name)


class _State:
    """Of this process."""

    job: Ranks | None = None  # all ranks
    given: list[tuple[Any, Ranks]] = []  # communicators, and those in them
    process = 0
    working = False  # inside a call of all ranks: what a simulator calls is its own


ALONE, _state = Alone(), _State()


def _join(address: int, size: int, rank: int) -> Ranks:
    with hint_if_long(rank):
        ranks = Ranks(_core.Ranks(address, size))
    if _state.process != os.getpid():
        _state.process = os.getpid()
        atexit.register(_leave)
        if ranks.rank > 0:
            _shorten_tracebacks(ranks.rank)
    return ranks


def _leave() -> None:
    """At the end of the program. Those who wait for this rank learn that it is gone."""
    if _state.process != os.getpid():  # a child by fork
        return
    failed = getattr(sys, "last_value", None) is not None
    for _, ranks in _state.given:
        ranks.core.leave(failed)
    if _state.job is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        _state.job.core.leave(failed)


def _shorten_tracebacks(rank: int) -> None:
    """Errors that rank 0 raises too are shown by it in full."""
    before = sys.excepthook

    def show(kind: Any, error: Any, trace: Any) -> None:
        if getattr(error, "of_rank_0", False):
            print(f"hone: rank {rank} ends with the error of rank 0", file=sys.stderr)
        else:
            before(kind, error, trace)

    sys.excepthook = show


def _handle(comm: Any) -> tuple[int, int]:
    """Where the MPI_Comm of a communicator is, and its size."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Intracomm):
        raise TypeError(f"comm = {comm!r}: must be a communicator of mpi4py, such as MPI.COMM_WORLD")
    if comm == mpi.COMM_NULL:
        raise InputError("comm = MPI.COMM_NULL: this rank is not in the communicator; only those "
                         "that are take part")
    return mpi._addressof(comm), mpi._sizeof(comm)


def _as_facts(error: BaseException) -> dict[str, str]:
    if isinstance(error, Exception):
        return {"error": type(error).__name__, "message": str(error)}
    return {"error": "Interrupted", "message": "rank 0 was stopped; finished simulations are kept"}


def _value(text: str) -> Any:
    """What rank 0 says, or raises."""
    facts = json.loads(text)
    if "error" not in facts:
        return facts["value"]
    kind = getattr(errors, facts["error"], None)
    error = (kind(facts["message"]) if kind else Error(f"{facts['error']}: {facts['message']}"))
    error.of_rank_0 = True
    raise error


@contextmanager
def _working() -> Iterator[None]:
    before, _state.working = _state.working, True
    try:
        yield
    finally:
        _state.working = before


@contextmanager
def hint_if_long(rank: int) -> Iterator[None]:
    """Waiting for the others may be right, or a mistake in the script. One rank says so."""
    def say() -> None:
        waits_for = "the other ranks" if rank == 0 else "rank 0"
        print(f"hone: rank {rank} waits for {waits_for}: all ranks must make the same calls. "
              f"{ALONE_HINT}", file=sys.stderr, flush=True)

    timer = threading.Timer(SECONDS_TO_HINT, say)
    timer.daemon = True
    if rank < 2:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _asked_to_end(rank: int) -> Iterator[None]:
    """mpirun passes Ctrl-C on as SIGTERM and kills a second later. Rank 0 saves what is finished
    and tells the others, who stop simulating and wait for its word; but not for ever."""
    def stop(number: int, _: Any) -> None:
        if rank > 0:
            signal.alarm(SECONDS_TO_END)
        raise SystemExit(128 + number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        signals = (signal.SIGTERM, signal.SIGINT) if rank > 0 else (signal.SIGTERM,)
        defaults = (signal.SIG_DFL, signal.default_int_handler)  # the user's own are respected
        before = {s: signal.signal(s, stop) for s in signals if signal.getsignal(s) in defaults}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""How a Python function becomes a simulator: what it is called with, and what may come back.

x may depend on theta and the seed of its row only. The seed has 53 bits, as an external worker
gets it, so that a function gives the same numbers here and there.
"""

from __future__ import annotations

import inspect
import random
import traceback
from typing import Any, Callable, Optional, Sequence

import numpy as np

from . import _data
from .errors import InputError


def worker_seed(seed: Any) -> int:
    """The upper 53 bits, exact also where numbers are doubles."""
    return int(seed) >> 11


class RowGenerators(Sequence[np.random.Generator]):
    """Random numbers for many rows at once, each from its own generator.

    ``rng.normal(size=3)`` is (n, 3): every method of ``numpy.random.Generator`` is called once per
    row and the results are stacked. Arguments with one entry per row are handed out row by row.
    Row i's numbers do not depend on its neighbours, so a batch gives the same bits however it is
    cut. ``rng[i]`` is the generator of row i.
    """

    def __init__(self, seeds: Sequence[int]) -> None:
        self._generators = [np.random.default_rng(seed) for seed in seeds]

    def __len__(self) -> int:
        return len(self._generators)

    def __getitem__(self, index: Any) -> Any:
        return self._generators[index]

    def __getattr__(self, name: str) -> Callable[..., np.ndarray]:
        if name.startswith("_") or not hasattr(np.random.Generator, name):
            raise AttributeError(f"numpy.random.Generator has no method '{name}'")

        def of_row(argument: Any, i: int) -> Any:
            array = isinstance(argument, np.ndarray) and argument.ndim > 0
            return argument[i] if array and len(argument) == len(self) else argument

        def stacked(*args: Any, **kwargs: Any) -> np.ndarray:
            return np.stack([
                getattr(generator, name)(*(of_row(a, i) for a in args),
                                         **{k: of_row(v, i) for k, v in kwargs.items()})
                for i, generator in enumerate(self._generators)
            ])

        return stacked


class Caller:
    """Calls a simulator in the way its signature asks for.

    The first argument is theta. One called ``rng`` gets a numpy Generator, one called ``seed`` an
    integer. If instead the arguments are called like the parameters, they get one number each.
    """

    def __init__(self, function: Callable[..., Any], names: Sequence[str], size: int,
                 batched: bool = False, blocks: _data.Blocks | None = None) -> None:
        if not callable(function):
            raise TypeError(f"simulator = {function!r}: must be a function of theta")
        self.function, self.size, self.batched = function, size, batched
        self.random, self.by_name = _read_signature(function, names)
        self.names = list(names)
        self.blocks = blocks or _data.Blocks([])

    def rows(self, theta: np.ndarray, seeds: np.ndarray) -> tuple[np.ndarray, list[Failed]]:
        """x (n, size) and, for every row, why there is none."""
        if self.batched:
            return self._batch(theta, seeds)
        x = np.zeros((len(theta), self.size))
        failed: list[Failed] = [None] * len(theta)
        for i in range(len(theta)):
            try:
                x[i] = self._data(self._call(theta[i], worker_seed(seeds[i])), (self.size,))
            except Exception as error:
                failed[i] = SimulatorFailure(error)
        return x, failed

    def _batch(self, theta: np.ndarray, seeds: np.ndarray) -> tuple[np.ndarray, list[Failed]]:
        try:
            x = self._call(theta, [worker_seed(seed) for seed in seeds])
            return self._data(x, (len(theta), self.size)), [None] * len(theta)
        except Exception as error:
            return np.zeros((len(theta), self.size)), [SimulatorFailure(error)] * len(theta)

    def _call(self, theta: np.ndarray, seed: Any) -> Any:
        extra: dict[str, Any] = {}
        if "rng" in self.random:
            extra["rng"] = RowGenerators(seed) if self.batched else np.random.default_rng(seed)
        if "seed" in self.random:
            extra["seed"] = np.array(seed, np.uint64) if self.batched else seed
        if not self.random:  # those that draw from the global generators shall repeat, too
            first = seed[0] if self.batched else seed
            np.random.seed([first & 0xFFFFFFFF, first >> 32])
            random.seed(first)
        if self.by_name:
            return self.function(**dict(zip(self.names, theta.T)), **extra)
        return self.function(theta.copy(), **extra)

    def _data(self, value: Any, shape: tuple[int, ...]) -> np.ndarray:
        x = np.asarray(self.blocks.vector(value, "x", shape[0] if self.batched else None))
        if x.dtype.kind not in "fiubO":
            raise TypeError(f"x has type {x.dtype}; must be real numbers")
        if self.batched and (x.ndim == 0 or x.shape[0] != shape[0]):
            raise ValueError(f"x has shape {x.shape}; must have a row for each of {shape[0]} theta")
        if x.size != np.prod(shape):
            raise ValueError(f"x has {x.size // max(1, shape[0] if self.batched else 1)} values, "
                             f"the observation has {self.size}")
        return x.astype(np.float64).reshape(shape)


class SimulatorFailure:
    """An exception of the simulator: a short reason, and the whole traceback."""

    def __init__(self, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename not in (__file__, _data.__file__)]
        place = f" ({own[-1].filename}, line {own[-1].lineno})" if own else ""
        self.reason = "".join(traceback.format_exception_only(type(error), error)).strip() + place
        whole = traceback.format_exception(type(error), error, error.__traceback__)
        self.traceback = "".join(whole)
        self.error: Exception | None = error

    def __getstate__(self) -> dict[str, Any]:
        # An exception need not survive the way between processes; its text does.
        return {"reason": self.reason, "traceback": self.traceback, "error": None}


Failed = Optional[SimulatorFailure]


def function_name(function: Any) -> str:
    """For people: 'model.simulate'."""
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    module = getattr(function, "__module__", None) or ""
    return name if module in ("", "__main__", "builtins") else f"{module}.{name}"


def _read_signature(function: Callable[..., Any], names: Sequence[str]) -> tuple[set[str], bool]:
    """Which of rng and seed it wants, and whether it wants its parameters by name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some builtins cannot tell
        return set(), False
    wanted = {p.name for p in parameters if p.name in ("rng", "seed")}
    others = [p for p in parameters if p.name not in wanted
              and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    required = [p.name for p in others if p.default is p.empty]
    if [p.name for p in others][:1] != ["theta"] and {p.name for p in others} >= set(names):
        unknown = set(required) - set(names)
        if not unknown:
            return wanted, True
    if len(required) > 1 or (not others and not _takes_anything(parameters)):
        given = ", ".join(p.name for p in parameters)
        raise InputError(
            f"simulator {function_name(function)}({given}): must be a function of theta, and "
            "of rng or seed if it draws random numbers: simulate(theta), simulate(theta, rng), "
            f"simulate(theta, seed); or of {', '.join(names)} by name"
        )
    return wanted, False


def _takes_anything(parameters: Any) -> bool:
    return any(p.kind is p.VAR_POSITIONAL for p in parameters)

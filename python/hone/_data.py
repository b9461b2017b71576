"""Data with a shape: what their named parts are, and how these become one vector."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from . import _core
from ._arrays import as_floats
from .errors import InputError

KINDS = _core.data_kinds()


class Blocks:
    """The parts of a data vector, in its order; none if nothing was said about them."""

    def __init__(self, described: list[dict[str, Any]]) -> None:
        self.described = described

    @classmethod
    def of(cls, observation: Any, data: Any) -> Blocks:
        """As an observation and the argument ``data`` of ``hone.run`` say."""
        if not isinstance(observation, Mapping):
            if data is None:
                return cls([])
            parts = {_only_name(data): observation}
        else:
            parts = dict(observation)
        if not parts:
            raise InputError("observation: is empty; must have at least one block")
        kinds = _kinds(data, list(parts))
        return cls([_block(name, kinds[name], as_floats(values, f"observation[{name!r}]"))
                    for name, values in parts.items()])

    def vector(self, values: Any, name: str, rows: int | None = None) -> Any:
        """A dictionary of blocks as one array, (rows, size) if they have rows; anything else as it
        is."""
        if not isinstance(values, Mapping):
            return values
        names = [block["name"] for block in self.described]
        if set(values) != set(names):
            raise InputError(f"{name} has {_listed(values)}; the observation has {_listed(names)}")
        return np.concatenate([self._part(values[block["name"]], block, name, rows)
                               for block in self.described], axis=-1)

    def _part(self, values: Any, block: dict[str, Any], name: str, rows: int | None) -> np.ndarray:
        array, shape = np.asarray(values), tuple(block["shape"])
        size = int(np.prod(shape))
        lead = () if rows is None else (rows,)
        of_row = array.shape[len(lead):]
        # Flat is as good, since data are stored flat; a vector has no other shape than its size.
        fits = of_row in (shape, (size,)) or (np.prod(of_row) == size
                                              and (block["kind"] == "vector" or size == 1))
        if array.shape[:len(lead)] != lead or not fits:
            raise InputError(f"{name}[{block['name']!r}] has shape {array.shape}; "
                             f"must have {lead + shape}")
        return array.reshape((*lead, size))


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names) or "no blocks"


def _only_name(data: Any) -> str:
    """Of the one block that an array is."""
    if not isinstance(data, Mapping):
        return "x"
    if len(data) != 1:
        raise InputError(f"data: names {len(data)} blocks, but the observation is one array; "
                         "give a dictionary of arrays")
    return next(iter(data))


def _kinds(data: Any, names: list[Any]) -> dict[str, str]:
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"observation: {name!r} cannot be the name of a block; must be a text")
    if data is None:
        return dict.fromkeys(names, "vector")
    if not isinstance(data, Mapping):
        data = dict.fromkeys(names, data)
    for name, kind in data.items():
        if name not in names:
            raise InputError(f"data: the observation has no '{name}'; "
                             + _core.suggestion(str(name), names))
        if kind not in KINDS:
            raise InputError(f"data '{name}': there is no kind {kind!r}; "
                             + _core.suggestion(str(kind), KINDS))
    return {name: data.get(name, "vector") for name in names}


def _block(name: str, kind: str, values: np.ndarray) -> dict[str, Any]:
    flat = kind == "vector" or values.ndim == 0
    shape = (values.size,) if flat else values.shape
    return {"name": name, "kind": kind, "shape": [int(length) for length in shape]}

"""Data with a shape: what their named parts are, and how these become one vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

from . import _core
from ._arrays import as_floats
from .errors import InputError

KINDS = _core.data_kinds()


@dataclass(frozen=True)
class Data:
    """What a part of the data is, in more words than the name of its kind: for ``data`` of
    ``hone.run``.

    >>> import hone
    >>> hone.Data("series", missing=True, unit="mJy").kind
    'series'

    kind: "vector", "series", "image" or "set" (docs/problem-file.md).
    shape: that of the observation, if it is not given. A set with a shape may have fewer elements
        than that, in the observation and in every simulation: ``hone.Data("set", shape=(200, 2))``
        is of up to 200 pairs.
    missing: True: NaN is a value that is not there, where the simulator leaves gaps as the
        instrument does. "random": the simulator leaves none, and training takes values away.
        False: a simulation with NaN has failed.
    label, unit: for figures.
    """

    kind: str = "vector"
    shape: Sequence[int] | None = None
    missing: bool | str = False
    label: str = ""
    unit: str = ""


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
        said = _said(data, list(parts))
        return cls([_block(name, said[name], as_floats(values, f"observation[{name!r}]"))
                    for name, values in parts.items()])

    @property
    def has_missing(self) -> bool:
        """May values be missing?"""
        return any("missing" in block for block in self.described)

    def vector(self, values: Any, name: str, rows: int | None = None) -> Any:
        """A dictionary of blocks as one array, (rows, size) if they have rows; anything else as it
        is."""
        if not isinstance(values, Mapping):
            if len(self.described) == 1 and _has_room(self.described[0]):
                return self._part(values, self.described[0], name, rows)
            return values
        names = [block["name"] for block in self.described]
        if set(values) != set(names):
            raise InputError(f"{name} has {_listed(values)}; the observation has {_listed(names)}")
        return np.concatenate([self._part(values[block["name"]], block, name, rows)
                               for block in self.described], axis=-1)

    def _part(self, values: Any, block: dict[str, Any], name: str, rows: int | None) -> np.ndarray:
        shape = tuple(block["shape"])
        if _has_room(block):
            values = _filled_up(values, block, name, rows)
        array = np.asarray(values)
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


def _has_room(block: dict[str, Any]) -> bool:
    """A set that may have fewer elements than its shape says."""
    return block["kind"] == "set" and "missing" in block


def _filled_up(values: Any, block: dict[str, Any], name: str, rows: int | None) -> np.ndarray:
    """A set with NaN in the place of the elements that it lacks."""
    if rows is not None:
        return np.stack([_filled_up(one, block, name, None) for one in values])
    array, shape = as_floats(values, name), tuple(block["shape"])
    if array.shape == (int(np.prod(shape)),):  # flat
        array = array.reshape(shape)
    if array.size == 0:
        array = array.reshape((0, *shape[1:]))
    if array.shape[1:] != shape[1:] or array.ndim != len(shape):
        raise InputError(f"{name}[{block['name']!r}] has shape {array.shape}; "
                         f"must have {shape}, or fewer elements")
    if len(array) > shape[0]:
        raise InputError(f"{name}[{block['name']!r}] has {len(array)} elements; its shape in data "
                         f"has room for {shape[0]}")
    result = np.full(shape, np.nan)
    result[:len(array)] = array
    return result


def _said(data: Any, names: list[Any]) -> dict[str, Data]:
    """What was said of each block."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"observation: {name!r} cannot be the name of a block; must be a text")
    if data is None:
        return dict.fromkeys(names, Data())
    if not isinstance(data, Mapping):
        data = dict.fromkeys(names, data)
    said = {}
    for name, one in data.items():
        if name not in names:
            raise InputError(f"data: the observation has no '{name}'; "
                             + _core.suggestion(str(name), names))
        said[name] = one if isinstance(one, Data) else Data(one)
        kind = said[name].kind
        if kind not in KINDS:
            raise InputError(f"data '{name}': there is no kind {kind!r}; "
                             + _core.suggestion(str(kind), KINDS))
        if said[name].missing not in (False, True, "random"):
            raise InputError(f"data '{name}': missing = {said[name].missing!r}; must be True, "
                             "False or 'random'")
    return {name: said.get(name, Data()) for name in names}


def _block(name: str, said: Data, values: np.ndarray) -> dict[str, Any]:
    flat = said.kind == "vector" or values.ndim == 0
    shape = (values.size,) if flat else values.shape
    missing = said.missing
    if said.shape is not None:
        wanted = tuple(int(length) for length in np.atleast_1d(said.shape))
        if said.kind == "set":
            missing = missing or True  # it may have fewer elements
        elif int(np.prod(wanted)) != values.size:
            raise InputError(f"data '{name}': shape {wanted}; the observation has {values.shape}")
        shape = wanted
    block = {"name": name, "kind": said.kind, "shape": [int(length) for length in shape]}
    extra = {"missing": missing, "label": said.label, "unit": said.unit}
    return {**block, **{key: value for key, value in extra.items() if value}}

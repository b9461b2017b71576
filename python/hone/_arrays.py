"""Whatever users bring, as the arrays the engine wants; refused here if it makes no sense."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from .errors import InputError


def as_floats(values: Any, name: str) -> np.ndarray:
    """Contiguous float64 of any shape, from numbers of any real type."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different length
        raise InputError(f"{name}: its rows have different lengths") from None
    if array.dtype == object and all(isinstance(value, Real) for value in array.flat):
        array = array.astype(float)  # fractions, integers beyond 64 bits
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name}: has type {array.dtype}; must be real numbers")
    return np.asarray(array, dtype=np.float64, order="C")


def as_vector(values: Any, name: str, size: int | None = None,
              missing: bool = False) -> np.ndarray:
    """Finite numbers in one row; more dimensions (an image) are flattened. missing: NaN is a value
    that is not there; which may be, the engine checks."""
    vector = as_floats(values, name).ravel()
    if vector.size == 0:
        raise InputError(f"{name}: is empty; must have at least one number")
    if size is not None and vector.size != size:
        raise InputError(f"{name}: has {vector.size} values; must have {size}")
    bad = np.flatnonzero(np.isinf(vector) if missing else ~np.isfinite(vector))
    if bad.size:
        raise InputError(f"{name}[{bad[0]}] = {vector[bad[0]]}: must be finite")
    return vector


def as_rows(values: Any, columns: int, name: str) -> np.ndarray:
    """(n, columns). A single row is one row; with one column, a list is n rows."""
    rows = as_floats(values, name)
    if rows.ndim == 0:
        rows = rows.reshape(1, 1)
    if rows.ndim == 1:
        rows = rows.reshape(-1, 1) if columns == 1 else rows.reshape(1, -1)
    if rows.ndim != 2 or rows.shape[1] != columns:
        raise InputError(f"{name}: has shape {np.shape(values)}; must be (n, {columns})")
    return rows


def as_data(values: Any, size: int | None, name: str) -> np.ndarray:
    """(n, size): one data vector per row; further dimensions of a row are flattened."""
    rows = as_floats(values, name)
    if rows.ndim == 0:
        raise InputError(f"{name}: is a single number; must have a row per simulation")
    rows = rows.reshape(rows.shape[0], int(np.prod(rows.shape[1:])))
    if size is not None and rows.shape[1] != size:
        raise InputError(f"{name}: its rows have {rows.shape[1]} values; must have {size}")
    return rows


def as_count(value: Any, name: str, least: int = 0) -> int:
    """A whole number; 1e4 is one."""
    try:
        count = int(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} = {value!r}: must be a whole number") from None
    if count != value or isinstance(value, bool):
        raise TypeError(f"{name} = {value!r}: must be a whole number")
    if count < least:
        raise InputError(f"{name} = {count}: must be {least} or greater")
    return count


def as_seed(value: Any, name: str = "seed") -> int:
    """0 .. 2^64 - 1."""
    seed = as_count(value, name)
    if seed >= 2**64:
        raise InputError(f"{name} = {seed}: must be below 2^64")
    return seed

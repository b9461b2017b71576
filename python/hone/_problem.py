"""What a run needs, as the engine wants it; refused here if it makes no sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence

from . import _core
from ._arrays import as_data, as_floats, as_rows
from ._calling import function_name
from ._place import DATASET
from .errors import InputError
from .posterior import Marginal, marginal_columns
from .prior import Prior


def marginal_list(marginals: Sequence[Marginal] | str | None, prior: Prior) -> list[list[int]]:
    """As the engine wants them: ascending indices, each marginal once."""
    words = [marginals] if isinstance(marginals, (str, int)) else list(marginals or ["1d", "2d"])
    result: list[list[int]] = []
    for word in words:
        if word in ("1d", "2d"):
            more = _core.marginals_from_words([word], prior._core)
        else:
            more = [sorted(marginal_columns(word, prior.names))]
        result += [one for one in more if one not in result]
    return result


def existing_simulations(simulations: Any, prior: Prior, size: int) -> Any:
    if simulations is None:
        return None
    if len(simulations) != 2:
        raise InputError("simulations: must be (theta, x)")
    theta = as_rows(simulations[0], prior.dimensions, "simulations[0]")
    x = as_data(simulations[1], size, "simulations[1]")
    if len(theta) != len(x):
        raise InputError(f"simulations: theta has {len(theta)} rows, x has {len(x)}")
    if len(theta) == 0:
        raise InputError("simulations: there are none")
    return theta, x


def simulator_spec(simulator: Any, existing: Any, directory: Path) -> dict[str, Any]:
    spec: dict[str, Any] = {"kind": "dataset", "directory": str(directory)}
    if simulator is not None:
        spec = {"kind": "function", "function": function_name(simulator)}
    if existing is not None:
        spec.update(dataset=[str(directory / DATASET)], theta="theta", x="x", dataset_rows=len(existing[0]))
    return spec


def noise_spec(noise: Any) -> dict[str, Any]:
    if noise is None:
        return {}
    if isinstance(noise, str):
        if noise != "poisson":
            raise InputError(f"noise = {noise!r}: must be a sigma, a covariance or 'poisson'")
        return {"kind": noise}
    sigma = as_floats(noise, "noise")
    if sigma.ndim == 2:
        return {"kind": "gaussian", "covariance": sigma.ravel()}
    return {"kind": "gaussian", "sigma": sigma.ravel()}

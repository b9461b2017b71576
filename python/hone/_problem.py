"""What a run needs, as the engine wants it; refused here if it makes no sense."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from . import _core, _summary
from ._arrays import as_data, as_floats, as_rows, as_seed, as_vector
from ._calling import Caller, function_name
from ._data import Blocks
from ._place import dataset_file
from .errors import InputError
from .posterior import Marginal, marginal_columns
from .prior import Prior, as_prior


def marginal_list(marginals: Sequence[Marginal] | str | None, prior: Prior) -> list[list[int]]:
    """As the engine wants them: ascending indices, each marginal once."""
    words = [marginals] if isinstance(marginals, (str, int)) else list(marginals or ["1d", "2d"])
    result: list[list[int]] = []
    for word in words:
        if word in ("1d", "2d"):
            more = _core.marginals_from_words([word], prior._core)
        else:
            joint = word is None or (isinstance(word, str) and word == "joint")
            more = [list(range(prior.dimensions)) if joint
                    else sorted(marginal_columns(word, prior._core.quantity_names()))]
        result += [one for one in more if one not in result]
    return result


def existing_simulations(simulations: Any, prior: Prior, size: int, blocks: Blocks) -> Any:
    if simulations is None:
        return None
    if len(simulations) != 2:
        raise InputError("simulations: must be (theta, x)")
    theta = as_rows(simulations[0], prior.dimensions, "simulations[0]")
    x = as_data(blocks.vector(simulations[1], "simulations[1]", len(theta)), size, "simulations[1]")
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
        spec.update(dataset=[str(dataset_file(directory))], theta="theta", x="x",
                    dataset_rows=len(existing[0]),
                    dataset_checksum=_core.dataset_checksum(*existing))
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


class Problem:
    """What ``hone.run`` is asked, checked before any work is done."""

    def __init__(self, prior: Any, simulator: Any, observation: Any, simulations: Any,
                 batched: bool, data: Any = None, derived: Any = None,
                 summary: Any = None) -> None:
        self.summary = _summary.checked(summary)
        observation = _summary.of_data(observation, self.summary, batched)
        if simulations is not None and len(simulations) == 2:
            simulations = (simulations[0], _summary.of_rows(simulations[1], self.summary, batched))
        simulator = _summary.of_simulator(simulator, self.summary)
        self.prior = as_prior(prior)._with_derived(derived)
        self.blocks = Blocks.of(observation, data)
        self.data = as_vector(self.blocks.vector(observation, "observation"), "observation",
                              missing=self.blocks.has_missing)
        self.existing = existing_simulations(simulations, self.prior, self.data.size, self.blocks)
        if simulator is None and self.existing is None:
            raise InputError("simulator = None: give a simulator, or simulations=(theta, x)")
        self.simulator = simulator
        self.caller = None if simulator is None else Caller(simulator, self.prior.names,
                                                            self.data.size, batched,
                                                            self.blocks)

    @property
    def budget(self) -> dict[str, int]:
        """As an option, where it is clear: all simulations there are."""
        return {} if self.simulator is not None else {"budget": len(self.existing[0])}

    def decide(self, seed: Any, marginals: Any, noise: Any, name: str | None, options: Any) -> None:
        """How it is to be solved."""
        of_function = function_name(self.simulator).rpartition(".")[2].strip("<>")
        self.name = name or (of_function if self.simulator is not None else "data")
        if noise is not None and self.summary is not None:
            raise InputError("noise: would be added to the summaries; let the simulator add it")
        self.noise, self.seed = noise_spec(noise), as_seed(seed)
        self.marginals, self.options = marginal_list(marginals, self.prior), options
        self.spec(Path())  # does everything fit together?

    def spec(self, directory: Path) -> Any:
        """As the engine wants it, for a run in that directory."""
        return _core.RunSpec(self.name, simulator_spec(self.simulator, self.existing, directory),
                             self.noise, self.seed, self.prior._core, self.data, self.marginals,
                             self.options, self.blocks.described)

    def facts(self, directory: Any) -> dict[str, Any]:
        """What must be the same on all ranks, as texts and numbers."""
        spec = self.spec(Path()).to_json()
        facts = {"directory": None if directory is None else os.fspath(directory),
                 "seed": self.seed, "name": self.name,
                 "simulator": spec["simulator"].get("function"),
                 "prior": _digest(np.frombuffer(json.dumps(spec["parameters"]).encode(), np.uint8)),
                 "observation": _digest(self.data),
                 "derived": json.dumps(spec.get("derived", [])),
                 "marginals": self.marginals, **spec["options"]}
        if self.blocks.described:
            facts["data"] = json.dumps(self.blocks.described)
        for key, value in self.noise.items():
            facts[f"noise {key}"] = value if isinstance(value, str) else _digest(value)
        if self.existing is not None:
            facts["simulations"] = _digest(np.hstack(self.existing))
        return facts


def _digest(value: Any) -> str:
    """In place of long values: says only whether they differ."""
    return "#" + hashlib.sha256(np.ascontiguousarray(value)).hexdigest()

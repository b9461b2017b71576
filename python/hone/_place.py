"""The directory of a run."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._ranks import ALONE
from .errors import InputError


def dataset_file(directory: Path) -> Path:
    """Simulations that were handed over."""
    return Path(_core.Run.dataset_file(str(directory)))


# What decides the result of a run, and how it is called. An array goes by its checksum, see below.
DECISIVE = {"parameters": "parameter", "derived": "derived quantity", "observation": "observation",
            "data": "description of the data", "noise": "noise", "marginals": "marginal"}


class Place:
    """The directory of a run: the user's, or a temporary one that goes with this object; if ranks
    share it, with the last of theirs."""

    def __init__(self, directory: str | os.PathLike[str] | None, ranks: Any = ALONE) -> None:
        self.temporary = directory is None
        if self.temporary and not ranks.one_machine:
            raise InputError("directory = None: the ranks are on several machines; give a directory "
                             "on a file system that all of them see")
        path = tempfile.mkdtemp(prefix="hone-") if directory is None else directory
        self.path = Path(path).absolute()  # the caller may go elsewhere
        if not self.temporary:
            return
        if ranks.size == 1:
            self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
            return
        for rank in range(ranks.size):
            (self.path / f"rank-{rank}").touch()
        self.path = self.path / "run"
        self._remove = weakref.finalize(self, _leave, self.path.parent, 0)

    @classmethod
    def of_rank(cls, path: str, temporary: bool, rank: int) -> Place:
        """Where rank 0 has made one."""
        self = cls(path)
        self.temporary = temporary
        if temporary:
            self._remove = weakref.finalize(self, _leave, self.path.parent, rank)
        return self

    def keep(self) -> None:
        """Finished simulations are worth more than a tidy /tmp."""
        if self.temporary:
            self._remove.detach()

    def create(self, spec: Any, existing: Any) -> Any:
        """A new run; or the one that is there, if it is the same."""
        if _core.Run.is_run(str(self.path)):
            core = _core.Run.open(str(self.path))
            _check_same(core, spec, self.path)
        else:
            core = _core.Run.create(str(self.path), spec)
        dataset = dataset_file(self.path)
        if existing is not None and not dataset.exists():
            half_written = dataset.with_name(f"new-{dataset.name}")
            np.savez(half_written, theta=existing[0], x=existing[1])
            half_written.rename(dataset)
        return core

    def open(self) -> Any:
        """The run that rank 0 has made. Network file systems may show it only later."""
        for _ in range(100):
            if _core.Run.is_run(str(self.path)):
                break
            time.sleep(0.1)
        return _core.Run.open(str(self.path))


def _leave(directory: Path, rank: int) -> None:
    """Who is the last removes it."""
    (directory / f"rank-{rank}").unlink(missing_ok=True)
    if not any(directory.glob("rank-*")):
        shutil.rmtree(directory, ignore_errors=True)


def _check_same(core: Any, spec: Any, path: Path) -> None:
    """The name of the function may change, what decides the result may not."""
    there, here = core.spec(), spec.to_json()
    differences = [f"another {words}" for key, words in DECISIVE.items()
                   if _text(there.get(key)) != _text(here.get(key))]
    if "another noise" not in differences and \
            not np.array_equal(core.covariance(), spec.covariance()):
        differences.append("another covariance of the noise")
    if _data_set(there, path) != _data_set(here, path):
        differences.append("other simulations to begin with")
    if there["seed"] != here["seed"]:
        differences.append(f"seed = {there['seed']} there, {here['seed']} here")
    for name, value in here["options"].items():
        if there["options"].get(name) != value:
            differences.append(f"{name} = {there['options'].get(name)} there, {value} here")
    if differences:
        raise InputError(f"{path} holds another run ({'; '.join(differences)}); a run is never "
                         "overwritten: give another directory")


def _text(facts: Any) -> str:
    """To compare: NaN, a value that is missing, is no other than itself there."""
    return json.dumps(facts, sort_keys=True)


def _data_set(spec: dict[str, Any], path: Path) -> str | None:
    """What tells the simulations apart that a run begins with; None: there are none."""
    simulator = spec["simulator"]
    if "dataset" not in simulator:
        return None
    if "dataset_checksum" not in simulator and dataset_file(path).exists():
        with np.load(dataset_file(path)) as arrays:  # a version that kept no checksum made the run
            return _core.dataset_checksum(arrays["theta"], arrays["x"])
    return simulator.get("dataset_checksum", "")

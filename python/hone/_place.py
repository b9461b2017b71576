"""The directory of a run."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from .errors import InputError


DATASET = "dataset.npz"  # simulations that were handed over


class Place:
    """The directory of a run: the user's, or a temporary one that goes with this object."""

    def __init__(self, directory: str | os.PathLike[str] | None) -> None:
        self.temporary = directory is None
        path = tempfile.mkdtemp(prefix="hone-") if directory is None else directory
        self.path = Path(path).absolute()  # the caller may go elsewhere
        if self.temporary:
            self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def keep(self) -> None:
        """Finished simulations are worth more than a tidy /tmp."""
        if self.temporary:
            self._remove.detach()

    def create(self, spec: Any, existing: Any) -> Any:
        """A new run; or the one that is there, if it is the same."""
        if (self.path / "run.json").exists():
            core = _core.Run.open(str(self.path))
            _check_same(core.spec(), spec.to_json(), self.path)
        else:
            core = _core.Run.create(str(self.path), spec)
        if existing is not None and not (self.path / DATASET).exists():
            half_written = self.path / f"new-{DATASET}"
            np.savez(half_written, theta=existing[0], x=existing[1])
            half_written.rename(self.path / DATASET)
        return core


def _check_same(there: dict[str, Any], here: dict[str, Any], path: Path) -> None:
    """The name of the function may change, what decides the result may not."""
    differences = []
    for key in ("parameters", "observation", "noise", "seed", "marginals"):
        if there.get(key) != here.get(key):
            differences.append(f"another {key.rstrip('s')}" if key != "seed" else
                               f"seed = {there['seed']} there, {here['seed']} here")
    for name, value in here["options"].items():
        if there["options"].get(name) != value:
            differences.append(f"{name} = {there['options'].get(name)} there, {value} here")
    if differences:
        raise InputError(f"{path} holds another run ({'; '.join(differences)}); a run is never "
                         "overwritten: give another directory")

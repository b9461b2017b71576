"""What the tests of a run found."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any

from ._table import Table

if TYPE_CHECKING:
    from .run import Run

SIGMAS = ("68.3 %", "95.4 %", "99.7 %")


class Checks:
    """The verdict on a run, with its reasons. ``verdict`` is "pass", "caution", "unclear" (too few
    test draws to tell) or "fail"."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self._facts = facts

    @property
    def verdict(self) -> str:
        """The worst of all checks: "pass", "caution", "unclear" or "fail"."""
        return self._facts["verdict"]

    @property
    def summary(self) -> str:
        """The verdict in one sentence."""
        return self._facts["summary"]

    @property
    def draws(self) -> int:
        """Simulations the run was tested with; no network was trained on them."""
        return self._facts["draws"]

    @property
    def checks(self) -> Table:
        """Every check: name, status, reason, advice and its numbers."""
        columns = {"name": "check", "status": "status", "reason": "what was seen"}
        return Table(self._facts["checks"], columns)

    @property
    def coverage(self) -> Table:
        """Empirical coverage of every marginal's credible regions of 1, 2 and 3 sigma."""
        rows = []
        for curve in self._facts["coverage"]:
            levels = dict(zip(SIGMAS, (level["empirical"] for level in curve["levels"])))
            rows.append({"name": curve["marginal"], **levels,
                         "too narrow by": curve["width_error"], "curve": curve})
        return Table(rows, {"name": "marginal", **{s: s for s in SIGMAS},
                            "too narrow by": "too narrow by"})

    def to_dict(self) -> dict[str, Any]:
        """Everything, as ``hone check --json`` prints it."""
        return self._facts

    def __repr__(self) -> str:
        lines = [f"verdict: {self.verdict}: {self.summary}"]
        for one in self.checks:
            if one["status"] != "pass":
                lines.append(f"  {one['status']:<8}{one['name']}: {one['reason']}")
                lines.append(f"          {one['advice']}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = f"<p>verdict: <b>{self.verdict}</b>: {html.escape(self.summary)}</p>"
        return head + self.checks._repr_html_()


def check(run: Run | str | os.PathLike[str], simulations: int = 0, *, comm: Any = None,
          **how: Any) -> Checks:
    """Tests a finished run, or one in a directory: ``run.check`` has the arguments. comm: who works
    on a run in a directory, as for ``hone.run``.

    >>> import hone
    >>> run = hone.run([hone.Uniform(0, 1)], lambda theta, rng: theta + 0.1 * rng.standard_normal(),
    ...                [0.4], budget=500, max_epochs=5, progress=False)
    >>> hone.check(run, progress=False).verdict in ("pass", "caution", "fail")
    True
    """
    from .run import Run
    from .start import open

    return (run if isinstance(run, Run) else open(run, comm=comm)).check(simulations, **how)

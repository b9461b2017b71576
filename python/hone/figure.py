"""Corner plots: drawn by the engine always, by matplotlib where it is installed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence, SupportsFloat, Union

import numpy as np

from . import _core
from ._convert import optional
from .errors import InputError
from .posterior import Posterior, marginal_columns

Truth = Union[Mapping[str, float], Sequence[float], None]
FORMATS = ("png", "svg", "pdf")
LEVELS = (0.9545, 0.6827)  # of the filled contours, from the outside in
TRUTH = {"color": "k", "lw": 0.8}


class Figure:
    """A picture: ``figure.svg()``, ``figure.save("corner.pdf")``. Shows itself in Jupyter."""

    def __init__(self, draw: Callable[[str], bytes]) -> None:
        self._draw = draw
        self._made: dict[str, bytes] = {}

    def _bytes(self, form: str) -> bytes:
        if form not in self._made:
            self._made[form] = self._draw(form)
        return self._made[form]

    def png(self) -> bytes:
        """As PNG."""
        return self._bytes("png")

    def svg(self) -> str:
        """As SVG."""
        return self._bytes("svg").decode()

    def pdf(self) -> bytes:
        """As PDF."""
        return self._bytes("pdf")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes .png, .svg or .pdf, by the ending of the name."""
        ending = Path(path).suffix.lstrip(".").lower()
        if ending not in FORMATS:
            raise InputError(f"{path}: must end in .png, .svg or .pdf")
        Path(path).write_bytes(self._bytes(ending))

    def _repr_png_(self) -> bytes:
        return self.png()

    def __repr__(self) -> str:
        return "<hone.Figure: save() it, or let a notebook show it>"


def corner(posteriors: Posterior | Mapping[str, Posterior],
           parameters: Sequence[str | int] | None = None, *,
           truth: Truth = None, titles: bool = True) -> Figure:
    """The corner plot of a posterior, or of several by their labels on top of each other.

    Contours hold 68, 95 and 99.7 % of the probability. truth: values to be marked, by name or one for
    each parameter. titles: median and 68 % interval of each parameter above its panel.
    """
    layers = _layers(posteriors)
    first = next(iter(layers.values()))
    columns = _columns(first, parameters)
    known = truth_by_name(truth, first.names)
    names = [first.names[c] for c in columns]
    marks = [known.get(name) for name in names]
    axes = [(name, first._labels[c], *first._support(c), mark)
            for name, c, mark in zip(names, columns, marks)]
    drawn = [(label, _grids(one, names)) for label, one in layers.items()]
    return Figure(lambda form: _core.corner(axes, drawn, form, titles))


def matplotlib_corner(posteriors: Posterior | Mapping[str, Posterior],
                      parameters: Sequence[str | int] | None = None, *,
                      truth: Truth = None) -> Any:
    """A corner plot as a matplotlib figure, with contours of 68 and 95 %."""
    layers = _layers(posteriors)
    first = next(iter(layers.values()))
    columns = _columns(first, parameters)
    known = truth_by_name(truth, first.names)
    side = 1 + 1.8 * len(columns)
    # Not by pyplot: the figure belongs to the caller, and no window is opened.
    figure = optional("matplotlib.figure", "plot()").Figure(figsize=(side, side))
    panels = figure.subplots(len(columns), len(columns), squeeze=False)
    for i, row in enumerate(columns):
        for j, column in enumerate(columns):
            if j > i:
                panels[i][j].set_axis_off()
                continue
            for number, posterior in enumerate(layers.values()):
                _draw(panels[i][j], posterior, first.names[column], first.names[row], f"C{number}")
            _decorate(panels[i][j], first, column, row, known)
            panels[i][j].label_outer()
    if len(layers) > 1:
        lines = [panels[0][0].plot([], [], color=f"C{k}")[0] for k in range(len(layers))]
        figure.legend(lines, list(layers), loc="upper right")
    figure.tight_layout()
    return figure


def _layers(posteriors: Posterior | Mapping[str, Posterior]) -> Mapping[str, Posterior]:
    layers = posteriors if isinstance(posteriors, Mapping) else {"": posteriors}
    if not layers:
        raise InputError("posteriors: there is none")
    return layers


def _columns(posterior: Posterior, parameters: Any) -> list[int]:
    """Those asked for, else all with a 1-d posterior; ascending."""
    trained = posterior._one_dimensional()
    if not trained:
        raise InputError("a corner plot needs 1-d marginals; none was trained")
    return sorted(marginal_columns(trained if parameters is None else parameters, posterior.names))


def truth_by_name(truth: Truth, names: Sequence[str]) -> dict[str, float]:
    """By name, or one number for each parameter in their order."""
    if truth is None:
        return {}
    if not isinstance(truth, Mapping):
        values = np.atleast_1d(np.asarray(truth, dtype=object))
        if values.ndim != 1 or len(values) != len(names):
            raise InputError(f"truth: must be numbers by name, or {len(names)} numbers, one for each "
                             f"of {', '.join(names)}; there are {len(values)}")
        truth = dict(zip(names, values))
    for name, value in truth.items():
        if name not in names:
            hint = _core.suggestion(str(name), names)
            raise InputError(f"truth: there is no parameter '{name}'; {hint}")
        if isinstance(value, (str, bytes)) or not isinstance(value, (SupportsFloat, int)):
            raise InputError(f"truth: {name} = {value!r}: must be a number")
    return {name: float(value) for name, value in truth.items()}


def _grids(posterior: Posterior, names: list[str]) -> list[tuple[list[int], Any]]:
    """Grids of all trained marginals of one and two of these parameters, with their positions."""
    found = []
    for i, first in enumerate(names):
        for j, second in enumerate(names[: i + 1]):
            wanted = (first,) if i == j else (second, first)
            if wanted in posterior.marginals:
                columns = marginal_columns(wanted, posterior.names)
                found.append((sorted({i, j}), posterior._grid(columns, 0)))
    return found


def _draw(panel: Any, posterior: Posterior, column: str, row: str, color: str) -> None:
    """One posterior in one panel; nothing where it has none."""
    names = sorted({column, row}, key=posterior.names.index) if row in posterior.names else []
    if tuple(names) not in posterior.marginals:
        return
    if column == row:
        _draw_curve(panel, posterior, column, color)
    else:
        _draw_contours(panel, posterior, column, row, color)


def _draw_curve(panel: Any, posterior: Posterior, name: str, color: str) -> None:
    (theta,), density = posterior.density(name)
    panel.plot(theta, density, color=color)
    for low, high in posterior.interval(0.6827, name):
        inside = (theta >= low) & (theta <= high)
        panel.fill_between(theta[inside], density[inside], color=color, alpha=0.3)


def _draw_contours(panel: Any, posterior: Posterior, column: str, row: str, color: str) -> None:
    (x, y), density = posterior.density((column, row))
    grid = posterior._grid(marginal_columns((column, row), posterior.names), 0)
    levels = [grid.density_at_level(level) for level in LEVELS] + [density.max()]
    if (np.diff(levels) > 0).all():
        shade = optional("matplotlib.colors", "plot()").to_rgba
        shades = [shade(color, 0.25), shade(color, 0.55)]
        panel.contourf(x, y, density.T, levels, colors=shades)
        panel.contour(x, y, density.T, levels[:-1], colors=[color], linewidths=1)


def _decorate(panel: Any, posterior: Posterior, column: int, row: int,
              truth: Mapping[str, float]) -> None:
    names = posterior.names
    panel.set_xlim(_range(posterior, column))
    panel.set_xlabel(_label(posterior, column))
    if names[column] in truth:
        panel.axvline(truth[names[column]], **TRUTH)
    if row == column:
        panel.set_ylim(0)
        panel.set_yticks([])
        return
    panel.set_ylim(_range(posterior, row))
    panel.set_ylabel(_label(posterior, row))
    if names[row] in truth:
        panel.axhline(truth[names[row]], **TRUTH)


def _label(posterior: Posterior, column: int) -> str:
    """Labels with signs of TeX are formulas; names are not."""
    label = posterior.prior._core.quantity_labels()[column]
    if label == posterior.names[column] or not any(sign in label for sign in "\\_^{"):
        return label
    return f"${label}$".replace(" ", r"\ ")


def _range(posterior: Posterior, column: int) -> tuple[float, float]:
    """Where the density is above a thousandth of its peak, with some room."""
    (theta,), density = posterior.density(int(column))
    shown = theta[density > 1e-3 * density.max()]
    room = 0.05 * (shown[-1] - shown[0])
    return shown[0] - room, shown[-1] + room

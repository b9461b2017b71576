"""Tables that read well in a terminal and in a notebook."""

from __future__ import annotations

import html
from typing import Any, Iterator, Sequence


class Table(Sequence[dict]):
    """Rows as dictionaries: ``table[0]["mean"]``, or ``table["mass"]["mean"]`` by name."""

    def __init__(self, rows: list[dict[str, Any]], columns: dict[str, str],
                 notes: Sequence[str] = ()) -> None:
        self._rows, self._columns, self.notes = rows, columns, list(notes)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict]:
        return iter(self._rows)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return self._rows[key]
        for row in self._rows:
            if row["name"] == key:
                return row
        raise KeyError(key)

    def _cells(self) -> list[list[str]]:
        return [[_text(row.get(key)) for key in self._columns] for row in self._rows]

    def __repr__(self) -> str:
        cells = [list(self._columns.values()), *self._cells()]
        widths = [max(len(row[j]) for row in cells) for j in range(len(self._columns))]
        lines = ["  ".join(cell.ljust(w) if j == 0 else cell.rjust(w)
                           for j, (cell, w) in enumerate(zip(row, widths))).rstrip()
                 for row in cells]
        return "\n".join(lines + self.notes)

    def _repr_html_(self) -> str:
        def row(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

        body = "".join(row(cells, "td") for cells in self._cells())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        head = row(list(self._columns.values()), "th")
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{notes}"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):  # intervals, one per mode
        return ", ".join(f"{low:.4g} .. {high:.4g}" for low, high in value)
    return str(value)

"""Progress for people: a line that is redrawn in a terminal or a notebook, else plain lines."""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import contextmanager
from typing import Any, Iterator, TextIO


class Progress:
    """Written to stderr. The engine calls ``show`` and ``log``, always from the caller's thread."""

    def __init__(self, stream: TextIO | None = None, redraw: bool | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.redraw = _can_redraw(self.stream) if redraw is None else redraw
        self.width = 0  # of the line that stands there
        self.drawn = 0.0
        self.stage: tuple[str, str, int] | None = None
        self.began = (0.0, 0)  # time and units when the stage was first heard of

    def show(self, context: str, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        new = self.stage != (context, stage, total)
        if new:
            self.stage, self.began = (context, stage, total), (now, done)
            if not self.redraw:
                self._write(f"{context + ': ' if context else ''}{stage} {total}\n")
        if not self.redraw or (not new and now - self.drawn < 0.1 and done < total):
            return
        self.drawn = now
        line = self._line(context, stage, done, total, now)
        self._write("\r" + line + " " * (self.width - len(line)))
        self.width = len(line)

    def log(self, level: str, message: str) -> None:
        if level == "debug":
            return
        self.clear()
        self._write(("warning: " if level == "warning" else "") + message + "\n")

    def clear(self) -> None:
        """Removes the line, before something else is printed."""
        if self.width:
            self._write("\r" + " " * self.width + "\r")
            self.width = 0

    def _line(self, context: str, stage: str, done: int, total: int, now: float) -> str:
        fraction = min(1.0, done / total) if total else 0.0
        bar = "#" * int(20 * fraction)
        text = f"{context + '  ' if context else ''}{stage:<8} [{bar:.<20}] {done}/{total}"
        seconds, units = now - self.began[0], done - self.began[1]
        if seconds > 0.2 and units > 0:  # the first moments mean nothing
            left = (total - done) * seconds / units
            text += f"  {units / seconds:.3g}/s  {_duration(left)} left"
        return text[: max(20, shutil.get_terminal_size().columns - 1)]

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


def make_progress(progress: Any) -> Any:
    """None for False, bars for True, and whatever has ``show`` and ``log`` as it is."""
    if progress is False or progress is None:
        return None
    return Progress() if progress is True else progress


@contextmanager
def shown(progress: Any) -> Iterator[Any]:
    watcher = make_progress(progress)
    try:
        yield watcher
    finally:
        if hasattr(watcher, "clear"):
            watcher.clear()


def _duration(seconds: float) -> str:
    whole = int(min(seconds, 1e9) + 0.5)
    if whole >= 3600:
        return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
    return f"{whole // 60}:{whole % 60:02}"


def _can_redraw(stream: Any) -> bool:
    if "ipykernel" in sys.modules:  # notebooks understand a carriage return
        return True
    return bool(getattr(stream, "isatty", lambda: False)()) and os.environ.get("TERM") != "dumb"

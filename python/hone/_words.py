"""Advice of the engine names commands; here it names calls."""

from __future__ import annotations

import re

CALLS = (
    (r"`hone check DIR --simulations (\d+)`", r"`run.check(\1, simulator)`"),
    (r"`hone check DIR --correct`", "`run.check(correct=True)`"),
    (r"`hone resume DIR --budget (\d+)`", r"`run.resume(simulator, budget=\1)`"),
    (r"`hone show` lists the reasons", "`run.simulations.failures` has the reasons"),
)


def in_calls(text: str) -> str:
    """The same advice for people who work in Python."""
    for command, call in CALLS:
        text = re.sub(command, call, text)
    return text

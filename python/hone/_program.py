"""The program hone where the package was installed by pip: `hone` on the command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ._fonts import use_own_fonts


def main() -> None:
    program = Path(__file__).parent / "program"
    if not program.exists():
        raise SystemExit("hone: this installation holds the Python package without the program")
    use_own_fonts()
    os.execv(program, ["hone", *sys.argv[1:]])

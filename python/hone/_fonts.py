"""Fonts for figures on machines that have none."""

import os
from pathlib import Path


def use_own_fonts() -> None:
    """Wheels bring a font and settings that add it to those of the machine; other installations do not."""
    settings = Path(__file__).parent / "fonts" / "fonts.conf"
    if settings.exists():
        os.environ.setdefault("FONTCONFIG_FILE", str(settings))

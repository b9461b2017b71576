"""Every script in examples/python, as users run it."""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "python"


@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs(script, tmp_path):
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True,
                          text=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    text = script.read_text()
    for name in ("corner.png", "oscillator.svg"):
        assert (tmp_path / name).exists() == (f'"{name}"' in text)
    if "c2st" in text:
        assert float(done.stdout.split()[-1]) < 0.6


def test_the_quickstart_has_at_most_ten_lines_of_user_code():
    lines = (FOLDER / "quickstart.py").read_text().splitlines()
    code = [line for line in lines if line.strip() and not line.startswith(('"""', "import", "#"))]
    assert len(code) <= 10

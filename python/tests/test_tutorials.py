"""The scripts of examples/tutorials, as users run them, and the notebook of the first."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "tutorials"


@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_tutorial_runs_and_draws_its_figure(script, tmp_path):
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 10000


def test_the_notebook_says_what_the_script_says():
    notebook = json.loads((FOLDER / "first_posterior.ipynb").read_text())
    assert notebook["nbformat"] == 4
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    script = (FOLDER / "first_posterior.py").read_text()
    assert cells[-1] == "run.corner(truth=truth)"
    for cell in cells[:-1]:
        assert cell in script
    lines = [line for line in script.split('"""', 2)[2].splitlines() if line.strip()]
    assert lines == [line for cell in cells[:-1] for line in cell.splitlines() if line.strip()]

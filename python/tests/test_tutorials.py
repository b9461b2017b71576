"""The scripts of examples/tutorials, as users run them, and the notebook of the first."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "tutorials"
sys.path.insert(0, str(ROOT / "tests" / "docs"))
import examples  # noqa: E402


@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_tutorial_runs_and_draws_its_figure(script, tmp_path):
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 10000
    # What it prints is what the page of the tutorial shows; scripts/examples makes both again.
    before = (examples.CAPTURES / f"{script.stem}.txt").read_text()
    same = (examples.CAPTURES / "processor.txt").read_text().strip() == examples.processor()
    assert not examples.difference(before, examples.without_times(done.stdout), same)


def code_cells():
    notebook = json.loads((FOLDER / "first_posterior.ipynb").read_text())
    assert notebook["nbformat"] == 4
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


# As a notebook does it: all cells in one namespace, and the value of the last one is shown.
RUN_CELLS = """
import json, sys
*cells, shown = json.load(sys.stdin)
names = {"__name__": "__main__"}
for number, cell in enumerate(cells):
    exec(compile(cell, f"cell {number}", "exec"), names)
sys.stdout.flush()
open("shown.png", "wb").write(eval(shown, names)._repr_png_())
"""


def test_the_notebook_has_the_format_of_notebooks():
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(FOLDER / "first_posterior.ipynb", as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    del notebook["cells"][0]["cell_type"]
    with pytest.raises(nbformat.ValidationError):
        nbformat.validate(notebook)


def test_the_cells_of_the_notebook_run_and_show_a_figure(tmp_path):
    done = subprocess.run([sys.executable, "-c", RUN_CELLS], input=json.dumps(code_cells()), cwd=tmp_path,
                          capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "verdict" in done.stdout
    picture = (tmp_path / "shown.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 10000


def test_a_cell_that_fails_is_noticed(tmp_path):
    cells = ["import hone", "hone.run({}, None, [])", "1"]
    done = subprocess.run([sys.executable, "-c", RUN_CELLS], input=json.dumps(cells), cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode != 0 and "cell 1" in done.stderr


def test_the_notebook_says_what_the_script_says():
    cells = code_cells()
    script = (FOLDER / "first_posterior.py").read_text()
    assert cells[-1] == "run.corner(truth=truth)"
    for cell in cells[:-1]:
        assert cell in script
    lines = [line for line in script.split('"""', 2)[2].splitlines() if line.strip()]
    assert lines == [line for cell in cells[:-1] for line in cell.splitlines() if line.strip()]

"""Errors of the engine speak as Python does, and know what they are about."""

import pickle
import shutil

import pytest

import hone
from conftest import QUICK, simulate, two_parameters


def broken(theta):
    raise OSError("no licence")


@pytest.fixture
def failed(prior, tmp_path):
    """The error of a run whose simulator always fails; the run is in tmp_path / "run"."""
    with pytest.raises(hone.SimulatorError) as caught:
        hone.run(prior, broken, [0, 0], directory=tmp_path / "run", **QUICK)
    return str(caught.value)


def test_a_failed_simulator_is_corrected_and_the_run_resumed(failed):
    assert "then call run.resume()" in failed and "`hone" not in failed


def often_broken(theta):
    if theta[0] < 0.2:
        raise OSError("no licence")
    return theta


def test_many_failures_may_be_allowed_by_a_new_run(prior, tmp_path):
    with pytest.raises(hone.SimulatorError) as caught:
        hone.run(prior, often_broken, [0.5, 0], directory=tmp_path / "run", **QUICK)
    text = str(caught.value)
    assert "run.resume(simulator)" in text and "`hone" not in text
    assert "hone.run(..., max_failed_fraction=0.8)" in text
    assert hone.run(prior, often_broken, [0.5, 0], directory=tmp_path / "new",
                    max_failed_fraction=0.8, **QUICK).finished


def test_the_text_of_others_does_not_command_the_terminal():
    escape = "\x1b[31mred\x9b2J"

    def hostile(theta):
        raise OSError(escape)

    with pytest.raises(hone.SimulatorError) as caught:
        hone.run(two_parameters(), hostile, [0, 0], **QUICK)
    assert r"\u001b[31mred\u009b2J" in str(caught.value)
    assert "\x1b" not in str(caught.value) and "\x9b" not in str(caught.value)

    with pytest.raises(hone.InputError) as caught:
        hone.Prior({escape: hone.Uniform(0, 1)})
    assert r"\u001b[31mred" in str(caught.value) and "\x1b" not in str(caught.value)


def test_an_unfinished_run_is_resumed(failed, tmp_path):
    run = hone.open(tmp_path / "run")
    with pytest.raises(hone.InputError, match=r"not finished: call run.resume\(\) first"):
        run.train("joint", progress=False)
    with pytest.raises(hone.InputError, match=r"not finished; call resume\(\)"):
        run.posterior


def test_a_damaged_file_is_moved_away_and_the_run_resumed(finished, tmp_path):
    copy = shutil.copytree(finished.directory, tmp_path / "copy")
    (copy / "networks" / "main.json").write_text("{")
    with pytest.raises(hone.FileError) as caught:
        hone.open(copy).posterior
    text = str(caught.value)
    assert "move it away and call run.resume(): what it held" in text and "`hone" not in text
    assert caught.value.place == str(copy / "networks" / "main.json")


def test_a_place_that_is_taken_may_be_a_run(prior, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(hone.InputError) as caught:
        hone.run(prior, simulate, [0, 0], directory=tmp_path, **QUICK)
    assert f"call hone.open('{tmp_path}').resume() to go on with it" in str(caught.value)


def test_an_option_out_of_range_is_named_apart_from_the_message(prior):
    with pytest.raises(hone.InputError) as caught:
        hone.run(prior, simulate, [0, 0], **{**QUICK, "epsilon": 2})
    assert str(caught.value) == "epsilon = 2: must lie in (0, 1)"
    assert (caught.value.place, caught.value.value) == ("epsilon", "2")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.place == "epsilon"
    assert hone.InputError("anything").place == ""

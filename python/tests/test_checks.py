"""The verdict on a run, from Python."""

import json
import pickle
import subprocess

import numpy as np
import pytest

import hone

from conftest import QUICK, simulate, two_parameters


def without_advice(checks):
    """Advice names commands in the one, calls in the other."""
    rows = [{key: value for key, value in row.items() if not key.startswith("advice")}
            for row in checks["checks"]]
    return {**checks, "checks": rows}


def test_a_run_is_checked_at_its_end(finished, program):
    checks = finished.checks
    assert isinstance(checks, hone.Checks) and checks.verdict in ("pass", "caution", "unclear", "fail")
    assert checks.draws > 0 and checks.summary in repr(checks)
    assert checks.checks["coverage"]["status"] in ("pass", "caution", "unclear", "fail")
    assert f"verdict: {checks.verdict}" in repr(finished) and "<table>" in checks._repr_html_()
    printed = subprocess.run([program, "check", str(finished.directory), "--json"],
                             capture_output=True, text=True).stdout
    assert without_advice(json.loads(printed)) == without_advice(checks.to_dict())


def test_a_report_is_written_where_a_directory_was_given(finished):
    page = finished.directory / "report.html"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(hone.InputError, match="figures = 'gif'"):
        finished.report(figures=["gif"])


def test_fresh_simulations_come_from_the_simulator_and_are_kept(tmp_path):
    run = hone.run(two_parameters(), simulate, [0.3, -0.2], directory=tmp_path / "run", **QUICK)
    with pytest.raises(hone.InputError, match="simulations = 300: give check.* the simulator"):
        run.check(300, progress=False)
    first = run.check(300, simulate, progress=False)
    assert first.draws == 300 and first.to_dict()["draws_from"] == "fresh"
    assert [row["name"] for row in first.coverage] == ["a", "b", "a,b"]
    assert 0 <= first.coverage["a"]["68.3 %"] <= first.coverage["a"]["95.4 %"] <= 1

    def never(theta):
        raise AssertionError("they were made before")

    assert hone.check(tmp_path / "run", 300, simulator=never, progress=False).to_dict() \
        == first.to_dict()
    assert run.check(300, simulate, workers=2, progress=False).to_dict() == first.to_dict()
    assert len(run.simulations) == QUICK["budget"], "test draws are no training data"
    assert run.report(figures=["svg"], truth={"a": 0.3}).exists()


def overconfident_run(directory):
    """x = theta + 0.05 n, but the run is told afterwards that the noise was twice as large."""
    theta = np.random.default_rng(3).uniform(size=(3000, 1))
    run = hone.run([hone.Uniform(0, 1)], None, [0.4], simulations=(theta, theta), noise=0.05,
                   directory=directory, method="mnre", max_epochs=10, hidden=16, progress=False)
    file = run.directory / "run.json"
    facts = json.loads(file.read_text())
    facts["noise"]["sigma"] = [0.1]
    facts["format"] = 2  # of the time before seals: nothing says that it was changed
    del facts["seal"]
    file.write_text(json.dumps(facts))
    with pytest.warns(UserWarning, match="cannot be verified"):
        return hone.open(directory)


def test_a_correction_widens_and_is_taken_back(tmp_path):
    run = overconfident_run(tmp_path / "run")
    narrow = run.posterior.sample(4000).std()
    checks = run.check(correct=True, progress=False)
    assert len(checks.to_dict()["correction"]) == 1
    wide = run.posterior.sample(4000).std()
    assert wide == pytest.approx(2 * narrow, rel=0.25)
    assert run.summary()[0]["standard_deviation"] == pytest.approx(wide, rel=0.1)
    copy = pickle.loads(pickle.dumps(run.posterior))
    np.testing.assert_array_equal(copy.sample(10), run.posterior.sample(10))
    assert run.uncorrect().posterior.sample(4000).std() == narrow
    assert run.check(progress=False).verdict == "fail", "too narrow again, and said so"


def test_an_unfinished_run_is_not_checked(tmp_path):
    def broken(theta):
        raise RuntimeError("no")

    with pytest.raises(hone.SimulatorError):
        hone.run(two_parameters(), broken, [0, 0], directory=tmp_path / "run", **QUICK)
    run = hone.open(tmp_path / "run")
    assert run.checks is None
    for ask in (run.check, run.report):
        with pytest.raises(hone.InputError, match="not finished"):
            ask()

"""What a new user does in the first hour, right and wrong."""

import tempfile

import numpy as np
import pytest

import hone

PRIOR = {"a": hone.Uniform(0, 1), "b": hone.Uniform(0, 1)}
SMALL = {"budget": 600, "max_epochs": 4, "ensemble": 1, "round_ensemble": 1, "ensemble_rows": 0,
         "progress": False}


def simulate(theta, rng):
    return theta + 0.1 * rng.standard_normal(2)


@pytest.fixture(scope="module")
def run():
    return hone.run(PRIOR, simulate, [0.5, 0.4], **SMALL)


def test_data_far_outside_the_simulations_are_refused(run):
    with pytest.raises(hone.InputError, match="far outside.*anyway=True"):
        run.build_posterior([50, 50])
    with pytest.warns(UserWarning, match="does not look like"):
        assert run.build_posterior([50, 50], anyway=True).sample(5, "a").shape == (5, 1)


def test_a_run_goes_on_with_a_larger_budget():
    run = hone.run(PRIOR, simulate, [0.5, 0.4], **SMALL)
    before = run.posterior.sample(20, "a")
    with pytest.raises(hone.InputError, match="needs the simulator"):
        run.resume(budget=900, progress=False)
    run.resume(simulate, budget=900, progress=False)
    assert len(run.simulations) == 900 and run.options["budget"] == 900
    assert not np.array_equal(run.posterior.sample(20, "a"), before)
    with pytest.raises(hone.InputError, match="budget = 700"):
        run.resume(simulate, budget=700, progress=False)


def test_a_run_goes_on_until_it_passes_or_reaches_the_limit(tmp_path):
    few = {**SMALL, "budget": 60}  # whose test draws are too few to tell
    run = hone.run(PRIOR, simulate, [0.5, 0.4], directory=tmp_path / "run", **few)
    assert run.checks.verdict == "unclear"
    with pytest.raises(hone.InputError, match="go together"):
        run.resume(simulate, until="pass")
    with pytest.raises(hone.InputError, match="until='pass' and"):
        run.resume(simulate, until="fail", budget_limit=100)
    with pytest.raises(hone.InputError, match="budget_limit = 50: must be at least 60"):
        run.resume(simulate, until="pass", budget_limit=50)
    with pytest.raises(hone.InputError, match="either budget or"):
        run.resume(simulate, budget=100, until="pass", budget_limit=100)
    with pytest.raises(hone.InputError, match="needs the simulator"):
        run.resume(until="pass", budget_limit=100)
    with pytest.raises(hone.NumericalError, match="does not pass its checks with 150 sim"):
        run.resume(simulate, until="pass", budget_limit=150, progress=False)
    assert len(run.simulations) == 150 and run.options["budget"] == 150


def test_a_run_that_passes_does_not_go_on(run, monkeypatch):
    monkeypatch.setattr(type(run), "_passes", lambda self: True)
    assert run.resume(until="pass", budget_limit=5000) is run
    assert run.options["budget"] == SMALL["budget"]


def test_truth_may_be_a_list_and_nonsense_is_named(run):
    assert run.corner(truth=[0.5, 0.4]).png() == run.corner(truth={"a": 0.5, "b": 0.4}).png()
    with pytest.raises(hone.InputError, match="2 numbers"):
        run.corner(truth=[0.5])
    with pytest.raises(hone.InputError, match="must be a number"):
        run.corner(truth={"a": "half"})


def test_distances_have_names():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((100, 2)), rng.standard_normal((100, 2))
    result = hone.compare(a, b, ["wasserstein", "kl", "mmd"])
    assert result["wasserstein"].value > 0 and result["mmd"].if_equal > 0
    assert len(result["kl"]) == 2 and result["kl"][0].value >= 0


def test_advice_names_calls_not_commands(run):
    checks = run.check(progress=False)
    assert any(one["advice"] for one in checks.checks), "a poor run gets advice"
    for said in (repr(run), repr(checks), str(checks.to_dict()), str(run.warnings)):
        assert "`hone " not in said and " --" not in said, said


def test_advice_has_the_numbers_of_the_run(tmp_path):
    few = {**SMALL, "budget": 60}
    run = hone.run(PRIOR, simulate, [0.5, 0.4], directory=tmp_path / "run", **few)
    assert "call run.check(1000, simulator)" in repr(run.checks)
    text = (tmp_path / "run" / "checks.json").read_text()
    assert "run `hone check DIR --simulations 1000`" in text, "files speak as the command line does"


def test_warnings_name_calls(tmp_path):
    def sometimes(theta, rng):
        return None if theta[0] < 0.05 else simulate(theta, rng)

    run = hone.run(PRIOR, sometimes, [0.5, 0.4], **SMALL)
    failed = next(one for one in run.warnings if one["kind"] == "failed_simulations")
    assert failed["advice"] == "run.simulations.failures has the reasons"


def test_refused_runs_leave_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(hone.InputError):
        hone.run(PRIOR, simulate, [0.5, 0.4, 0.3], **SMALL, marginals=["c"])
    with pytest.raises(hone.InputError):
        hone.run(PRIOR, simulate, [1e-300, 1e-300], **SMALL)
    assert not list(tmp_path.iterdir())


def test_progress_without_a_context_has_no_colon(capsys):
    from hone._progress import Progress
    progress = Progress(redraw=False)
    progress.show("", "check", 0, 66)
    assert capsys.readouterr().err == "check 66\n"

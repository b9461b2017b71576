import json
import subprocess

import numpy as np
import pytest

import hone

from conftest import QUICK, simulate, two_parameters


def test_a_run_has_everything_about_itself(finished):
    assert finished.finished and finished.seed == 1
    assert finished.options["budget"] == QUICK["budget"]
    np.testing.assert_array_equal(finished.observation, [0.3, -0.2])
    assert len(finished.simulations) == QUICK["budget"]
    assert finished.simulations.theta.shape == finished.simulations.x.shape
    with pytest.raises(hone.InputError, match="belong to a run"):
        finished.simulations.append_simulations([[0, 0]], [[0, 0]])
    assert 0 < finished.region.mass <= 1
    assert len(finished.rounds) == 1 and finished.rounds[0]["simulated"] > 0
    table = finished.summary()
    assert [row["name"] for row in table] == ["a", "b"]
    assert table["a"]["mean"] == table[0]["mean"]
    assert "parameter" in repr(table) and "<table>" in table._repr_html_()
    assert "<table>" in finished._repr_html_() and "finished" in repr(finished)


def test_the_posterior_finds_the_truth_where_it_is_easy(prior):
    run = hone.run(prior, simulate, [0.3, -0.2], budget=1500, max_epochs=30, progress=False)
    samples = run.posterior.sample(4000, "a")
    # The exact posterior is normal around 0.3 with 0.1; a small network comes close.
    assert abs(samples.mean() - 0.3) < 0.05 and abs(samples.std() - 0.1) < 0.05
    assert abs(run.posterior.sample(4000, "b").mean() + 0.2) < 0.08


def test_wrong_keywords_are_refused_with_the_nearest_right_name(prior):
    with pytest.raises(TypeError, match="'budgt'; did you mean 'budget'"):
        hone.run(prior, simulate, [0, 0], budgt=3)
    with pytest.raises(TypeError, match="did you mean 'workers'"):
        hone.run(prior, simulate, [0, 0], worker=3)
    with pytest.raises(hone.InputError, match="budget = 3"):
        hone.run(prior, simulate, [0, 0], budget=3)
    with pytest.raises(hone.InputError, match="epsilon"):
        hone.run(prior, simulate, [0, 0], epsilon="small")
    with pytest.raises(hone.InputError, match="preset"):
        hone.run(prior, simulate, [0, 0], preset="papr")
    with pytest.raises(hone.InputError, match="activation.*relu"):
        hone.run(prior, simulate, [0, 0], activation="gelu")


def test_options_are_those_of_the_command_line(program):
    table = subprocess.run([program, "options"], capture_output=True, text=True, check=True).stdout
    listed = [line.split()[0] for line in table.splitlines()[1:]]
    assert set(hone.options()) <= set(listed)
    assert hone.options("paper")["learning_rate"] == 0.01
    # Flows of the benchmark: affine for likelihoods, splines for posteriors.
    assert [hone.options("published", method)["components"] for method in ("snle", "snpe")] == [1, 11]
    with pytest.raises(hone.InputError, match="snel"):
        hone.options("published", "snel")
    assert "Total number of simulations" in hone.option_help("budget")
    with pytest.raises(hone.InputError, match="did you mean 'ensemble'"):
        hone.option_help("ensembles")


@pytest.mark.parametrize("observation, error", [
    ([], hone.InputError), ([np.nan, 1], hone.InputError), (["a"], TypeError),
    ([1j], TypeError), ([[1, 2], [3]], (hone.InputError, TypeError)), (None, TypeError),
])
def test_a_wrong_observation_is_refused(prior, observation, error):
    with pytest.raises(error, match="observation"):
        hone.run(prior, simulate, observation, **QUICK)


def test_wrong_priors_marginals_and_counts_are_refused(prior):
    for wrong in (None, 3, "ab", [1, 2]):
        with pytest.raises(TypeError, match="prior"):
            hone.run(wrong, simulate, [0, 0], **QUICK)
    with pytest.raises(hone.InputError, match="c"):
        hone.run(prior, simulate, [0, 0], marginals=["c"], **QUICK)
    with pytest.raises(hone.InputError, match="workers = -1"):
        hone.run(prior, simulate, [0, 0], workers=-1, **QUICK)
    with pytest.raises(TypeError, match="seed"):
        hone.run(prior, simulate, [0, 0], seed="x", **QUICK)
    with pytest.raises(hone.InputError, match="simulator = None"):
        hone.run(prior, None, [0, 0], **QUICK)


def test_images_are_flattened_and_float32_is_enough(prior):
    def image(theta, rng):
        return np.outer(theta, [1, 2]).astype(np.float32) + rng.standard_normal((2, 2))

    run = hone.run(prior, image, np.zeros((2, 2), np.float32), **QUICK)
    assert run.observation.shape == (4,) and run.simulations.x.shape[1] == 4


def test_the_same_directory_goes_on_and_another_run_is_never_overwritten(finished, prior):
    again = hone.run(two_parameters(), simulate, [0.3, -0.2], directory=finished.directory, **QUICK)
    np.testing.assert_array_equal(again.posterior.sample(10, "a"),
                                  finished.posterior.sample(10, "a"))
    with pytest.raises(hone.InputError, match="budget = 200 there, 300 here"):
        hone.run(prior, simulate, [0.3, -0.2], directory=finished.directory,
                 **{**QUICK, "budget": 300})
    with pytest.raises(hone.InputError, match="another observation"):
        hone.run(prior, simulate, [0.3, 0], directory=finished.directory, **QUICK)


def test_a_temporary_run_is_removed_unless_saved(prior, tmp_path):
    run = hone.run(prior, simulate, [0, 0], **QUICK)
    place = run.directory
    assert place.exists()
    run.save(tmp_path / "kept")
    expected = run.posterior.sample(10, "a")
    del run
    assert not place.exists()
    np.testing.assert_array_equal(hone.open(tmp_path / "kept").posterior.sample(10, "a"), expected)
    with pytest.raises(hone.InputError, match="not empty"):
        hone.open(tmp_path / "kept").save(tmp_path)


def test_more_marginals_are_trained_later(tmp_path, prior):
    run = hone.run(prior, simulate, [0, 0], directory=tmp_path / "run", marginals="1d", **QUICK)
    assert run.posterior.marginals == [("a",), ("b",)]
    with pytest.raises(hone.InputError, match=r'a,b has not been trained.*run.train\("a,b"\)'):
        run.posterior.sample(10)
    assert run.train("joint", progress=False).posterior.sample(10).shape == (10, 2)


def test_existing_simulations_alone_or_as_the_first_round(prior):
    theta = prior.sample(300, seed=9)
    x = theta + 0.1 * np.random.default_rng(9).standard_normal(theta.shape)
    x[0, 0] = np.nan
    run = hone.run(prior, None, [0, 0], simulations=(theta, x), **{**QUICK, "budget": 300})
    assert len(run.simulations) == 300 and len(run.simulations.failures) == 1
    options = {**QUICK, "budget": 400}
    both = hone.run(prior, simulate, [0, 0], simulations=(theta, x), **options)
    assert len(both.simulations) == 400
    for wrong in ((theta,), (theta, x[:5]), (theta[:0], x[:0]), (theta[:, :1], x),
                  (theta, x[:, :1])):
        with pytest.raises(hone.InputError, match="simulations"):
            hone.run(prior, None, [0, 0], simulations=wrong, **QUICK)
    with pytest.raises(hone.InputError, match="outside|support"):
        hone.run(prior, None, [0, 0], simulations=(theta + 5, x), **{**QUICK, "budget": 300})


def test_noise_is_added_by_training(prior):
    for noise in (0.1, [0.1, 0.2], np.eye(2), "poisson"):
        run = hone.run(prior, lambda theta: np.abs(theta), [0.3, 0.2], noise=noise, **QUICK)
        assert run.finished
    with pytest.raises(hone.InputError, match="noise"):
        hone.run(prior, simulate, [0, 0], noise=[0.1, 0.2, 0.3], **QUICK)
    with pytest.raises(hone.InputError, match="noise"):
        hone.run(prior, simulate, [0, 0], noise=-np.eye(2), **QUICK)
    with pytest.raises(hone.InputError, match="noise"):
        hone.run(prior, simulate, [0, 0], noise="pink", **QUICK)


def test_the_command_line_reads_a_run_made_here(finished, program):
    def hone_program(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True)

    facts = json.loads(hone_program("show", str(finished.directory), "--json").stdout)
    assert facts["simulations_total"] == QUICK["budget"]
    assert facts["simulator"] == {"kind": "function", "function": "conftest.simulate"}
    csv = hone_program("sample", str(finished.directory), "--marginal", "a,b", "-n", "50",
                       "--seed", "4").stdout.splitlines()
    drawn = np.array([[float(v) for v in line.split(",")] for line in csv[1:]])
    np.testing.assert_array_equal(drawn, finished.posterior.sample(50, "a,b", seed=4))


def test_a_run_of_the_command_line_opens_here(program, tmp_path):
    subprocess.run([program, "run", "gaussian_linear", "-o", str(tmp_path / "run"),
                    "--budget", "200", "--max-epochs", "2", "--marginal", "1d", "--hidden", "8"],
                   check=True, capture_output=True)
    run = hone.open(tmp_path / "run")
    assert run.finished and len(run.prior) == 10
    assert run.posterior.sample(5, 0).shape == (5, 1)
    assert run.resume().finished
    with pytest.raises(hone.InputError, match="not a run of hone"):
        hone.open(tmp_path)


def test_progress_is_shown_and_may_be_an_object(prior, capsys):
    hone.run(prior, simulate, [0, 0], **{**QUICK, "progress": True})
    text = capsys.readouterr().err
    assert "simulate" in text and "round 1" in text

    class Watcher:
        def __init__(self):
            self.stages, self.messages = set(), []

        def show(self, context, stage, done, total):
            self.stages.add(stage)
            assert 0 <= done <= total

        def log(self, level, message):
            self.messages.append(message)

    watcher = Watcher()
    hone.run(prior, simulate, [0, 0], **{**QUICK, "progress": watcher})
    assert "train" in watcher.stages and any("round 1" in m for m in watcher.messages)


def test_a_progress_bar_redraws_its_line():
    import io

    from hone._progress import Progress

    stream = io.StringIO()
    bar = Progress(stream, redraw=True)
    bar.show("round 1", "simulate", 0, 10)
    bar.show("round 1", "simulate", 10, 10)
    bar.log("warning", "look out")
    bar.clear()
    text = stream.getvalue()
    assert text.count("\r") >= 3 and "10/10" in text and "warning: look out\n" in text

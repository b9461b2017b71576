import json

import numpy as np
import pytest

import hone

from conftest import QUICK

OBSERVATION = {"spectrum": np.zeros(6), "map": np.zeros((2, 3)), "total": 0.0}
KINDS = {"spectrum": "series", "map": "image"}


def simulate(theta, rng):
    noise = rng.standard_normal(13)
    return {"total": theta[0], "spectrum": theta[0] + noise[:6],
            "map": theta[1] + noise[6:12].reshape(2, 3)}


def flat(theta, rng):
    x = simulate(theta, rng)
    return np.concatenate([x["spectrum"], x["map"].ravel(), [x["total"]]])


def test_data_may_be_a_dictionary_of_arrays(prior, tmp_path):
    run = hone.run(prior, simulate, OBSERVATION, data=KINDS, directory=tmp_path / "a", **QUICK)
    described = json.loads((tmp_path / "a" / "run.json").read_text())["data"]
    assert described == [{"name": "spectrum", "kind": "series", "shape": [6]},
                         {"name": "map", "kind": "image", "shape": [2, 3]},
                         {"name": "total", "kind": "vector", "shape": [1]}]
    assert run.simulations.x.shape == (QUICK["budget"], 13)
    checks = json.loads((tmp_path / "a" / "checks.json").read_text())
    found = checks["misspecification"]["worst_columns"]
    assert all(one["name"].split("[")[0] in OBSERVATION for one in found)
    assert "spectrum 0 to 5, map 6 to 11" in (tmp_path / "a" / "report.html").read_text()
    run.build_posterior(OBSERVATION)
    # A description of short data changes no number; flat arrays in the same order are the same data.
    plain = hone.run(prior, flat, np.zeros(13), directory=tmp_path / "b", **QUICK)
    assert "data" not in json.loads((tmp_path / "b" / "run.json").read_text())
    np.testing.assert_array_equal(run.simulations.x, plain.simulations.x)
    np.testing.assert_array_equal(run.posterior.sample(50, "a"), plain.posterior.sample(50, "a"))


def test_one_array_may_be_an_image(prior, tmp_path):
    run = hone.run(prior, lambda theta, rng: theta[0] + rng.standard_normal((2, 3)),
                   np.zeros((2, 3)), data="image", directory=tmp_path / "a", **QUICK)
    described = json.loads((run.directory / "run.json").read_text())["data"]
    assert described == [{"name": "x", "kind": "image", "shape": [2, 3]}]


def test_batches_may_be_dictionaries(prior):
    def many(theta, rng):
        return {"a": theta[:, :1] + rng.standard_normal(2), "b": theta[:, 1]}

    run = hone.run(prior, many, {"a": [0, 0], "b": 0.5}, batched=True, **QUICK)
    assert run.simulations.x.shape == (QUICK["budget"], 3)


@pytest.mark.parametrize(("observation", "data", "message"), [
    (OBSERVATION, {"spectrm": "series"}, "did you mean 'spectrum'"),
    (OBSERVATION, {"map": "picture"}, "data 'map': there is no kind 'picture'"),
    (OBSERVATION, {"spectrum": "image"}, "data 'spectrum': the shape .6. does not fit"),
    (np.zeros(3), {"a": "vector", "b": "vector"}, "names 2 blocks"),
    (np.zeros(3), "image", "data 'x': the shape .3."),
    ({}, None, "at least one block"),
])
def test_a_wrong_description_is_refused_before_any_work(prior, observation, data, message):
    def never(theta, rng):
        raise AssertionError("called")

    with pytest.raises(hone.InputError, match=message):
        hone.run(prior, never, observation, data=data, **QUICK)


def test_a_simulator_with_other_blocks_fails_with_their_names(prior):
    with pytest.raises(hone.SimulatorError, match="'map'"):
        hone.run(prior, lambda theta: {"map": np.zeros((3, 2))}, {"map": np.zeros((2, 3))},
                 data="image", **QUICK)
    with pytest.raises(hone.SimulatorError, match="x has 'a'; the observation has 'map'"):
        hone.run(prior, lambda theta: {"a": np.zeros(6)}, {"map": np.zeros((2, 3))},
                 data="image", **QUICK)


def test_nan_is_data_where_values_may_be_missing(prior, tmp_path):
    def gappy(theta, rng):
        x = theta[0] + rng.standard_normal(6)
        x[rng.random(6) < 0.3] = np.nan
        return x

    observation = np.array([0.1, np.nan, 0.2, 0.0, np.nan, -0.1])
    run = hone.run(prior, gappy, observation, data=hone.Data(missing=True), directory=tmp_path / "a",
                   **QUICK)
    assert len(run.simulations) == QUICK["budget"] and np.isnan(run.simulations.x).any()
    assert np.isnan(run.observation).sum() == 2
    assert np.isfinite(run.posterior.sample(10, "a")).all()
    assert np.isfinite(hone.open(tmp_path / "a").build_posterior(observation).sample(9, "a")).all()
    assert "NaN" not in (tmp_path / "a" / "run.json").read_text()
    again = hone.run(prior, gappy, observation, data=hone.Data(missing=True),
                     directory=tmp_path / "a", **QUICK)
    np.testing.assert_array_equal(again.posterior.sample(9, "a"), run.posterior.sample(9, "a"))


def test_nan_that_nobody_declared_is_refused(prior):
    with pytest.raises(hone.InputError, match="must be finite"):
        hone.run(prior, simulate, [0.1, np.nan], **QUICK)
    with pytest.raises(hone.InputError, match="b\\[0\\] is NaN"):
        hone.run(prior, simulate, {"a": [0.1, np.nan], "b": [np.nan, 0]},
                 data={"a": hone.Data(missing="random")}, **QUICK)
    with pytest.raises(hone.InputError, match="missing = 'often'"):
        hone.run(prior, simulate, [0.1], data=hone.Data(missing="often"), **QUICK)


def test_a_set_may_have_fewer_elements_than_its_shape(prior):
    def points(theta, rng):
        return theta + rng.standard_normal((rng.integers(1, 7), 2))

    run = hone.run(prior, points, np.zeros((4, 2)), data=hone.Data("set", shape=(6, 2)), **QUICK)
    assert run.simulations.x.shape == (QUICK["budget"], 12)
    there = np.isfinite(run.simulations.x).sum(axis=1)
    assert set(there) == {2, 4, 6, 8, 10, 12}
    for n in (1, 5):
        assert np.isfinite(run.build_posterior(np.zeros((n, 2))).sample(9, "a")).all()


def test_a_set_with_too_many_elements_is_refused_with_its_name(prior):
    said = {"points": hone.Data("set", shape=(3, 2))}
    with pytest.raises(hone.InputError, match="'points'.*has 4 elements.*room for 3"):
        hone.run(prior, simulate, {"points": np.zeros((4, 2))}, data=said, **QUICK)
    with pytest.raises(hone.SimulatorError, match="'points'.*has 5 elements.*room for 3"):
        hone.run(prior, lambda theta: {"points": np.zeros((5, 2))}, {"points": np.zeros((2, 2))},
                 data=said, **QUICK)

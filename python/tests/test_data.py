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

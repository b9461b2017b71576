"""Summaries that the user brings."""

import pickle

import numpy as np
import pytest

import hone
from hone._summary import Summarised

from conftest import QUICK


def simulate(theta, rng):
    return theta + 0.2 * rng.standard_normal((50, 2))


def mean(x):
    return x.mean(axis=0)


def test_the_networks_see_the_summary(prior):
    observation = np.full((50, 2), 0.3)
    run = hone.run(prior, simulate, observation, summary=mean, **QUICK)
    assert run.simulations.x.shape == (QUICK["budget"], 2)
    np.testing.assert_allclose(run.observation, [0.3, 0.3])
    same = hone.run(prior, lambda theta, rng: mean(simulate(theta, rng)), [0.3, 0.3], **QUICK)
    np.testing.assert_array_equal(run.simulations.x, same.simulations.x)
    np.testing.assert_array_equal(run.posterior.sample(9, "a"), same.posterior.sample(9, "a"))


def test_it_is_called_for_other_data_and_new_simulations_too(prior, tmp_path):
    run = hone.run(prior, simulate, np.full((50, 2), 0.3), summary=mean, directory=tmp_path / "a",
                   **QUICK)
    other = np.full((50, 2), 0.25)
    drawn = run.build_posterior(other).sample(9, "a")
    opened = hone.open(tmp_path / "a", summary=mean)
    np.testing.assert_array_equal(opened.build_posterior(other).sample(9, "a"), drawn)
    assert opened.check(60, simulate, progress=False).draws > 0
    with pytest.raises(hone.InputError, match="100 values; must have 2"):
        hone.open(tmp_path / "a").build_posterior(other)


def test_it_may_take_batches_dictionaries_and_existing_simulations(prior):
    def many(theta, rng):
        return {"a": theta[:, :1] + rng.standard_normal(5), "b": theta[:, 1]}

    def of_batch(x):
        return np.column_stack([x["a"].mean(axis=1), x["b"]])

    run = hone.run(prior, many, {"a": np.zeros(5), "b": 0.5}, summary=of_batch, batched=True, **QUICK)
    np.testing.assert_allclose(run.observation, [0, 0.5])
    theta = np.random.default_rng(1).uniform(-1, 1, (QUICK["budget"], 2))
    x = np.stack([simulate(one, np.random.default_rng(i)) for i, one in enumerate(theta)])
    options = {key: value for key, value in QUICK.items() if key != "budget"}
    stored = hone.run({"a": hone.Uniform(-1, 1), "b": hone.Uniform(-1, 1)}, None, x[0],
                      simulations=(theta, x), summary=mean, **options)
    np.testing.assert_allclose(stored.simulations.x[3], mean(x[3]), rtol=1e-6)


def test_what_cannot_be_is_refused(prior):
    with pytest.raises(TypeError, match="summary = 'mean'"):
        hone.run(prior, simulate, np.zeros((50, 2)), summary="mean", **QUICK)
    with pytest.raises(hone.InputError, match="noise: would be added to the summaries"):
        hone.run(prior, simulate, np.zeros((50, 2)), summary=mean, noise=0.1, **QUICK)
    with pytest.raises(hone.SimulatorError, match="ZeroDivisionError"):
        hone.run(prior, lambda theta: theta, [0.1, 0.2], summary=Once(), **QUICK)


class Once:
    """Works for the observation, and then no more."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x if self.calls == 1 else 1 / 0


def test_processes_get_it_too():
    again = pickle.loads(pickle.dumps(Summarised(simulate, mean)))
    assert again(np.zeros(2), np.random.default_rng(1)).shape == (2,)

"""Small problems that all tests share. Networks are tiny: what is tested here is not accuracy."""

import os

import numpy as np
import pytest

import hone

QUICK = dict(budget=200, max_epochs=3, hidden=8, depth=1, ensemble=1, round_ensemble=1,
             ensemble_rows=0, max_rounds=1, progress=False)


def simulate(theta, rng):
    """Two numbers, each of its parameter with noise."""
    return theta + 0.1 * rng.standard_normal(2)


def two_parameters():
    return hone.Prior(a=hone.Uniform(-1, 1), b=hone.Normal(0, 1))


@pytest.fixture
def prior():
    return two_parameters()


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A run that is there to be looked at; nobody may change it."""
    directory = tmp_path_factory.mktemp("runs") / "finished"
    return hone.run(two_parameters(), simulate, [0.3, -0.2], directory=directory, **QUICK)


@pytest.fixture
def store(prior):
    """500 simulations from the prior."""
    theta = prior.sample(500, seed=3)
    x = theta + 0.1 * np.random.default_rng(3).standard_normal(theta.shape)
    result = hone.Store(prior, data_size=2)
    result.append_simulations(theta, x)
    return result


@pytest.fixture(scope="session")
def program():
    """The command-line program of the same build."""
    path = os.environ.get("HONE_PROGRAM")
    if not path:
        pytest.skip("HONE_PROGRAM does not name the program")
    return path

"""A directory that holds another run is refused, whatever the difference is."""

import json

import numpy as np
import pytest

import hone

from conftest import QUICK, two_parameters


def simulate(theta):
    return np.array([theta[0], theta[1], theta[0] + theta[1]])


def simulations(seed):
    theta = two_parameters().sample(200, seed=seed)
    return theta, np.array([simulate(row) for row in theta])


class Call:
    """Of hone.run, always with the same directory."""

    def __init__(self, directory):
        self.directory = directory

    def __call__(self, **more):
        return hone.run(two_parameters(), **{"simulator": simulate, "observation": [0.3, -0.2, 0.1],
                                             "directory": self.directory, **QUICK, **more})

    def refused(self, match, **more):
        before = (self.directory / "run.json").read_text()
        with pytest.raises(hone.InputError, match=f"holds another run.*{match}"):
            self(**more)
        assert (self.directory / "run.json").read_text() == before


@pytest.fixture
def call(tmp_path):
    return Call(tmp_path / "run")


def test_another_formula_of_a_derived_quantity_is_refused(call):
    first = call(derived={"r": "a + b"})
    again = call(derived={"r": "a + b"})
    np.testing.assert_array_equal(first.posterior.sample(5, "r"), again.posterior.sample(5, "r"))
    call.refused("another derived quantity", derived={"r": "a + b + 10"})
    call.refused("another derived quantity")


def test_another_covariance_of_the_noise_is_refused(call):
    first = call(noise=0.01 * np.eye(3))
    again = call(noise=0.01 * np.eye(3))
    np.testing.assert_array_equal(first.posterior.sample(5, "a"), again.posterior.sample(5, "a"))
    call.refused("another covariance of the noise", noise=np.eye(3))
    call.refused("another noise", noise=0.1)
    call.refused("another noise")


def test_other_simulations_are_refused(call):
    options = {"simulator": None, "simulations": simulations(1)}
    first = call(**options)
    again = call(**options)
    np.testing.assert_array_equal(first.posterior.sample(5, "a"), again.posterior.sample(5, "a"))
    call.refused("other simulations", simulator=None, simulations=simulations(2))
    theta, x = simulations(1)
    x[7, 1] += 1e-9
    call.refused("other simulations", simulator=None, simulations=(theta, x))
    call.refused("other simulations")


def test_other_simulations_are_refused_where_an_older_version_kept_no_checksum(call):
    call(simulator=None, simulations=simulations(1))
    file = call.directory / "run.json"
    facts = json.loads(file.read_text())
    assert len(facts["simulator"].pop("dataset_checksum")) == 16
    facts["format"] = 2  # of the time before seals: nothing says that it was changed
    del facts["seal"]
    file.write_text(json.dumps(facts))
    call.refused("other simulations", simulator=None, simulations=simulations(2))
    assert call(simulator=None, simulations=simulations(1)).finished


def test_another_description_of_the_data_is_refused(call):
    call(data="series")
    assert call(data="series").finished
    call.refused("another description of the data", data="set")
    call.refused("another description of the data")

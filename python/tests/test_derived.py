import pickle

import numpy as np
import pytest

import hone
from conftest import QUICK, simulate, two_parameters


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return hone.run(two_parameters(), simulate, [0.3, -0.2], derived={"sum": "a + b"},
                    directory=tmp_path_factory.mktemp("runs") / "derived", **QUICK)


def test_a_derived_quantity_is_asked_for_by_name(run):
    assert run.prior.names == ["a", "b"] and run.prior.derived == {"sum": "a + b"}
    assert run.posterior.names == ["a", "b", "sum"]
    assert run.posterior.sample(10, "sum").shape == (10, 1)
    assert run.posterior.sample(10, ("sum", "a")).shape == (10, 2)
    assert [row["name"] for row in run.summary()] == ["a", "b", "sum"]
    assert np.isfinite(run.posterior.log_prob([[0.1]], "sum")).all()
    assert run.corner().png().startswith(b"\x89PNG")


def test_a_posterior_with_derived_quantities_can_be_pickled(run):
    again = pickle.loads(pickle.dumps(run.posterior))
    np.testing.assert_array_equal(again.sample(5, "sum"), run.posterior.sample(5, "sum"))
    assert pickle.loads(pickle.dumps(run.prior)) == run.prior


def test_quantities_are_added_later(tmp_path):
    run = hone.run(two_parameters(), simulate, [0.3, -0.2], directory=tmp_path / "run", **QUICK)
    simulations = len(run.simulations)
    run.train(derived={"difference": "a - b"}, progress=False)
    assert run.posterior.names == ["a", "b", "difference"]
    assert len(run.simulations) == simulations and run.checks is not None
    assert hone.open(tmp_path / "run").posterior.sample(3, "difference").shape == (3, 1)


def test_mistakes_are_refused():
    def go(derived):
        return hone.run(two_parameters(), simulate, [0.3, -0.2], derived=derived, **QUICK)

    with pytest.raises(hone.InputError, match="character 5.*there is no parameter"):
        go({"q": "a + c"})
    with pytest.raises(hone.InputError, match="must be a formula"):
        go({"q": lambda a, b: a + b})
    with pytest.raises(hone.InputError, match="name of another quantity"):
        go({"a": "a + b"})


def test_whole_numbers_have_probabilities(tmp_path):
    def numbers(theta, rng):
        return theta + 0.3 * rng.standard_normal(1)

    run = hone.run({"n": hone.Integer(1, 6)}, numbers, [3.1], **{**QUICK, "budget": 600,
                                                              "max_epochs": 20})
    found = run.posterior.probabilities("n")
    assert abs(sum(found.values()) - 1) < 1e-9 and max(found, key=found.get) == "3"
    assert set(run.posterior.sample(50, "n").ravel()) <= {1, 2, 3, 4, 5, 6}
    with pytest.raises(hone.InputError, match="npe|NPE"):
        hone.run({"n": hone.Integer(1, 6)}, numbers, [3.1], **{**QUICK, "method": "npe"})

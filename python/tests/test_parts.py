"""The loop driven by hand: store, training, truncation, comparison."""

import pickle

import numpy as np
import pytest

import hone
from conftest import simulate

SMALL = dict(max_epochs=10, hidden=16, depth=1, ensemble=1)


def test_a_store_takes_simulations_and_gives_them_back(store, prior, tmp_path):
    assert len(store) == 500 and store.theta.shape == (500, 2) and store.x.dtype == np.float32
    store.append_simulations(np.zeros((0, 2)), np.zeros((0, 2)))
    store.append_simulations(np.float32([[0.5, 0.5]]), [[np.inf, 1]])
    assert len(store) == 501 and store.failures == {500: "x[0] is inf"}
    region = hone.Region(prior, a=(0, 1))
    theta, x = store.inside(region)
    assert len(theta) == len(x) == region.contains(store.theta).sum()
    assert (store.rounds == 0).all() and "501 simulations (1 failed)" in repr(store)
    for theta, x in (([[0, 0]], [[1, 2], [3, 4]]), ([[0, 0]], [[1, 2, 3]]), ([[0]], [[1, 2]]),
                     ([[9, 0]], [[1, 2]]), ([[np.nan, 0]], [[1, 2]])):
        with pytest.raises(hone.InputError):
            store.append_simulations(theta, x)
    assert len(store) == 501
    with pytest.raises(hone.InputError, match="data_size = 0"):
        hone.Store(prior, 0)
    kept = hone.Store(prior, 2, directory=tmp_path / "store")
    kept.simulate(simulate, 20, seed=3)
    again = hone.Store.open(tmp_path / "store", prior)
    np.testing.assert_array_equal(again.theta, kept.theta)
    with pytest.raises(hone.InputError, match="has the parameters a, b"):
        hone.Store.open(tmp_path / "store", [hone.Uniform(0, 1)])


def test_simulations_do_not_depend_on_how_they_are_cut(prior):
    one, two = hone.Store(prior, 2), hone.Store(prior, 2)
    one.simulate(simulate, 40, seed=7)
    two.simulate(simulate, 15, seed=7)
    two.simulate(simulate, 25, seed=7, workers=2)
    np.testing.assert_array_equal(one.theta, two.theta)
    np.testing.assert_array_equal(one.x, two.x)


def test_a_simulator_that_fails_too_often_ends_with_its_exception(prior):
    store = hone.Store(prior, 2)

    def broken(theta):
        raise OSError("no licence")

    with pytest.raises(hone.SimulatorError, match="no licence") as caught:
        store.simulate(broken, 200)
    assert isinstance(caught.value.__cause__, OSError)


def test_rounds_by_hand_narrow_the_region(prior):
    store, region, observation = hone.Store(prior, 2), hone.Region.whole(prior), [0.3, -0.2]
    masses = []
    for number in range(2):
        store.simulate(simulate, 300, region, seed=1, round=number + 1)
        ratios = hone.train(store, region, marginals="1d", **{**SMALL, "max_epochs": 40})
        cut = ratios.truncate(observation, epsilon=1e-3)
        region = cut.region
        masses.append(region.mass)
    assert masses[0] < 0.9 and masses[1] <= masses[0]
    assert region.contains([observation])[0]
    assert len(cut.lost_mass) == 2 and 0 < cut.mass_ratio <= 1
    with pytest.raises(TypeError, match="did you mean 'epsilon'"):
        ratios.truncate(observation, epsilo=1)


def test_training_repeats_and_gives_ratios(store):
    ratios = hone.train(store, seed=2, threads=1, **SMALL)
    again = hone.train(store, seed=2, threads=2, **SMALL)
    posterior = ratios.build_posterior([0.3, -0.2])
    np.testing.assert_array_equal(posterior.sample(30),
                                  again.build_posterior([0.3, -0.2]).sample(30))
    assert ("a",) in ratios.marginals and ("a", "b") in ratios.marginals
    assert ratios.region.mass == 1 and "a,b" in repr(ratios)
    theta = posterior.sample(100)
    # posterior = ratio x prior
    np.testing.assert_allclose(ratios.log_ratio(theta, [0.3, -0.2]) + store.prior.log_prob(theta),
                               posterior.log_prob(theta), atol=1e-6)
    assert ratios.log_ratio([[7.0]], [0.3, -0.2], "a")[0] == -np.inf
    copy = pickle.loads(pickle.dumps(ratios))
    np.testing.assert_array_equal(copy.build_posterior([0, 0]).sample(5),
                                  ratios.build_posterior([0, 0]).sample(5))


def test_wrong_training_is_refused(store, prior):
    with pytest.raises(TypeError, match="did you mean 'max_epochs'"):
        hone.train(store, max_epoch=3)
    with pytest.raises(hone.InputError, match="too few"):
        hone.train(hone.Store(prior, 2))
    with pytest.raises(hone.InputError, match="too few"):
        hone.train(store, hone.Region(prior, a=(0, 1e-6)))
    only = hone.train(store, marginals=["a"], **SMALL)
    with pytest.raises(hone.InputError, match="b has not been trained"):
        only.truncate([0, 0])
    with pytest.raises(hone.InputError):
        only.build_posterior([0, 0, 0]).sample(3, "a")


def test_the_verbs_of_sbi(prior, store):
    inference = hone.MNRE(prior)
    with pytest.raises(hone.InputError, match="append_simulations"):
        inference.train()
    with pytest.raises(hone.InputError, match="train"):
        inference.build_posterior([0, 0])
    inference.append_simulations(store.theta, store.x).train(**SMALL)
    posterior = inference.build_posterior([0.3, -0.2])
    assert posterior.sample((10,)).shape == (10, 2)
    assert posterior.log_prob(posterior.map()).shape == (1,)


def test_samples_are_compared():
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((300, 2)), rng.standard_normal((300, 2))
    same = hone.compare(a, b)
    assert abs(same["c2st"] - 0.5) < 4 * same["c2st_noise"] + 0.02
    assert set(same) >= {"draws", "c2st", "c2st_1d", "c2st_2d", "kl", "wasserstein", "mmd"}
    assert set(same["c2st_1d"]["marginals"]) == {0, 1}
    assert (0, 1) in same["c2st_2d"]["marginals"]
    assert hone.compare(a, b + 3, ["c2st-1d"])["c2st_1d"]["mean"] > 0.9
    for wrong in ((a, b[:, :1]), (a[:5], b), (a * np.nan, b), (a * 0, b)):
        with pytest.raises(hone.InputError):
            hone.compare(*wrong)
    with pytest.raises(hone.InputError, match="did you mean 'c2st'"):
        hone.compare(a, b, "c2sst")

import pickle

import numpy as np
import pytest

import hone

trapezoid = getattr(np, "trapezoid", None) or np.trapz  # its name since numpy 2


@pytest.fixture(scope="module")
def posterior(finished):
    return finished.posterior


def test_marginals_are_named_in_many_ways_and_columns_come_as_asked(posterior):
    both = posterior.sample(50, "a,b", seed=2)
    for same in (None, "joint", ("a", "b"), [0, 1], "0,1", ("a", 1)):
        np.testing.assert_array_equal(posterior.sample(50, same, seed=2), both)
    np.testing.assert_array_equal(posterior.sample(50, ("b", "a"), seed=2), both[:, ::-1])
    np.testing.assert_array_equal(posterior.log_prob(both[:, ::-1], "b,a"),
                                  posterior.log_prob(both))
    assert posterior.sample((7,), 0).shape == (7, 1)
    assert posterior.sample(0, "a").shape == (0, 1)
    for wrong in ("c", ("a", "a"), [], 2, "a,"):
        with pytest.raises(hone.InputError):
            posterior.sample(5, wrong)


def test_densities_are_normalised(posterior):
    theta, density = posterior.density("a")
    assert theta[0].shape == density.shape
    assert trapezoid(density, theta[0]) == pytest.approx(1, abs=0.01)
    np.testing.assert_allclose(density, np.exp(posterior.log_prob(theta[0], "a")), rtol=1e-4)
    np.testing.assert_allclose(posterior.density("a", theta[0][:5]), density[:5], rtol=1e-4)
    (a, b), joint = posterior.density(("a", "b"), cells=64)
    (b2, a2), turned = posterior.density(("b", "a"), cells=64)
    np.testing.assert_array_equal(joint, turned.T)
    np.testing.assert_array_equal(a, a2)
    assert trapezoid(trapezoid(joint, b, axis=1), a) == pytest.approx(1, abs=0.05)
    assert posterior.log_prob([[5.0, 0.0]])[0] == -np.inf


def test_log_prob_takes_any_layout_and_refuses_nonsense(posterior):
    theta = posterior.sample(20)
    expected = posterior.log_prob(theta)
    np.testing.assert_array_equal(posterior.log_prob(np.asfortranarray(theta)), expected)
    np.testing.assert_array_equal(posterior.log_prob(theta[::-1])[::-1], expected)
    np.testing.assert_allclose(posterior.log_prob(theta.astype("f4")), expected, atol=1e-3)
    assert posterior.log_prob(np.empty((0, 2))).shape == (0,)
    for wrong in (np.zeros((2, 3)), np.zeros((1, 2, 2)), [[np.nan, 0]]):
        with pytest.raises(hone.InputError):
            posterior.log_prob(wrong)


def test_intervals_and_quantiles_agree_with_samples(posterior):
    samples = posterior.sample(8000, "a")[:, 0]
    inside = sum(((samples > low) & (samples < high)).mean()
                 for low, high in posterior.interval(0.9, "a"))
    assert inside == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 8000) + 0.01)
    assert set(posterior.interval()) == {"a", "b"}
    low, high = posterior.quantile([0.25, 0.75], "a")
    assert ((samples > low) & (samples < high)).mean() == pytest.approx(0.5, abs=0.03)
    assert np.shape(posterior.quantile(0.5, 0)) == ()
    for level in (0, 1, -1, np.nan):
        with pytest.raises(hone.InputError, match="level"):
            posterior.interval(level)
    with pytest.raises(hone.InputError, match="probability"):
        posterior.quantile(1.5, "a")
    with pytest.raises(hone.InputError, match="one parameter"):
        posterior.interval(0.9, "a,b")


def test_the_map_is_where_the_density_is_highest(posterior):
    for marginal in ("a", ("a", "b"), ("b", "a")):
        best = posterior.map(marginal)
        peak = posterior.log_prob(best, marginal)[0]
        assert peak >= posterior.log_prob(posterior.sample(500, marginal), marginal).max() - 0.05


def test_the_map_of_many_parameters_climbs():
    from hone.posterior import _climb

    start = np.random.default_rng(1).standard_normal((4096, 4))
    found = _climb(lambda t: -((t - 0.5) ** 2).sum(axis=1), start)
    np.testing.assert_allclose(found, 0.5, atol=0.01)


def test_it_survives_pickling_and_shows_itself(posterior):
    again = pickle.loads(pickle.dumps(posterior))
    np.testing.assert_array_equal(again.sample(10), posterior.sample(10))
    assert again.names == ["a", "b"] and again.region.mass == posterior.region.mass
    assert "a" in repr(posterior) and "<table>" in posterior._repr_html_()
    assert posterior.summary()["b"]["interval_95"]


def test_other_data_from_the_region_have_a_posterior_too(finished):
    moved = finished.build_posterior([0.5, 0.5])
    assert moved.summary()["a"]["mean"] != finished.posterior.summary()["a"]["mean"]
    with pytest.raises(hone.InputError, match="x: has 3 values; must have 2"):
        finished.build_posterior([1, 2, 3])


@pytest.mark.parametrize("module, method", [
    ("pandas", "to_pandas"), ("getdist", "to_getdist"), ("arviz", "to_arviz")])
def test_other_packages_get_draws_or_the_user_a_reason(posterior, module, method):
    try:
        __import__(module)
    except ImportError:
        with pytest.raises(ImportError, match=f"needs the package {module}"):
            getattr(posterior, method)(100)
        return
    assert getattr(posterior, method)(100) is not None


def test_conversions_hand_over_what_the_packages_take(posterior, monkeypatch):
    import types

    from hone import _convert

    seen = {}
    fake = types.SimpleNamespace(
        DataFrame=lambda theta, columns: seen.update(pandas=(theta.shape, columns)),
        MCSamples=lambda **keywords: seen.update(getdist=keywords),
        from_dict=lambda posterior: seen.update(arviz=posterior))
    monkeypatch.setattr(_convert, "optional", lambda module, what: fake)
    posterior.to_pandas(100)
    posterior.to_getdist(100, "b,a")
    posterior.to_arviz(100, "a")
    assert seen["pandas"] == ((100, 2), ["a", "b"])
    assert seen["getdist"]["names"] == ["b", "a"] and set(seen["getdist"]["ranges"]) == {"a", "b"}
    assert seen["arviz"]["a"].shape == (1, 100)

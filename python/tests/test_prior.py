import math
import pickle

import numpy as np
import pytest

import hone

trapezoid = getattr(np, "trapezoid", None) or np.trapz  # its name since numpy 2
from hone import _core

ALL = [
    hone.Uniform(-1, 3), hone.LogUniform(0.1, 10), hone.Triangular(0, 1, 3), hone.Beta(2, 3),
    hone.Tabulated([0, 1, 2], [0, 1, 0]), hone.Normal(1, 2), hone.TruncatedNormal(0, 1, low=0.5),
    hone.LogNormal(0, 1), hone.HalfNormal(2), hone.Gamma(2, 3), hone.Exponential(2),
    hone.StudentT(5),
]
DISCRETE = [hone.Integer(1, 12), hone.Poisson(3.5), hone.Binomial(7, 0.3),
            hone.Categorical({"star": 0.7, "galaxy": 0.2, "quasar": 0.1})]
ALL += DISCRETE


def test_every_kind_of_the_engine_has_a_function_with_the_same_fields():
    import inspect

    kinds = {kind: fields for kind, _, fields in _core.distribution_kinds()}
    assert {one.kind for one in ALL} == set(kinds)
    for one in ALL:
        function = getattr(hone, repr(one).partition("(")[0])
        parameters = inspect.signature(function).parameters.values()
        expected = [(name, fallback) for name, fallback in kinds[one.kind]]
        given = [(p.name, None if p.default is p.empty else p.default) for p in parameters]
        assert given == expected


@pytest.mark.parametrize("one", [one for one in ALL if one not in DISCRETE], ids=repr)
def test_quantile_inverts_cdf_and_density_integrates_to_one(one):
    p = np.linspace(0.001, 0.999, 400)
    x = one.quantile(p)
    np.testing.assert_allclose(one.cdf(x), p, rtol=1e-9)
    density = np.exp(one.log_prob(x))
    inside = trapezoid(density, x)
    assert abs(inside - 0.998) < 0.02
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize("one", DISCRETE, ids=repr)
def test_whole_numbers_have_probabilities_that_add_up_and_own_their_part_of_u(one):
    values = np.arange(*one.support) + 0.5
    probability = np.exp(one.log_prob(values))
    assert abs(probability.sum() - 1) < 1e-12
    np.testing.assert_allclose(one.cdf(values), np.cumsum(probability) - probability / 2, rtol=1e-9)
    likely = values[probability > 1e-12]  # beyond, a double does not tell u from 1
    np.testing.assert_array_equal(one.quantile(one.cdf(likely)), likely)
    assert one.log_prob([values[0] + 0.5])[0] == -np.inf
    assert pickle.loads(pickle.dumps(one)) == one


def test_a_distribution_refuses_what_makes_no_sense():
    with pytest.raises(hone.InputError, match="high = 0.*greater than low"):
        hone.Uniform(1, 0)
    with pytest.raises(ValueError, match="sigma"):
        hone.Normal(0, -1)
    with pytest.raises(hone.InputError, match="nan|finite|number"):
        hone.Uniform(float("nan"), 1)
    with pytest.raises(hone.InputError, match="low"):
        hone.Uniform("a", 1)
    with pytest.raises(TypeError):
        hone.Uniform(1)
    with pytest.raises(hone.InputError, match="low = 0.5: must be a whole number"):
        hone.Integer(0.5, 3)
    with pytest.raises(hone.InputError, match="there are 1; must be 2"):
        hone.Categorical([0.5, 0.5], ["a"])
    with pytest.raises(hone.InputError, match="uniform"):
        hone.Distribution("unifrom", low=0, high=1)


def test_a_prior_has_names_samples_and_a_density(prior):
    assert prior.names == ["a", "b"] and len(prior) == prior.dimensions == 2
    theta = prior.sample(4000, seed=2)
    assert theta.shape == (4000, 2)
    assert np.abs(theta[:, 0]).max() <= 1
    assert abs(theta[:, 1].std() - 1) < 4 / math.sqrt(2 * 4000)
    np.testing.assert_allclose(
        prior.log_prob(theta), prior["a"].log_prob(theta[:, 0]) + prior[1].log_prob(theta[:, 1]))
    np.testing.assert_allclose(prior.to_theta(prior.to_unit(theta)), theta, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(theta, prior.sample(4000, seed=2))
    assert prior.log_prob([[2, 0]])[0] == -np.inf


def test_a_prior_is_made_of_a_dictionary_a_list_or_keywords():
    one = hone.Uniform(0, 1)
    assert hone.Prior([one, one]).names == ["theta_0", "theta_1"]
    assert hone.Prior({"m": one}, c=one).names == ["m", "c"]
    labelled = hone.Prior({"m": one}, labels={"m": "M"})
    assert labelled.labels == ["M"]
    assert pickle.loads(pickle.dumps(labelled)) == labelled
    with pytest.raises(hone.InputError, match="did you mean 'mass'"):
        hone.Prior(mass=one, labels={"mas": "M"})
    with pytest.raises(TypeError, match="must be a distribution"):
        hone.Prior(m=3)
    with pytest.raises(hone.InputError):
        hone.Prior({})
    with pytest.raises(KeyError, match="did you mean"):
        hone.Prior(mass=one)["mas"]


def test_arrays_of_any_layout_are_understood_and_wrong_ones_refused(prior):
    theta = np.asfortranarray(prior.sample(10))
    expected = prior.log_prob(theta.copy(order="C"))
    np.testing.assert_array_equal(prior.log_prob(theta), expected)
    wide = np.zeros((10, 4))
    wide[:, ::2] = theta
    np.testing.assert_array_equal(prior.log_prob(wide[:, ::2]), expected)
    np.testing.assert_allclose(prior.log_prob(theta.astype(np.float32)), expected, rtol=1e-5)
    assert prior.log_prob([0, 0]).shape == (1,)
    assert prior.log_prob(np.zeros((0, 2))).shape == (0,)
    assert prior.sample(0).shape == (0, 2)
    for wrong in (np.zeros((3, 3)), np.zeros((2, 2, 2)), 1.0):
        with pytest.raises(hone.InputError, match="theta: has shape"):
            prior.log_prob(wrong)
    for wrong in (np.zeros((3, 2), complex), [["a", "b"]], [[None, {}]]):
        with pytest.raises(TypeError, match="real numbers"):
            prior.log_prob(wrong)
    with pytest.raises(hone.InputError, match="n = -1"):
        prior.sample(-1)
    with pytest.raises(TypeError, match="whole number"):
        prior.sample(1.5)
    with pytest.raises(hone.InputError, match="seed"):
        prior.sample(1, seed=2**64)


def test_a_region_contains_samples_and_has_a_mass(prior):
    region = hone.Region(prior, a=(0, 0.5))
    assert region.mass == pytest.approx(0.25)
    theta = region.sample(100)
    assert region.contains(theta).all() and region.bounds("a") == [(0.0, 0.5)]
    assert not region.contains([[0.6, 0]])[0]
    with pytest.raises(KeyError, match="no parameter 'aa'"):
        region.bounds("aa")
    np.testing.assert_allclose(region.log_prob(theta), prior.log_prob(theta) + np.log(4))
    assert pickle.loads(pickle.dumps(region)) == region
    assert hone.Region.whole(prior).mass == 1
    assert region.intersect(hone.Region(prior, a=(0.25, 1))).mass == pytest.approx(0.125)
    np.testing.assert_array_equal(prior.sample(5, region=region), region.sample(5))
    with pytest.raises(hone.InputError, match="no parameter 'c'"):
        hone.Region(prior, c=(0, 1))
    with pytest.raises(hone.InputError):
        hone.Region(prior, a=(2, 3))
    with pytest.raises(hone.NumericalError):
        region.intersect(hone.Region(prior, a=(0.75, 1)))
    with pytest.raises(hone.InputError, match="low, high"):
        hone.Region(prior, a=1)


def test_correlated_priors():
    correlations = {("a", "b"): 0.8}
    prior = hone.Prior(a=hone.Normal(1, 2), b=hone.Normal(0, 1), correlations=correlations)
    assert prior.correlations == correlations
    assert "correlations={('a', 'b'): 0.8}" in repr(prior)
    assert pickle.loads(pickle.dumps(prior)) == prior
    assert prior != hone.Prior(a=hone.Normal(1, 2), b=hone.Normal(0, 1))
    theta = prior.sample(20000)
    assert abs(np.corrcoef(theta.T)[0, 1] - 0.8) < 4 * 0.36 / np.sqrt(20000)
    assert abs(theta[:, 0].mean() - 1) < 4 * 2 / np.sqrt(20000)
    z = (theta[:5] - [1, 0]) / [2, 1]
    exact = -np.log(2 * np.pi * 2 * 0.6) - (z**2).sum(1) / 0.72 + 0.8 * z.prod(1) / 0.36
    np.testing.assert_allclose(prior.log_prob(theta[:5]), exact, rtol=1e-9)


@pytest.mark.parametrize("correlations, words", [
    ({("a", "c"): 0.5}, "no parameter 'c'"),
    ({("a", "a"): 0.5}, "one parameter, not two"),
    ({("a", "b"): 1.0}, r"must lie in \(-1, 1\)"),
    ({("a", "b"): 0.5, ("b", "a"): 0.5}, "is there twice"),
    ({"ab": 0.5}, "must be a pair of names"),
])
def test_correlations_that_cannot_be(correlations, words):
    with pytest.raises(hone.InputError, match=words):
        hone.Prior(a=hone.Normal(1, 2), b=hone.Normal(0, 1), correlations=correlations)


def test_a_region_may_have_a_shape(prior):
    whole = hone.Region.whole(prior)
    half = whole.where({"a": 1, "b": 1}, 1)
    assert whole.constraint is None and half.constraint["kind"] == "half_spaces"
    assert abs(half.mass - 0.5) < 4 * 0.5 / 256
    theta = half.sample(1000)
    assert half.contains(theta).all() and not half.contains(prior.sample(100)).all()
    np.testing.assert_allclose(half.log_prob(theta), prior.log_prob(theta) - np.log(half.mass))
    assert np.isneginf(half.log_prob([[0.9, 3]]))
    assert "where u(a) + u(b) <= 1" in repr(half) and "where" not in repr(whole)
    assert pickle.loads(pickle.dumps(half)) == half and half != whole
    assert half.intersect(whole.where({"a": -1}, -0.5)).mass == pytest.approx(1 / 8, abs=0.01)
    with pytest.raises(hone.NumericalError, match="constraint"):
        half.where({"a": -1, "b": -1}, -1.1)
    with pytest.raises(KeyError, match="no parameter 'c'"):
        whole.where({"c": 1}, 1)

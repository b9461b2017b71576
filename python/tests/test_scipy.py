"""Frozen distributions of scipy.stats as priors; with the real scipy where it is installed."""

import math

import numpy as np
import pytest

import hone


class Frozen:
    """As scipy.stats makes them, for tests on machines without scipy: an exponential by another name."""

    class dist:
        name = "weibull_min"

        @staticmethod
        def _parse_args(*args, **kwds):
            return (), 0.0, 2.0

    args, kwds = (), {}

    @staticmethod
    def ppf(p):
        return -2.0 * np.log1p(-np.asarray(p))

    @staticmethod
    def pdf(x):
        return np.exp(-np.asarray(x) / 2.0) / 2.0


def test_a_distribution_that_hone_does_not_have_becomes_a_table():
    prior = hone.Prior(a=Frozen())
    assert prior["a"].kind == "tabulated"
    x = np.array([0.1, 1.0, 4.0, 10.0])
    np.testing.assert_allclose(prior["a"].cdf(x), 1 - np.exp(-x / 2), atol=1e-5)
    # A wrong table must be seen by the same comparison.
    assert abs(float(prior["a"].cdf(1.0)) - (1 - math.exp(-1.0 / 1.9))) > 1e-3


def test_what_is_no_distribution_is_refused_as_before():
    with pytest.raises(TypeError, match="must be a distribution"):
        hone.Prior(a=3)


@pytest.mark.parametrize("make", [
    lambda s: s.uniform(2, 3), lambda s: s.norm(1, 2), lambda s: s.truncnorm(-1, 2, 3, 0.5),
    lambda s: s.loguniform(0.1, 10), lambda s: s.lognorm(0.5, scale=3), lambda s: s.halfnorm(scale=2),
    lambda s: s.gamma(2.5, scale=2), lambda s: s.expon(scale=3), lambda s: s.beta(2, 3),
    lambda s: s.t(4, 1, 2), lambda s: s.gamma(2.5, loc=1, scale=2), lambda s: s.gumbel_r(1, 2)])
def test_probabilities_are_those_of_scipy(make):
    frozen = make(pytest.importorskip("scipy.stats"))
    ours = hone.Prior(a=frozen)["a"]
    p = np.linspace(0.01, 0.99, 25)
    np.testing.assert_allclose(ours.cdf(frozen.ppf(p)), p, atol=2e-5)


@pytest.mark.parametrize("make", [
    lambda s: s.randint(2, 7), lambda s: s.randint(2, 7, 3), lambda s: s.poisson(3.5), lambda s: s.binom(10, 0.3),
    lambda s: s.bernoulli(0.2)])
def test_whole_numbers_have_the_probabilities_of_scipy(make):
    frozen = make(pytest.importorskip("scipy.stats"))
    ours = hone.Prior(a=frozen)["a"]
    values = np.arange(frozen.ppf(1e-3), frozen.ppf(1 - 1e-3) + 1)
    assert len(values) > 1
    np.testing.assert_allclose(np.exp(ours.log_prob(values)), frozen.pmf(values), rtol=1e-9)
    beyond = np.array([frozen.support()[0] - 1])
    assert np.exp(ours.log_prob(beyond)) == frozen.pmf(beyond) == 0


@pytest.mark.parametrize("make", [lambda s: s.nbinom(5, 0.5), lambda s: s.poisson(3, 1)])
def test_other_whole_numbers_are_refused_with_what_to_use(make):
    frozen = make(pytest.importorskip("scipy.stats"))
    with pytest.raises(hone.InputError, match="prior of 'a': hone has no .*hone.Categorical"):
        hone.Prior(a=frozen)

"""The algorithm driven by hand: simulations made before, rounds, truncation, comparison."""

import numpy as np

import hone

rng = np.random.default_rng(1)
mixing = np.array([[1.0, 0.8, 0.1], [-0.3, 1.0, 0.5]])


def simulate(theta, rng):
    return theta @ mixing + 0.2 * rng.standard_normal(3)


prior = hone.Prior(a=hone.Uniform(-3, 3), b=hone.Normal(0, 1.5))
observation = np.array([0.5, 1.0, 0.4])

# Simulations that exist already are the first round; theta must come from the prior.
theta = prior.sample(600, seed=1)
store = hone.Store(prior, data_size=3)
store.append_simulations(theta, theta @ mixing + 0.2 * rng.standard_normal((600, 3)))

region = hone.Region.whole(prior)
for number in range(1, 4):
    cut = hone.train(store, region, marginals="1d").truncate(observation)
    print(f"round {number}: prior mass {region.mass:.3g} -> {cut.region.mass:.3g}")
    region = cut.region
    store.simulate(simulate, 400, region, seed=2, round=number)

posterior = hone.train(store, region).build_posterior(observation)
print(posterior.summary())

# Everything is Gaussian but for the ends of a's prior, so the exact posterior is known.
precision = mixing @ mixing.T / 0.2**2 + np.diag([0, 1 / 1.5**2])
mean = np.linalg.solve(precision, mixing @ observation / 0.2**2)
exact = rng.multivariate_normal(mean, np.linalg.inv(precision), 2000)
print("C2ST against the exact posterior:",
      round(hone.compare(exact, posterior.sample(2000), "c2st")["c2st"], 3))

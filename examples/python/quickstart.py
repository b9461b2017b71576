"""From a simulator to a corner plot."""

import numpy as np

import hone


def counts(activity, half_life, rng):
    hours = np.arange(0, 24, 2)
    return rng.poisson(20 + activity * 2 ** (-hours / half_life))


observation = [330, 280, 228, 171, 157, 145, 122, 97, 92, 72, 60, 61]
prior = {"activity": hone.Uniform(50, 500), "half_life": hone.Uniform(1, 15)}
run = hone.run(prior, counts, observation, budget=2000)
print(run.summary())
run.corner().save("corner.png")

# %% [markdown]
# # A tutorial in cells
#
# Open this file in an editor that knows `# %%` cells (Jupyter by jupytext, VS Code, Spyder), or run
# it as a script.
#
# A source of particles stands at an unknown place behind a screen, at an unknown distance. We
# count where 60 particles hit the screen, and want the place and the distance.

# %%
import numpy as np

import hone

SCREEN = np.linspace(-8, 8, 17)  # edges of the detectors


def hits(place, distance, rng):
    """60 particles in random directions; many miss the screen."""
    where = place + distance * np.tan(np.pi * (rng.random(60) - 0.5))
    return np.histogram(where, SCREEN)[0]


# %% [markdown]
# The arguments of `hits` are named like the parameters of the prior, so each gets its number. `rng`
# is a numpy Generator of its own for every call: the same seed gives the same run.

# %%
prior = hone.Prior(place=hone.Uniform(-6, 6), distance=hone.LogUniform(0.2, 5))
truth = {"place": 1.5, "distance": 0.8}
observation = hits(**truth, rng=np.random.default_rng(3))
print(observation)

# %% [markdown]
# ## The whole job in one call
# It simulates, keeps the part of the prior that can explain the data, simulates there, and trains
# a small network for each parameter and each pair.

# %%
run = hone.run(prior, hits, observation, budget=2000)
run.summary()

# %% [markdown]
# What the rounds did, and where the final simulations come from:

# %%
print(run.rounds)
print(run.region)

# %% [markdown]
# ## The posterior
# Draws, densities, intervals, quantiles; marginals by name.

# %%
posterior = run.posterior
draws = posterior.sample(5000, ("place", "distance"))
print(draws.mean(axis=0), posterior.map(("place", "distance")))
print(posterior.interval(0.95))
print(posterior.quantile([0.16, 0.5, 0.84], "distance"))
(place,), density = posterior.density("place")
print("integral", np.sum(density) * (place[1] - place[0]))

# %%
for name, value in truth.items():
    assert any(low < value < high for low, high in posterior.interval(0.99, name)), name

# %%
posterior.corner()

# %% [markdown]
# ## Other data
# The networks hold for all data that parameters inside the region produce: no new training.

# %%
other = hits(1.4, 0.7, np.random.default_rng(4))
print(run.build_posterior(other).summary())

# %% [markdown]
# ## Keep it
# A run on disk is read by the command line too: `hone show`, `hone sample`. With `directory=` from
# the start, a killed run goes on where it stopped.

# %%
import tempfile

with tempfile.TemporaryDirectory() as folder:
    run.save(folder + "/source")
    again = hone.open(folder + "/source")
    assert (again.posterior.sample(10, "place") == posterior.sample(10, "place")).all()

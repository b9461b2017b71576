"""First posterior: how far away is the source behind the screen, and where?

Particles leave a source in random directions, and we count where 60 of them hit a screen.
"""
import numpy as np

import hone

SCREEN = np.linspace(-8, 8, 17)  # edges of the detectors


def hits(place, distance, rng):
    """Counts of 16 detectors; many particles miss the screen."""
    where = place + distance * np.tan(np.pi * (rng.random(60) - 0.5))
    return np.histogram(where, SCREEN)[0]


prior = {"place": hone.Uniform(-6, 6), "distance": hone.LogUniform(0.2, 5)}
truth = {"place": 1.5, "distance": 0.8}
observation = hits(**truth, rng=np.random.default_rng(3))

run = hone.run(prior, hits, observation, budget=3000)
print(run.summary())
print("distance, 68 %:", run.posterior.interval(0.6827, "distance"))
run.corner(truth=truth).save("first_posterior.png")

for name, value in truth.items():
    assert any(low < value < high for low, high in run.posterior.interval(0.997, name)), name

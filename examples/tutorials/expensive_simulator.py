"""An expensive simulator: minutes per call, and some calls fail.

Here it sleeps only a moment, so that the story can be told in seconds. On a cluster nothing changes but the
first line of the command: `mpirun python3 expensive_simulator.py`, or a job array.
"""
import time

import numpy as np

import hone


def stars(mass, age, rng):
    """Luminosity and temperature of three stars; no star lives longer than its fuel."""
    time.sleep(0.0002)  # think of ten minutes
    if age > 10 / mass**2.5:
        raise ValueError("the star is gone")
    return np.log10([mass**3.5, mass**0.5, age]) + 0.02 * rng.standard_normal(3)


prior = {"mass": hone.LogUniform(0.5, 5), "age": hone.LogUniform(0.01, 10)}
truth = {"mass": 1.4, "age": 2.0}
observation = stars(**truth, rng=np.random.default_rng(5))

# Every finished simulation is on disk at once. If the machine crashes, the same call continues the run.
run = hone.run(prior, stars, observation, budget=1200, directory="expensive")
again = hone.run(prior, stars, observation, budget=1200, directory="expensive")
assert np.array_equal(run.posterior.sample(100, "mass"), again.posterior.sample(100, "mass"))

# Failed simulations are counted. The observation is not a failure, so parameters that often fail become less probable.
print(run.summary())
print("share of the prior that is left:", run.region)
run.corner(truth=truth).save("expensive_simulator.png")

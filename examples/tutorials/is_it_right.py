"""Is it right? What a run says about itself, and a run that must be found out.

The answer is known here: a straight line with known noise has a normal posterior.
"""
import numpy as np

import hone

AT = np.linspace(0, 1, 8)
NOISE = 0.3


def line(offset, slope, rng):
    return offset + slope * AT + NOISE * rng.standard_normal(AT.size)


prior = {"offset": hone.Normal(0, 1), "slope": hone.Normal(0, 1)}
observation = line(0.4, -0.8, np.random.default_rng(2))
run = hone.run(prior, line, observation, budget=3000)

# 1. The verdict: coverage, ranks, edges of the region, training, all on simulations with known parameters.
checks = hone.check(run)
print(checks)

# 2. The exact answer, since this problem has one: precision = prior + data.
design = np.stack([np.ones_like(AT), AT], axis=1)
covariance = np.linalg.inv(np.eye(2) + design.T @ design / NOISE**2)
mean = covariance @ design.T @ observation / NOISE**2
deviation = np.sqrt(np.diag(covariance))
samples = run.posterior.sample(5000, ("offset", "slope"))
for i, name in enumerate(prior):
    print(f"{name}: exact {mean[i]:.3f} +- {deviation[i]:.3f},",
          f"hone {samples[:, i].mean():.3f} +- {samples[:, i].std():.3f}")
assert np.all(np.abs(samples.mean(axis=0) - mean) < 0.5 * deviation)
run.corner(truth={"offset": 0.4, "slope": -0.8}).save("is_it_right.png")

# 3. Data that this model cannot make: a posterior comes out, and the check says that it means nothing.
strange = observation + np.where(np.arange(AT.size) == 4, 6.0, 0.0)
wrong = hone.check(hone.run(prior, line, strange, budget=1500))
print(wrong)
assert wrong.verdict != "pass"

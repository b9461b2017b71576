"""Counts of a radioactive sample, for hone: JSON lines in, JSON lines out."""

import json
import random
import sys

HOURS = range(0, 24, 2)  # when the counter ran, one second each
BACKGROUND = 20.0  # counts per second without the sample


def clicks(rate, rng):
    """Events of a Poisson process within one second."""
    count, time = 0, rng.expovariate(rate)
    while time < 1:
        count += 1
        time += rng.expovariate(rate)
    return count


def simulate(activity, half_life, seed):
    rng = random.Random(seed)
    return [clicks(BACKGROUND + activity * 2 ** (-t / half_life), rng) for t in HOURS]


for line in sys.stdin:
    request = json.loads(line)
    x = simulate(*request["theta"], request["seed"])
    print(json.dumps({"id": request["id"], "x": x}), flush=True)

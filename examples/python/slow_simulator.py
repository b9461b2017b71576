"""A slow simulator that sometimes fails: worker processes, a directory to resume, tracebacks.

Stop it with Ctrl-C and start it again: it goes on where it stopped, and ends with the same bits.
"""

import numpy as np

import hone

TIMES = np.linspace(0, 10, 50)


def oscillator(theta, rng):
    """A driven, damped oscillator, measured with noise; it may be driven too hard."""
    frequency, damping, drive = theta
    position, velocity, step = 1.0, 0.0, TIMES[1] / 20
    track = []
    for i in range(20 * len(TIMES)):
        if i % 20 == 0:
            track.append(position)
        velocity += step * (drive * np.sin(i * step) - frequency**2 * position - damping * velocity)
        position += step * velocity
        if abs(position) > 6:
            raise OverflowError("the spring broke")
    return np.array(track) + 0.1 * rng.standard_normal(len(TIMES))


def main():
    prior = hone.Prior(
        frequency=hone.Uniform(0.5, 3), damping=hone.LogUniform(0.01, 1), drive=hone.HalfNormal(1),
        labels={"frequency": r"\omega_0", "damping": r"\gamma"})
    truth = np.array([1.4, 0.2, 0.7])
    observation = oscillator(truth, np.random.default_rng(7))

    run = hone.run(prior, oscillator, observation, budget=1500, workers=2,
                   directory="runs/oscillator")
    print(run.summary())
    print(len(run.simulations.failures), "simulations failed;", *run.tracebacks[:1])
    for name, value in zip(prior.names, truth):
        print(f"{name}: true {value}, 95 % interval {run.posterior.interval(0.95, name)}")
    run.corner().save("oscillator.svg")


if __name__ == "__main__":  # some systems start worker processes by importing this file
    main()

"""Compares facts.json (`hone show run --json`) of an example with its exact posterior.

Where there is no exact one, with the truth. Every comparison is also made with an answer that is
wrong by one standard deviation, which must not pass.
"""

import csv
import itertools
import json
import math
import sys

# Of the exact standard deviation. Budgets are small: what is left is the error of the networks.
MEAN_TOLERANCE = 0.5
WIDTH_TOLERANCE = 0.35


def numbers(file):
    with open(file) as stream:
        return [float(word) for word in stream.read().split()]


def axis(low, high, points):
    """Midpoints of equal cells."""
    return [low + (high - low) * (i + 0.5) / points for i in range(points)]


def grid_moments(axes, log_posterior):
    """(mean, standard deviation) of each parameter, by summation over a grid."""
    points = list(itertools.product(*axes))
    logs = [log_posterior(*point) for point in points]
    peak = max(logs)
    weights = [math.exp(value - peak) for value in logs]
    total = sum(weights)
    moments = []
    for d in range(len(axes)):
        mean = sum(w * p[d] for w, p in zip(weights, points)) / total
        variance = sum(w * (p[d] - mean) ** 2 for w, p in zip(weights, points)) / total
        moments.append((mean, math.sqrt(variance)))
    return moments


def chi_square(observed, expected, error):
    return sum(((o - e) / error) ** 2 for o, e in zip(observed, expected))


def decay():
    counts = numbers("observation.txt")

    def log_posterior(activity, half_life):
        rates = [20 + activity * 2 ** (-2 * i / half_life) for i in range(len(counts))]
        return sum(n * math.log(rate) - rate for n, rate in zip(counts, rates))

    return grid_moments([axis(50, 500, 150), axis(1, 15, 150)], log_posterior)


def fish():
    caught = numbers("observation.txt")

    def log_posterior(reproduction, capacity):
        stock, total = 20.0, 0.0
        for count in caught:
            stock *= math.exp(reproduction * (1 - stock / capacity))
            total += count * math.log(stock / 4) - stock / 4
        return total

    return grid_moments([axis(0.1, 1.5, 150), axis(100, 1000, 150)], log_posterior)


def pendulum():
    angles = numbers("observation.txt")

    def slope(angle, speed, length, damping):
        return speed, -9.81 / length * math.sin(angle) - damping * speed

    def swing(length, damping, steps=20):
        angle, speed, path, h = 1.0, 0.0, [], 0.7 / steps
        for _ in angles:
            for _ in range(steps):
                a1, s1 = slope(angle, speed, length, damping)
                a2, s2 = slope(angle + h / 2 * a1, speed + h / 2 * s1, length, damping)
                a3, s3 = slope(angle + h / 2 * a2, speed + h / 2 * s2, length, damping)
                a4, s4 = slope(angle + h * a3, speed + h * s3, length, damping)
                angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
                speed += h / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
            path.append(angle)
        return path

    return grid_moments(
        [axis(0.975, 1.025, 30), axis(0, 0.22, 40)],
        lambda length, damping: -0.5 * chi_square(angles, swing(length, damping), 0.05),
    )


def star():
    image = numbers("observation.txt")
    scale = 1.0 * math.sqrt(2)

    def profile(centre):
        edges = [math.erf((i - 0.5 - centre) / scale) for i in range(6)]
        return [0.5 * (high - low) for low, high in zip(edges, edges[1:])]

    columns = {c: profile(c) for c in axis(1.9, 2.7, 24)}
    rows = {r: profile(r) for r in axis(1.2, 2.0, 24)}

    def log_posterior(flux, column, row):
        light = [flux * y * x for y in rows[row] for x in columns[column]]
        return -0.5 * chi_square(image, light, 5)

    return grid_moments([axis(290, 510, 24), list(columns), list(rows)], log_posterior)


def spring():
    lengths = numbers("observation.txt")
    masses = [0.1 * (i + 1) for i in range(len(lengths))]
    # Normal prior and noise: the precision matrix is [[a, b], [b, c]], its product with the mean
    # (p, q).
    weight = 1 / 0.5**2
    a = 1 / 2**2 + weight * len(masses)
    b = weight * sum(masses)
    c = 1 / 5**2 + weight * sum(m * m for m in masses)
    p = 20 / 2**2 + weight * sum(lengths)
    q = 10 / 5**2 + weight * sum(m * y for m, y in zip(masses, lengths))
    determinant = a * c - b * b
    return [
        ((c * p - b * q) / determinant, math.sqrt(c / determinant)),
        ((a * q - b * p) / determinant, math.sqrt(a / determinant)),
    ]


def hubble():
    velocities = numbers("observation.txt")
    distances = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22]

    def log_posterior(constant, dispersion):
        expected = [constant * d for d in distances]
        return (
            -0.5 * chi_square(velocities, expected, dispersion)
            - len(distances) * math.log(dispersion)
            - math.log(dispersion)  # the prior is uniform in the logarithm
        )

    return grid_moments([axis(40, 100, 200), axis(50, 800, 200)], log_posterior)


EXACT = {
    "01-python-worker": decay,
    "03-fortran-program": pendulum,
    "04-c-library": star,
    "05-existing-data-set": spring,
    "06-ask-and-tell": hubble,
    "07-r-worker": fish,
    "08-julia-worker": fish,
}


def agrees(found, exact):
    return (
        abs(found[0] - exact[0]) < MEAN_TOLERANCE * exact[1]
        and abs(found[1] / exact[1] - 1) < WIDTH_TOLERANCE
    )


def is_plausible(found, truth):
    """Within three standard deviations, which are those of a posterior and not of the prior."""
    return abs(found[0] - truth) < 3 * found[1] and found[1] < 0.25 * truth


def main(example):
    with open("facts.json") as stream:
        facts = json.load(stream)
    with open("truth.csv") as stream:
        truths = {row["parameter"]: float(row["value"]) for row in csv.DictReader(stream)}
    assert facts["finished"], "the run is not finished"
    assert facts["simulations_failed"] == 0
    found = {p["name"]: (p["mean"], p["standard_deviation"]) for p in facts["parameters"]}
    assert list(found) == list(truths), (found, truths)
    wrong = []
    exact = dict(zip(found, EXACT[example]())) if example in EXACT else {}
    for name, (mean, width) in found.items():
        print(f"{name}: {mean:.5g} +- {width:.3g}, exact {exact.get(name)}, truth {truths[name]}")
        if not is_plausible((mean, width), truths[name]):
            wrong.append(name)
        assert not is_plausible((mean + 7 * width, width), truths[name])
        if name in exact:
            if not agrees((mean, width), exact[name]):
                wrong.append(name)
            assert not agrees((exact[name][0] + exact[name][1], exact[name][1]), exact[name])
    assert not wrong, f"too far from the exact posterior or the truth: {wrong}"


main(sys.argv[1])

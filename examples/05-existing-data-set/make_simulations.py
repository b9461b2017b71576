"""Stands for the simulations you ran last year: a spring, loaded with seven masses."""

import csv
import random

MASSES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]  # kg
READING_ERROR = 0.5  # cm

rng = random.Random(7)
with open("simulations.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["rest_length", "stretch"] + [f"length_{m}kg" for m in MASSES])
    for _ in range(3000):
        # Drawn from the priors in problem.toml.
        rest_length = rng.gauss(20, 2)  # cm
        stretch = rng.gauss(10, 5)  # cm per kg
        lengths = [rest_length + stretch * m + READING_ERROR * rng.gauss(0, 1) for m in MASSES]
        table.writerow([rest_length, stretch] + lengths)

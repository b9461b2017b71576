#!/usr/bin/python3
"""Trains small density networks with plain numpy and freezes what happened.

The numbers are the reference of tests/engine/density_trajectory_test.cpp: ten optimiser steps of a
residual network with a linear skip to all outputs, a mixture of Gaussians or a spline flow cut to an
interval, and AdamW with clipping. Nothing is differentiated by hand here: gradients are complex-step derivatives
(Squire and Trapp 1998), Im f(w + i h) / h with h = 1e-30, exact to rounding, so that a mistake in the
engine's backward cannot hide in both.

    python3 make_density_trajectory.py       writes density_trajectory.json and spline_trajectory.json

Needs numpy; the test needs only the frozen file. All inputs are
exact in single precision. Layout of the file: as that of make_trajectory.py, with x the context,
theta the columns that are given, y the column whose density it is.
"""

import json
import math
import pathlib

import numpy

CONFIG = {
    "hidden": 6, "blocks": 1, "components": 3, "n_x": 3, "n_theta": 2, "batch": 12, "steps": 10,
    "lower": -1.5, "upper": 1.75, "narrowest": 3e-4,
    "optimiser": {"kind": "adamw", "learning_rate": 0.02, "beta1": 0.9, "beta2": 0.999,
                  "epsilon": 1e-8, "weight_decay": 0.01, "clip_norm": 0.8},
}


def single(values):
    return numpy.asarray(values, dtype=numpy.float32).astype(numpy.float64)


def initial_state(c, random):
    hidden, outputs = c["hidden"], 3 * c["components"]
    normal = lambda *shape: single(c["weights"] * random.standard_normal(shape))
    return {"input.weight_x": normal(c["n_x"], hidden),
            "input.weight_theta": normal(c["n_theta"], hidden), "input.bias": normal(hidden),
            "units.0.weight": normal(hidden, hidden), "units.0.bias": normal(hidden),
            "units.1.weight": normal(hidden, hidden), "units.1.bias": normal(hidden),
            "output.weight": normal(hidden, outputs), "output.bias": normal(outputs),
            "output.skip_x": normal(c["n_x"], outputs),
            "output.skip_theta": normal(c["n_theta"], outputs)}


def silu(z):
    return z / (1 + numpy.exp(-z))


def network(s, x, theta):
    """(rows, 3 K) outputs."""
    z0 = x @ s["input.weight_x"] + theta @ s["input.weight_theta"] + s["input.bias"]
    z1 = silu(z0) @ s["units.0.weight"] + s["units.0.bias"]
    z2 = silu(z1) @ s["units.1.weight"] + s["units.1.bias"] + z0
    return (z2 @ s["output.weight"] + s["output.bias"] + x @ s["output.skip_x"]
            + theta @ s["output.skip_theta"])


def below(t):
    """Phi(t); numpy has no erfc, and none of complex numbers: Phi(a + i h) = Phi(a) + i h phi(a)."""
    real = 0.5 * numpy.vectorize(math.erfc)(-t.real / math.sqrt(2))
    return real + 1j * t.imag * numpy.exp(-t.real * t.real / 2) / math.sqrt(2 * math.pi)


def mixture_loss(c, out, y):
    k = c["components"]
    weight = numpy.exp(out[:, :k])
    weight = weight / weight.sum(1, keepdims=True)
    mean, floor = out[:, k:2 * k], numpy.log(c["narrowest"])
    scale = numpy.exp(floor + numpy.log(1 + numpy.exp(out[:, 2 * k:] - floor)))
    low, high = (c["lower"] - mean) / scale, (c["upper"] - mean) / scale
    # From the side where the probabilities are small, and so precise.
    mass = numpy.where(low.real > 0, below(-low) - below(-high), below(high) - below(low))
    t = (y[:, None] - mean) / scale
    density = weight * numpy.exp(-t * t / 2) / numpy.sqrt(2 * numpy.pi) / scale / mass
    return -numpy.log(density.sum(1)).mean()


def softmax(logits):
    parts = numpy.exp(logits)
    return parts / parts.sum(1, keepdims=True)


def spline_loss(c, out, y):
    """Durkan et al. 2019, equations 4 and 5, on the distribution function of a cut Gaussian."""
    bins, least, floor = c["components"] - 1, 1e-3, numpy.log(c["narrowest"])
    mean = out[:, 0]
    scale = numpy.exp(floor + numpy.log(1 + numpy.exp(out[:, 1] - floor)))
    low, high, t = (c["lower"] - mean) / scale, (c["upper"] - mean) / scale, (y - mean) / scale
    between = lambda a, b: numpy.where(low.real > 0, below(-a) - below(-b), below(b) - below(a))
    mass = between(low, high)
    u = between(low, t) / mass
    widths = least + (1 - bins * least) * softmax(out[:, 2:2 + bins])
    heights = least + (1 - bins * least) * softmax(out[:, 2 + bins:2 + 2 * bins])
    slopes = least + numpy.log(1 + numpy.exp(out[:, 2 + 2 * bins:]
                                             + numpy.log(numpy.exp(1 - least) - 1)))
    rows = numpy.arange(len(y))
    knots = numpy.concatenate([numpy.zeros((len(y), 1)), widths.cumsum(1)], 1)
    k = (u.real[:, None] >= knots.real[:, 1:-1]).sum(1)
    width, s = widths[rows, k], heights[rows, k] / widths[rows, k]
    left, right, xi = slopes[rows, k], slopes[rows, k + 1], (u - knots[rows, k]) / width
    steepness = (s ** 2 * (right * xi ** 2 + 2 * s * xi * (1 - xi) + left * (1 - xi) ** 2)
                 / (s + (right + left - 2 * s) * xi * (1 - xi)) ** 2)
    density = numpy.exp(-t * t / 2) / numpy.sqrt(2 * numpy.pi) / scale / mass * steepness
    return -numpy.log(density).mean()


def loss(c, s, x, theta, y):
    return (spline_loss if c["form"] == "spline" else mixture_loss)(c, network(s, x, theta), y)


def gradient(c, s, *batch):
    result, h = {}, 1e-30
    for name, value in s.items():
        slopes = numpy.zeros(value.shape)
        for at in numpy.ndindex(value.shape):
            moved = value.astype(complex)
            moved[at] += 1j * h
            slopes[at] = loss(c, {**s, name: moved}, *batch).imag / h
        result[name] = slopes
    return result


def named(state):
    return {name: {"shape": list(value.shape), "values": value.flatten().tolist()}
            for name, value in state.items()}


def freeze(c, name_of_file):
    random = numpy.random.default_rng(2107)
    o, state = c["optimiser"], initial_state(c, random)
    record = {"config": c, "initial": named(state), "x": [], "theta": [], "y": [],
              "losses": [], "gradient_norms": []}
    first = {name: numpy.zeros(value.shape) for name, value in state.items()}
    second = {name: numpy.zeros(value.shape) for name, value in state.items()}
    for step in range(1, c["steps"] + 1):
        x = single(random.standard_normal((c["batch"], c["n_x"])))
        theta = single(random.standard_normal((c["batch"], c["n_theta"])))
        y = single(numpy.clip(0.5 * x[:, 0] - theta[:, 1]
                              + 0.5 * random.standard_normal(c["batch"]), -1.4, 1.7))
        slopes = gradient(c, state, x, theta, y)
        norm = numpy.sqrt(sum((g * g).sum() for g in slopes.values()))
        clip = min(1.0, o["clip_norm"] / (norm + 1e-6))
        for name, values in (("x", x), ("theta", theta), ("y", y)):
            record[name].append(values.flatten().tolist())
        record["losses"].append(float(loss(c, state, x, theta, y).real))
        record["gradient_norms"].append(float(norm))
        for name in state:
            g = clip * slopes[name]
            first[name] = o["beta1"] * first[name] + (1 - o["beta1"]) * g
            second[name] = o["beta2"] * second[name] + (1 - o["beta2"]) * g * g
            root = numpy.sqrt(second[name] / (1 - o["beta2"] ** step)) + o["epsilon"]
            state[name] = (state[name] * (1 - o["learning_rate"] * o["weight_decay"])
                           - o["learning_rate"] * first[name] / (1 - o["beta1"] ** step) / root)
    record["final"] = named(state)
    parts = []
    for key, value in record.items():
        if isinstance(value, dict):
            rows = ",\n".join(f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            parts.append(f"  {json.dumps(key)}: {{\n{rows}\n  }}")
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    path = pathlib.Path(__file__).parent / name_of_file
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def main():
    freeze({"form": "mixture", "weights": 0.4, **CONFIG}, "density_trajectory.json")
    freeze({"form": "spline", "weights": 0.12, **CONFIG, "components": 5}, "spline_trajectory.json")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Trains small flows with plain numpy and freezes what happened.

The numbers are the reference of tests/engine/flow_trajectory_test.cpp: ten optimiser steps of a density of
two columns as two transforms, one after the other, each with a masked residual network, and AdamW with the
gradient of each network clipped. Gradients are complex-step derivatives, as in make_density_trajectory.py,
whose optimiser and formulas of a single column are used here.

    python3 make_flow_trajectory.py       writes mixture_flow_trajectory.json and spline_flow_trajectory.json

Needs numpy; the test needs only the frozen files. Parameters are named by transform: "0/input.bias". The
first column lies between two ends. Numbers in y are in the order of the first transform; the second one
goes through the columns backwards.
"""

import json
import math
import pathlib
import statistics

import numpy

from make_density_trajectory import CONFIG, below, named, silu, single, softmax

FLOW = {**CONFIG, "columns": 2, "transforms": 2, "n_theta": 2}


def masks(c):
    """1 where a weight may lead: hidden feature h knows of the first h mod D columns."""
    hidden, columns, each = c["hidden"], c["columns"], 3 * c["components"]
    degree = numpy.arange(hidden) % columns
    column, output = numpy.arange(columns), numpy.arange(columns * each) // each
    return {"input.weight_theta": column[:, None] < degree[None, :],
            "units.0.weight": degree[:, None] <= degree[None, :],
            "units.1.weight": degree[:, None] <= degree[None, :],
            "output.weight": degree[:, None] <= output[None, :],
            "output.skip_theta": column[:, None] < output[None, :]}


def initial_state(c, random):
    hidden, outputs = c["hidden"], 3 * c["components"] * c["columns"]
    shapes = {"input.weight_x": (c["n_x"], hidden), "input.weight_theta": (c["columns"], hidden),
              "input.bias": (hidden,),
              "units.0.weight": (hidden, hidden), "units.0.bias": (hidden,),
              "units.1.weight": (hidden, hidden), "units.1.bias": (hidden,),
              "output.weight": (hidden, outputs), "output.bias": (outputs,),
              "output.skip_x": (c["n_x"], outputs), "output.skip_theta": (c["columns"], outputs)}
    state = {}
    for t in range(c["transforms"]):
        for name, shape in shapes.items():
            values = single(c["weights"] * random.standard_normal(shape))
            state[f"{t}/{name}"] = values * masks(c).get(name, 1)
    return state


def network(s, t, x, y):
    p = lambda name: s[f"{t}/{name}"]
    z0 = x @ p("input.weight_x") + y @ p("input.weight_theta") + p("input.bias")
    z1 = silu(z0) @ p("units.0.weight") + p("units.0.bias")
    z2 = silu(z1) @ p("units.1.weight") + p("units.1.bias") + z0
    return (z2 @ p("output.weight") + p("output.bias") + x @ p("output.skip_x")
            + y @ p("output.skip_theta"))


def scale_of(c, raw):
    floor = numpy.log(c["narrowest"])
    return numpy.exp(floor + numpy.log(1 + numpy.exp(raw - floor)))


def cut_gaussian(mean, scale, y, ends):
    """Density at y and mass below it of a Gaussian that is cut to the ends."""
    t = (y - mean) / scale
    low, high = ((end - mean) / scale for end in ends)
    mass = below(high) - below(low)
    density = numpy.exp(-t * t / 2) / numpy.sqrt(2 * numpy.pi) / scale / mass
    return density, (below(t) - below(low)) / mass


def mixture(c, out, y, ends):
    k = c["components"]
    weight = softmax(out[:, :k])
    density, place = cut_gaussian(out[:, k:2 * k], scale_of(c, out[:, 2 * k:]), y[:, None], ends)
    return (weight * density).sum(1), (weight * place).sum(1)


def spline(c, out, y, ends):
    bins, least = c["components"] - 1, 1e-3
    density, u = cut_gaussian(out[:, 0], scale_of(c, out[:, 1]), y, ends)
    widths = least + (1 - bins * least) * softmax(out[:, 2:2 + bins])
    heights = least + (1 - bins * least) * softmax(out[:, 2 + bins:2 + 2 * bins])
    slopes = least + numpy.log(1 + numpy.exp(out[:, 2 + 2 * bins:]
                                             + numpy.log(numpy.exp(1 - least) - 1)))
    rows, nothing = numpy.arange(len(y)), numpy.zeros((len(y), 1))
    knots = numpy.concatenate([nothing, widths.cumsum(1)], 1)
    bottoms = numpy.concatenate([nothing, heights.cumsum(1)], 1)
    k = (u.real[:, None] >= knots.real[:, 1:-1]).sum(1)
    width, height = widths[rows, k], heights[rows, k]
    s, left, right = height / width, slopes[rows, k], slopes[rows, k + 1]
    xi = (u - knots[rows, k]) / width
    bottom = s + (right + left - 2 * s) * xi * (1 - xi)
    steepness = s ** 2 * (right * xi ** 2 + 2 * s * xi * (1 - xi) + left * (1 - xi) ** 2) / bottom ** 2
    risen = bottoms[rows, k] + height * (s * xi ** 2 + left * xi * (1 - xi)) / bottom
    return density * steepness, risen


def normal_quantile(p):
    real = numpy.vectorize(statistics.NormalDist().inv_cdf)(p.real)
    return real + 1j * p.imag * numpy.sqrt(2 * numpy.pi) * numpy.exp(real * real / 2)


def loss(c, s, x, y):
    """Mean of -log p(y | x). The density of each transform is that of what came out of the one before."""
    each, columns = 3 * c["components"], c["columns"]
    density_of = spline if c["form"] == "spline" else mixture
    inputs, log = y.astype(complex), 0
    for t in range(c["transforms"]):
        out = network(s, t, x, inputs)
        last, scores = t == c["transforms"] - 1, []
        for i in range(columns):
            infinity = (-1e6, 1e6)
            ends = (c["lower"], c["upper"]) if t == 0 and i == 0 else infinity
            density, below_y = density_of(c, out[:, i * each:(i + 1) * each], inputs[:, i], ends)
            log = log + numpy.log(density)
            if last:
                continue
            z = normal_quantile(below_y)
            log = log + z * z / 2 + 0.5 * numpy.log(2 * numpy.pi)
            scores.append(z)
        if not last:
            inputs = numpy.stack(scores[::-1], 1)
    return -log.mean()


def gradient(c, s, *batch):
    result, h = {}, 1e-30
    for name, value in s.items():
        slopes = numpy.zeros(value.shape)
        for at in numpy.ndindex(value.shape):
            moved = value.astype(complex)
            moved[at] += 1j * h
            slopes[at] = loss(c, {**s, name: moved}, *batch).imag / h
        result[name] = slopes * masks(c).get(name.split("/")[1], 1)
    return result


def freeze(c, name_of_file):
    random = numpy.random.default_rng(2107)
    o, state = c["optimiser"], initial_state(c, random)
    record = {"config": c, "initial": named(state), "x": [], "y": [], "losses": [],
              "gradient_norms": []}
    first = {name: numpy.zeros(value.shape) for name, value in state.items()}
    second = {name: numpy.zeros(value.shape) for name, value in state.items()}
    for step in range(1, c["steps"] + 1):
        x = single(random.standard_normal((c["batch"], c["n_x"])))
        y = 0.4 * x[:, :2] + 0.6 * random.standard_normal((c["batch"], 2))
        y[:, 1] += 0.5 * y[:, 0] ** 2
        y[:, 0] = numpy.clip(y[:, 0], -1.4, 1.7)
        y = single(y)
        slopes = gradient(c, state, x, y)
        record["x"].append(x.flatten().tolist())
        record["y"].append(y.flatten().tolist())
        record["losses"].append(float(loss(c, state, x, y).real))
        norms = []
        for t in range(c["transforms"]):
            own = [name for name in state if name.startswith(f"{t}/")]
            norm = math.sqrt(sum((slopes[name] ** 2).sum() for name in own))
            norms.append(norm)
            clip = min(1.0, o["clip_norm"] / (norm + 1e-6))
            for name in own:
                g = clip * slopes[name]
                first[name] = o["beta1"] * first[name] + (1 - o["beta1"]) * g
                second[name] = o["beta2"] * second[name] + (1 - o["beta2"]) * g * g
                root = numpy.sqrt(second[name] / (1 - o["beta2"] ** step)) + o["epsilon"]
                state[name] = (state[name] * (1 - o["learning_rate"] * o["weight_decay"])
                               - o["learning_rate"] * first[name] / (1 - o["beta1"] ** step) / root)
        record["gradient_norms"].append(norms)
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
    freeze({"form": "mixture", "weights": 0.25, **FLOW}, "mixture_flow_trajectory.json")
    freeze({"form": "spline", "weights": 0.12, **FLOW, "components": 4}, "spline_flow_trajectory.json")


if __name__ == "__main__":
    main()

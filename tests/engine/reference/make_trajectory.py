#!/usr/bin/python3
"""Trains two small ratio networks with PyTorch in double precision and freezes what happened.

The numbers are the reference of tests/engine: ten optimiser steps from given weights on given
batches and negatives. The networks, losses and formulas are written down here a second time, with
autograd and torch's own normalisation, optimisers and clipping, so that a mistake in the engine
cannot hide in both.

    python3 make_trajectory.py            writes resnet_trajectory.json and mlp_trajectory.json

Needs Debian's python3-torch and python3-numpy; the tests need only the frozen files.
All inputs are exact in single precision, so an engine of float starts from the same point.

Trap: in the ResNet, units.0.bias and units.2.bias lead only into a batch norm, which takes them
away again. Their gradient is zero up to rounding, and Adam divides rounding by rounding: in single
precision they, and the running means behind them (units.1, units.3), may differ by up to
steps * learning_rate. In double precision Adam's epsilon (1e-8) keeps the difference near 1e-9.

Layout of a file: every array is flat and row-major.
    config      sizes, loss, optimiser
    initial     name -> {shape, values}: weights are (in, out)
    x           [step][batch * n_x]
    theta       [step][(1 + negatives) * batch * n_theta], candidate-major: row c * batch + b is
                candidate c of x row b; candidate 0 is the joint one
    losses      [step], before the step's update
    gradient_norms  [step], over all parameters, before clipping
    final       as initial, after the last step
    evaluation  x (rows, n_x), theta (rows, n_theta), log_ratio (rows) in evaluation mode
"""

import json
import math
import pathlib

import numpy
import torch
from torch.nn import functional

NORM_EPSILON = 1e-5
RUNNING_MOMENTUM = 0.1
ACTIVATIONS = {"relu": torch.relu, "silu": functional.silu, "none": lambda z: z}

RESNET = {
    "network": "resnet", "hidden": 24, "blocks": 2, "activation": "relu", "norm": "batch",
    "n_x": 5, "n_theta": 2, "batch": 16, "negatives": 1, "steps": 10, "evaluation_rows": 6,
    "initial_gain": 1.0, "loss": {"kind": "nre_a"},
    "optimiser": {"kind": "adam", "learning_rate": 0.01, "beta1": 0.9, "beta2": 0.999,
                  "epsilon": 1e-8, "weight_decay": 0.0, "clip_norm": None},
    "norm_epsilon": NORM_EPSILON, "running_momentum": RUNNING_MOMENTUM,
}

MLP = {
    "network": "mlp", "hidden": 20, "layers": 3, "activation": "silu", "norm": "layer",
    "n_x": 6, "n_theta": 1, "batch": 16, "negatives": 4, "steps": 10, "evaluation_rows": 6,
    # Large enough that clipping acts in some of the steps and not in others.
    "initial_gain": 3.0, "loss": {"kind": "nre_c", "gamma": 1.5, "balance": 0.5},
    "optimiser": {"kind": "adamw", "learning_rate": 0.005, "beta1": 0.9, "beta2": 0.999,
                  "epsilon": 1e-8, "weight_decay": 0.01, "clip_norm": 0.7},
    "norm_epsilon": NORM_EPSILON, "running_momentum": RUNNING_MOMENTUM,
}


def units_of(config):
    """The chain behind the input layer: norm, activation, outputs, and the unit whose input is
    added to the output (None: no skip)."""
    hidden = config["hidden"]
    inner = {"norm": config["norm"], "act": config["activation"], "out": hidden, "skip": None}
    if config["network"] == "mlp":
        return [inner] * (config["layers"] - 1) + [{**inner, "out": 1}]
    units = []
    for block in range(config["blocks"]):
        units += [inner, {**inner, "skip": 2 * block}]
    return units + [{"norm": "none", "act": "none", "out": 1, "skip": None}]


def single(values):
    """Double-precision tensor of numbers that single precision represents exactly."""
    return torch.from_numpy(numpy.asarray(values, dtype=numpy.float32).astype(numpy.float64))


def initial_state(config, random):
    """Parameters and running statistics by name, none of them at a value that hides a mistake."""
    hidden, inputs = config["hidden"], config["n_x"] + config["n_theta"]
    width = config["initial_gain"] / math.sqrt(hidden)
    normal = lambda *shape: random.standard_normal(shape)
    state = {
        "input.weight_x": single(normal(config["n_x"], hidden) / math.sqrt(inputs)),
        "input.weight_theta": single(normal(config["n_theta"], hidden) / math.sqrt(inputs)),
        "input.bias": single(0.1 * normal(hidden)),
    }
    for i, unit in enumerate(units_of(config)):
        if unit["norm"] != "none":
            state[f"units.{i}.norm.scale"] = single(1 + 0.2 * normal(hidden))
            state[f"units.{i}.norm.shift"] = single(0.1 * normal(hidden))
        if unit["norm"] == "batch":
            state[f"units.{i}.norm.running_mean"] = single(numpy.zeros(hidden))
            state[f"units.{i}.norm.running_variance"] = single(numpy.ones(hidden))
        state[f"units.{i}.weight"] = single(width * normal(hidden, unit["out"]))
        state[f"units.{i}.bias"] = single(0.1 * normal(unit["out"]))
    return state


def normalise(z, unit, state, prefix, training):
    if unit["norm"] == "none":
        return z
    scale, shift = state[prefix + "scale"], state[prefix + "shift"]
    if unit["norm"] == "layer":
        return functional.layer_norm(z, z.shape[1:], scale, shift, NORM_EPSILON)
    # In training mode torch updates the two running tensors in place.
    return functional.batch_norm(z, state[prefix + "running_mean"],
                                 state[prefix + "running_variance"], scale, shift, training,
                                 RUNNING_MOMENTUM, NORM_EPSILON)


def log_ratio(config, state, x, theta, training):
    """f(x, theta) for every row. x: (rows, n_x)  theta: (rows, n_theta)  out: (rows)"""
    z = [x @ state["input.weight_x"] + theta @ state["input.weight_theta"] + state["input.bias"]]
    for i, unit in enumerate(units_of(config)):
        a = ACTIVATIONS[unit["act"]](normalise(z[i], unit, state, f"units.{i}.norm.", training))
        out = a @ state[f"units.{i}.weight"] + state[f"units.{i}.bias"]
        z.append(out if unit["skip"] is None else out + z[unit["skip"]])
    return z[-1][:, 0]


def nre_a(f):
    """Binary cross entropy. f: (2, batch), joint pairs first."""
    return functional.softplus(-f[0]).mean() + functional.softplus(f[1]).mean()


def nre_c(f, gamma, balance):
    """Miller et al. 2022 with as many negatives as classes, plus the balancing term (Delaunoy et
    al. 2022). f: (1 + K, batch), joint pairs first."""
    classes = f.shape[0] - 1
    denominator = lambda logits: torch.log(classes + gamma * torch.exp(logits).sum(0))
    joint = math.log(gamma) + f[0] - denominator(f[:-1])
    marginal = math.log(classes) - denominator(f[1:])
    contrast = -gamma / (1 + gamma) * joint.mean() - 1 / (1 + gamma) * marginal.mean()
    imbalance = torch.sigmoid(f[0]).mean() + torch.sigmoid(f[1:]).mean() - 1
    return contrast + balance * imbalance**2


def loss_of(config, f):
    loss = config["loss"]
    return nre_a(f) if loss["kind"] == "nre_a" else nre_c(f, loss["gamma"], loss["balance"])


def draw_pairs(config, random, rows, loading):
    """x = tanh-bent linear map of theta plus noise."""
    theta = random.standard_normal((rows, config["n_theta"]))
    noise = 0.5 * random.standard_normal((rows, config["n_x"]))
    return single(numpy.tanh(theta @ loading) + 0.3 * theta @ loading + noise), single(theta)


def draw_batch(config, random, loading):
    """x and its candidates: the joint theta, then the thetas of other rows (rotations)."""
    x, theta = draw_pairs(config, random, config["batch"], loading)
    turns = random.choice(numpy.arange(1, config["batch"]), config["negatives"], replace=False)
    return x, torch.cat([theta] + [torch.roll(theta, int(turn), 0) for turn in turns])


def make_optimiser(settings, parameters):
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[settings["kind"]]
    return kind(parameters, lr=settings["learning_rate"], eps=settings["epsilon"],
                betas=(settings["beta1"], settings["beta2"]),
                weight_decay=settings["weight_decay"])


def named_arrays(state):
    return {name: {"shape": list(value.shape), "values": value.detach().flatten().tolist()}
            for name, value in state.items()}


def train(config, seed):
    random = numpy.random.default_rng(seed)
    loading = random.standard_normal((config["n_theta"], config["n_x"]))
    state = initial_state(config, random)
    record = {"config": config, "initial": named_arrays(state), "x": [], "theta": [],
              "losses": [], "gradient_norms": []}
    parameters = [value.requires_grad_() for name, value in state.items() if "running" not in name]
    optimiser = make_optimiser(config["optimiser"], parameters)
    clip_norm = config["optimiser"]["clip_norm"] or math.inf
    candidates = 1 + config["negatives"]
    for _ in range(config["steps"]):
        x, theta = draw_batch(config, random, loading)
        optimiser.zero_grad()
        f = log_ratio(config, state, x.repeat(candidates, 1), theta, training=True)
        loss = loss_of(config, f.reshape(candidates, config["batch"]))
        loss.backward()
        # With an infinite limit torch only measures.
        norm = torch.nn.utils.clip_grad_norm_(parameters, clip_norm)
        optimiser.step()
        record["x"].append(x.flatten().tolist())
        record["theta"].append(theta.flatten().tolist())
        record["losses"].append(loss.item())
        record["gradient_norms"].append(norm.item())
    record["final"] = named_arrays(state)
    x, theta = draw_pairs(config, random, config["evaluation_rows"], loading)
    with torch.no_grad():
        f = log_ratio(config, state, x, theta, training=False)
    record["evaluation"] = {"x": x.flatten().tolist(), "theta": theta.flatten().tolist(),
                            "log_ratio": f.tolist()}
    return record


def write(path, record):
    """JSON with one line per array or short object; Python prints doubles so that they come back
    with the same bits."""
    def block(value):
        rows = (f'    {json.dumps(key)}: {json.dumps(item)}' for key, item in value.items())
        return "{\n" + ",\n".join(rows) + "\n  }"

    def rows(value):
        if not isinstance(value[0], list):
            return json.dumps(value)
        return "[\n    " + ",\n    ".join(json.dumps(item) for item in value) + "\n  ]"

    parts = (f'  {json.dumps(key)}: {block(value) if isinstance(value, dict) else rows(value)}'
             for key, value in record.items())
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def main():
    torch.set_num_threads(1)
    here = pathlib.Path(__file__).parent
    write(here / "resnet_trajectory.json", train(RESNET, seed=2107))
    write(here / "mlp_trajectory.json", train(MLP, seed=1214))


if __name__ == "__main__":
    main()

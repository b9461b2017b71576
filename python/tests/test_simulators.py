"""What a Python function may look like, and what happens when it misbehaves."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import hone
from hone._calling import Caller, RowGenerators, worker_seed

from conftest import QUICK, simulate

SEEDS = np.array([2**63 + 12345, 77 << 11], np.uint64)
THETA = np.array([[0.5, 1.0], [0.25, -1.0]])


def rows_of(function, batched=False, names=("a", "b"), size=2):
    return Caller(function, names, size, batched).rows(THETA, SEEDS)


def test_a_simulator_takes_theta_rng_seed_or_its_parameters_by_name():
    def by_rng(theta, rng):
        return theta + rng.standard_normal(2)

    def by_seed(theta, seed):
        assert isinstance(seed, int) and seed < 2**53
        return theta + np.random.default_rng(seed).standard_normal(2)

    def by_names(b, a, rng):
        return np.array([a, b]) + rng.standard_normal(2)

    def by_default(theta, scale=1.0, *, rng):
        return theta + scale * rng.standard_normal(2)

    class Model:
        def __call__(self, theta, rng):
            return by_rng(theta, rng)

    expected, failed = rows_of(by_rng)
    assert failed == [None, None]
    for other in (by_seed, by_names, by_default, Model(), lambda t, rng: by_rng(t, rng)):
        np.testing.assert_array_equal(rows_of(other)[0], expected)
    assert worker_seed(SEEDS[0]) == int(SEEDS[0]) >> 11


def test_a_simulator_of_theta_alone_repeats_and_leaves_the_global_generators_alone():
    def by_global(theta):
        return theta + np.random.standard_normal(2)

    np.testing.assert_array_equal(rows_of(by_global)[0], rows_of(by_global)[0])
    np.random.seed(5)
    expected = np.random.standard_normal(3)
    np.random.seed(5)
    hone.run(hone.Prior(a=hone.Uniform(0, 1), b=hone.Uniform(0, 1)), by_global, [0, 0], **QUICK)
    np.testing.assert_array_equal(np.random.standard_normal(3), expected)


def test_a_batch_gives_the_rows_it_would_give_one_by_one():
    def one(theta, rng):
        return rng.poisson(10 * np.abs(theta)) + rng.normal(size=2)

    def many(theta, rng):
        return rng.poisson(10 * np.abs(theta)) + rng.normal(size=2)

    np.testing.assert_array_equal(rows_of(many, batched=True)[0], rows_of(one)[0])
    generators = RowGenerators([1, 2, 3])
    assert len(generators) == 3 and generators.normal(size=4).shape == (3, 4)
    assert generators[0].normal() != generators[1].normal()
    with pytest.raises(AttributeError):
        generators.no_such_method


@pytest.mark.parametrize("function", [lambda: 0, lambda x, y: 0, 3, lambda a, b, c: 0])
def test_a_function_that_cannot_be_called_is_refused_before_any_work(function, tmp_path):
    with pytest.raises((hone.InputError, TypeError), match="simulator"):
        hone.run([hone.Uniform(0, 1)], function, [1.0], directory=tmp_path / "run", **QUICK)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("x, reason", [
    ([1.0], "x has 1 values, the observation has 2"),
    ([1j, 1], "real numbers"),
    (["a", "b"], "real numbers"),
    (None, "NoneType|real number|values"),
    ([[1], [2, 3]], "inhomogeneous|sequence|values"),
])
def test_a_wrong_answer_is_a_failure_with_its_reason(x, reason):
    _, failed = rows_of(lambda theta: x)
    assert all(failed)
    import re

    assert re.search(reason, failed[0].reason)


def test_answers_of_other_types_and_shapes_are_understood():
    strided = np.array([1.0, 9.0, 2.0, 9.0])[::2]
    for x in ([1, 2], (1.0, 2.0), np.float32([1, 2]), np.array([[1], [2]]), strided):
        values, failed = rows_of(lambda theta, x=x: x)
        assert failed == [None, None]
        np.testing.assert_array_equal(values[0], [1, 2])


def test_exceptions_and_nan_are_counted_and_tracebacks_kept(tmp_path, prior):
    def fragile(theta, rng):
        if theta[0] > 0.8:
            raise ArithmeticError("no convergence")
        return theta if theta[0] > -0.9 else theta * np.nan

    run = hone.run(prior, fragile, [0, 0], directory=tmp_path / "run", **QUICK)
    reasons = set(run.simulations.failures.values())
    assert any("ArithmeticError: no convergence" in reason for reason in reasons)
    assert "x[0] is nan" in reasons
    assert "test_simulators.py" in run.tracebacks[0] and "in fragile" in run.tracebacks[0]
    assert "no convergence" in (tmp_path / "run" / "simulator.log").read_text()
    assert any(warning["kind"] for warning in run.warnings)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_simulator_that_always_raises_ends_the_run_with_its_own_exception(prior, workers):
    def broken(theta):
        raise ZeroDivisionError("this is the reason")

    with pytest.raises(hone.SimulatorError, match="this is the reason") as caught:
        hone.run(prior, broken, [0, 0], workers=workers, **QUICK)
    if workers == 0:
        assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_worker_process_that_dies_costs_one_simulation(prior):
    def deadly(theta):
        if 0.7 < theta[0] < 0.75:
            os._exit(3)
        return theta

    run = hone.run(prior, deadly, [0, 0], workers=2, **QUICK)
    reasons = set(run.simulations.failures.values())
    assert reasons == {"the worker process died (exit code 3)"}
    theta = prior.sample(1)
    assert len(run.simulations) == QUICK["budget"] and theta.shape == (1, 2)


def interrupt_soon(delay):
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.parametrize("workers", [0, 1])
def test_control_c_reaches_a_slow_simulator_and_finished_work_is_kept(prior, tmp_path, workers):
    def slow(theta):
        time.sleep(0.05)
        return theta

    interrupt_soon(0.6)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        hone.run(prior, slow, [0, 0], directory=tmp_path / "run", workers=workers, **QUICK)
    assert time.monotonic() - start < 8
    done = len(hone.open(tmp_path / "run").simulations)
    assert 0 < done < QUICK["budget"]
    run = hone.run(prior, lambda theta: theta, [0, 0], directory=tmp_path / "run", **QUICK)
    assert run.finished and len(run.simulations) == QUICK["budget"]


def test_control_c_ends_training(prior, tmp_path):
    options = {**QUICK, "max_epochs": 100000, "patience": 100000, "budget": 2000}
    interrupt_soon(2)
    with pytest.raises(KeyboardInterrupt):
        hone.run(prior, simulate, [0, 0], directory=tmp_path / "run", **options)
    assert not hone.open(tmp_path / "run").finished


def test_other_python_threads_run_while_it_trains(prior):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    hone.run(prior, simulate, [0, 0], **{**QUICK, "budget": 1000, "max_epochs": 20})
    stop.set()
    thread.join()
    assert len(ticks) > 10

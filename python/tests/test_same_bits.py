"""One problem, four ways: the same posterior, bit for bit."""

import json
import subprocess
import sys

import numpy as np
import pytest

import hone
from conftest import QUICK

MODEL = """
import numpy as np

def simulate(theta, rng):
    if theta[0] > 0.95:
        raise ValueError("too large")
    return theta + 0.1 * rng.standard_normal(2)
"""

WORKER = """
import json, sys
import numpy as np
sys.path.insert(0, {folder!r})
from bits_model import simulate
for line in sys.stdin:
    request = json.loads(line)
    try:
        x = simulate(np.array(request["theta"]), np.random.default_rng(request["seed"]))
        print(json.dumps({{"id": request["id"], "x": list(x)}}), flush=True)
    except ValueError as error:
        print(json.dumps({{"id": request["id"], "error": str(error)}}), flush=True)
"""

PROBLEM = """
name = "bits"
[simulator]
command = [{python!r}, {worker!r}]
workers = 2
[observation]
values = [0.3, -0.2]
[[parameters]]
name = "a"
prior = {{ kind = "uniform", low = -1, high = 1 }}
[[parameters]]
name = "b"
prior = {{ kind = "normal", mean = 0, sigma = 1 }}
[inference]
seed = 5
{options}
"""

OPTIONS = {key: value for key, value in {**QUICK, "max_rounds": 3}.items() if key != "progress"}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "bits_model.py").write_text(MODEL)
    sys.path.insert(0, str(folder))
    import bits_model

    yield bits_model.simulate
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def by_program(model, program, tmp_path_factory):
    """The command line with an external worker."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "worker.py").write_text(WORKER.format(folder=sys.path[0]))
    options = "\n".join(f"{key} = {value}" for key, value in OPTIONS.items())
    (folder / "problem.toml").write_text(PROBLEM.format(
        python=sys.executable, worker=str(folder / "worker.py"), options=options))
    subprocess.run([program, "run", str(folder / "problem.toml"), "-o", str(folder / "run")],
                   check=True, capture_output=True)
    return hone.open(folder / "run")


def here(model, directory, **how):
    prior = {"a": hone.Uniform(-1, 1), "b": hone.Normal(0, 1)}
    return hone.run(prior, model, [0.3, -0.2], seed=5, directory=directory, progress=False,
                    **OPTIONS, **how)


def content(path):
    """Without the seal: the runs have other simulators, so other identities."""
    if path.suffix == ".h5":
        return path.read_bytes()[512:]
    facts = json.loads(path.read_text())
    del facts["seal"]
    return facts


def assert_same(one, other):
    for name in ("posterior/posterior.h5", "posterior/summary.json", "networks/main.h5",
                 "rounds/round-01.json", "rounds/round-02.json"):
        first, second = one.directory / name, other.directory / name
        assert first.exists() == second.exists(), name
        assert not first.exists() or content(first) == content(second), name
    np.testing.assert_array_equal(one.simulations.x, other.simulations.x)
    np.testing.assert_array_equal(one.posterior.sample(20), other.posterior.sample(20))


def test_by_a_function_and_by_an_external_worker(model, by_program, tmp_path):
    assert len(by_program.simulations.failures) > 0
    assert_same(here(model, tmp_path / "run"), by_program)


@pytest.mark.parametrize("workers", [1, 2])
def test_by_worker_processes(model, by_program, tmp_path, workers):
    assert_same(here(model, tmp_path / "run", workers=workers), by_program)


def test_by_spawned_processes_that_need_a_picklable_function(model, by_program, tmp_path,
                                                             monkeypatch):
    import multiprocessing

    monkeypatch.setattr(multiprocessing, "get_context",
                        lambda: multiprocessing.context.SpawnContext())
    assert_same(here(model, tmp_path / "run", workers=2), by_program)
    with pytest.raises(hone.InputError, match="cannot be sent to another process"):
        here(lambda theta: theta, tmp_path / "lambda", workers=2)


def test_in_batches(by_program, tmp_path):
    def batch(theta, rng):
        x = theta + 0.1 * rng.standard_normal(2)
        x[theta[:, 0] > 0.95] = np.nan
        return x

    assert_same(here(batch, tmp_path / "run", batched=True), by_program)


def test_on_one_thread_and_after_an_interruption(model, by_program, program, tmp_path):
    calls = []

    def breaks(theta, rng):
        calls.append(1)
        if len(calls) == 90:
            raise KeyboardInterrupt
        return model(theta, rng)

    with pytest.raises(KeyboardInterrupt):
        here(breaks, tmp_path / "run", threads=1)
    run = hone.open(tmp_path / "run")
    assert not run.finished and 0 < len(run.simulations) < 90
    with pytest.raises(hone.InputError, match="needs the simulator"):
        run.resume()
    told = subprocess.run([program, "resume", str(tmp_path / "run")], capture_output=True,
                          text=True)
    assert told.returncode == 2 and "breaks of another program" in told.stderr
    with pytest.raises(hone.InputError, match="not finished"):
        run.posterior
    assert_same(run.resume(model, threads=1, progress=False), by_program)


def test_another_seed_gives_another_posterior(model, by_program, tmp_path):
    prior = {"a": hone.Uniform(-1, 1), "b": hone.Normal(0, 1)}
    other = hone.run(prior, model, [0.3, -0.2], seed=6, progress=False, **OPTIONS)
    assert (other.posterior.sample(20) != by_program.posterior.sample(20)).any()

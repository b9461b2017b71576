"""`mpirun -n N python3 script.py`: the same bits as without, whatever the ranks do."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import QUICK

MPIRUN = os.environ.get("HONE_MPIRUN")
pytestmark = pytest.mark.skipif(not MPIRUN, reason="hone was built without MPI")

# The start of every script. `rank` is the launcher's word: None without one.
HEAD = f"""
import json, os, sys, time
import numpy as np
import hone

rank = os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK"))
QUICK = {ascii({**QUICK, "max_rounds": 2, "ensemble": 2, "seed": 5})}

def simulate(theta, rng):
    if theta[0] > 0.9:
        raise ArithmeticError("too large")
    return theta + 0.1 * rng.standard_normal(2)

def infer(directory, simulate=simulate, **others):
    prior = hone.Prior(a=hone.Uniform(-1, 1), b=hone.Normal(0, 1))
    return hone.run(prior, simulate, [0.3, -0.2], directory=directory, **{{**QUICK, **others}})

def leave_word(name, *facts):
    "For the test: what a rank has seen."
    with open(f"{{name}}-rank-{{rank}}.json", "w") as file:
        json.dump(facts, file)
"""

# All that ranks do together.
WHOLE = """
run = infer(sys.argv[1], workers=int(sys.argv[2]), progress=True)
run.train("joint", progress=False)
checks = run.check(100, simulate, workers=int(sys.argv[2]), progress=False)
leave_word(sys.argv[1], run.posterior.sample(3, "a,b").tolist(), checks.verdict, len(run.simulations))
if rank in (None, "0"):
    print(len(run.tracebacks), "tracebacks")
"""


def start(folder, ranks, script, *arguments, **environment):
    """A job; in `folder`, with a script of this text."""
    path = folder / "script.py"
    path.write_text(HEAD + script)
    command = [sys.executable, str(path), *map(str, arguments)]
    if ranks:
        command = [MPIRUN, "-n", str(ranks), *command]
    # Open MPI's; other launchers take no notice.
    settings = dict(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                    OMPI_MCA_rmaps_base_oversubscribe="1",
                    OMPI_MCA_odls_base_sigkill_timeout="1")
    return subprocess.Popen(command, cwd=folder, env={**os.environ, **settings, **environment},
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(job):
    try:
        out, err = job.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        job.kill()
        raise
    return job.returncode, out, err


def succeed(*job, **environment):
    code, out, err = finish(start(*job, **environment))
    assert code == 0, out + err
    return out, err


def results(directory):
    """Every file that the result of a run consists of."""
    files = [path for path in Path(directory).rglob("*") if path.is_file()]
    kept = [path for path in files if path.parent.name in ("networks", "posterior", "rounds")
            or path.name in ("run.json", "checks.json")]
    return {str(path.relative_to(directory)): path.read_bytes() for path in kept}


def words(folder, name):
    return [json.loads(path.read_text()) for path in sorted(folder.glob(f"{name}-rank-*.json"))]


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serial")
    succeed(folder, 0, WHOLE, "run", 0)
    return results(folder / "run"), words(folder, "run")[0]


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """The run alone."""
    folder = tmp_path_factory.mktemp("short")
    succeed(folder, 0, 'infer("run")')
    return results(folder / "run")


@pytest.mark.parametrize("ranks, workers", [(1, 0), (2, 0), (3, 2)])
def test_ranks_give_the_bits_of_the_serial_run(tmp_path, serial, ranks, workers):
    out, err = succeed(tmp_path, ranks, WHOLE, "run", workers)
    assert results(tmp_path / "run") == serial[0]
    assert words(tmp_path, "run") == [serial[1]] * ranks
    assert err.count("simulate 140") == 1  # only rank 0 shows progress
    assert out.strip() == "1 tracebacks"
    log = (tmp_path / "run" / "simulator.log").read_text()
    assert "ArithmeticError: too large" in log and "in simulate" in log


def test_without_a_directory_ranks_share_a_temporary_one(tmp_path):
    succeed(tmp_path, 2, """
run = infer(None, budget=100, max_rounds=1)
time.sleep(0.5 * int(rank))  # one needs it longer than the other
leave_word("temporary", str(run.directory), run.posterior.sample(2, "a").tolist())
run.save("saved")
""")
    one, two = words(tmp_path, "temporary")
    assert one == two
    assert not Path(one[0]).parent.exists() and (tmp_path / "saved" / "run.json").exists()


def test_communicators_of_mpi4py_choose_who_takes_part(tmp_path, short):
    pytest.importorskip("mpi4py")
    succeed(tmp_path, 3, """
from mpi4py import MPI
world = MPI.COMM_WORLD
part = world.Split(world.rank == 0)
run = infer(f"part-{world.rank == 0}", comm=part)
assert run.finished and world.allreduce(1) == 3
infer(f"self-{world.rank}", comm=MPI.COMM_SELF, budget=100, max_rounds=1)
infer("world", comm=world)
for wrong in (3, MPI.COMM_NULL):
    try:
        infer("wrong", comm=wrong)
    except (TypeError, hone.InputError) as error:
        assert "comm = " in str(error)
assert not MPI.Is_finalized() and not os.path.exists("wrong")
""")
    for name in ("part-True", "part-False", "world"):
        assert results(tmp_path / name) == short
    assert len(list(tmp_path.glob("self-*"))) == 3


def test_ranks_train_on_given_simulations(tmp_path):
    succeed(tmp_path, 2, """
prior = hone.Prior(a=hone.Uniform(-1, 1), b=hone.Normal(0, 1))
theta = prior.sample(200, seed=3)
run = hone.run(prior, None, [0, 0], simulations=(theta, theta), noise=0.1, **QUICK)
leave_word("given", run.posterior.sample(2, "a").tolist(), len(run.simulations))
""")
    one, two = words(tmp_path, "given")
    assert one == two and one[1] == 200


def test_hone_may_begin_mpi_and_mpi4py_join(tmp_path):
    pytest.importorskip("mpi4py")
    succeed(tmp_path, 2, """
infer("run", budget=100, max_rounds=1)
from mpi4py import MPI
assert MPI.COMM_WORLD.allreduce(1) == 2 and MPI.Query_thread() == MPI.THREAD_MULTIPLE
hone.open("run", comm=MPI.COMM_WORLD).train("joint", progress=False)
""")


def test_different_arguments_are_refused_by_all_ranks(tmp_path):
    succeed(tmp_path, 3, """
for others in (dict(budget=200 + 10 * (rank == "1")), dict(seed=7 + (rank != "0"))):
    try:
        infer("run", **others)
    except hone.InputError as error:
        text = str(error)
    leave_word(next(iter(others)), text)
try:
    infer(f"run-{rank}")
except hone.InputError as error:
    leave_word("directory", str(error))
""")
    budget, seed, directory = (words(tmp_path, n) for n in ("budget", "seed", "directory"))
    assert budget[0] == budget[1] == budget[2] and seed[0] == seed[2]
    assert "rank 1 has budget = 210 (rank 0: 200)" in budget[0][0]
    assert "rank 1 has seed = 8 (rank 0: 7) (and rank 2)" in seed[0][0]
    assert "directory = 'run-1'" in directory[0][0] and "COMM_SELF" in directory[0][0]
    assert not list(tmp_path.glob("run*"))


def test_a_rank_that_fails_elsewhere_ends_the_job(tmp_path):
    code, _, err = finish(start(tmp_path, 3, """
run = infer("run", budget=100, max_rounds=1)
if rank == "2":
    raise RuntimeError("something else")
run.train("joint", progress=False)
"""))
    assert code != 0
    assert "something else" in err
    assert "rank 2 has ended its program without this call" in err
    assert err.count("Traceback") == 2, err  # rank 2 and rank 0; rank 1 says it in a line
    assert "rank 1 ends with the error of rank 0" in err


def test_too_many_failures_raise_on_all_ranks(tmp_path):
    succeed(tmp_path, 2, """
def broken(theta):
    raise OSError(f"no licence on rank {rank}")
try:
    infer("run", broken)
except hone.SimulatorError as error:
    leave_word("broken", str(error))
""")
    assert len(words(tmp_path, "broken")) == 2 and words(tmp_path, "broken")[0] == \
        words(tmp_path, "broken")[1]
    assert "no licence on rank" in (tmp_path / "run" / "simulator.log").read_text()


def test_a_simulator_that_ends_its_rank_stops_all(tmp_path):
    code, _, err = finish(start(tmp_path, 2, """
def leaving(theta, rng):
    time.sleep(0.01)
    if rank == "1":
        sys.exit(3)
    return simulate(theta, rng)
infer("run", leaving)
"""))
    assert code != 0 and "stopped by SystemExit" in err and "rank 1 on" in err


SLOW = """
def slow(theta, rng):
    time.sleep(0.01)
    if os.environ.get("DIES") == rank and os.path.exists("run/simulations/shard-000001.h5"):
        os._exit(9)
    return simulate(theta, rng)
slow.__qualname__ = "simulate"
if sys.argv[1:] == ["resume"]:
    hone.open("run").resume(slow, progress=False)
else:
    infer("run", slow)
"""


def test_a_run_goes_on_after_a_rank_has_died(tmp_path, short):
    code, _, err = finish(start(tmp_path, 2, SLOW, DIES="1"))
    assert code != 0 and "exit" in err.lower()
    assert (tmp_path / "run" / "simulations").exists()
    succeed(tmp_path, 3, SLOW, "resume")
    assert results(tmp_path / "run") == short


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_goes_on_after_mpirun_was_stopped(tmp_path, short, number):
    job = start(tmp_path, 2, SLOW, OMPI_MCA_odls_base_sigkill_timeout="3")  # a machine may be busy
    while job.poll() is None and not (tmp_path / "run" / "simulations" / "manifest.json").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    job.send_signal(number)
    assert finish(job)[0] != 0
    assert list((tmp_path / "run" / "simulations").glob("*.h5"))
    succeed(tmp_path, 2, SLOW)
    assert results(tmp_path / "run") == short


def test_hone_mpi_off_keeps_ranks_apart(tmp_path):
    succeed(tmp_path, 2, 'infer(f"alone-{rank}", budget=100, max_rounds=1)', HONE_MPI="off",
            HONE_MPI_LIBRARY="/nonexistent")
    assert results(tmp_path / "alone-0") == results(tmp_path / "alone-1")


def test_without_the_library_a_rank_says_so(tmp_path):
    code, _, err = finish(start(tmp_path, 2, 'infer("run")', HONE_MPI_LIBRARY="/nonexistent"))
    assert code != 0 and "built without MPI" in err and "HONE_MPI=off" in err

"""A run by job arrays on a real Slurm, by the scripts of docs/howto/cluster.md: one task is killed
with SIGKILL and requeued, two chunks are run by two tasks each. Every simulation is there once, and the files of
the run are those of a serial one.

    array_test.py HONE [--keep]      exit code 77: there is no Slurm here
"""
import filecmp
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from page import write_scripts
from slurm import Slurm

# x = theta + noise from the seed; slow enough to be killed in the middle. Each start and each
# simulation is noted, so that the test can count them.
WORKER = '''
import json, os, random, sys, time
log = open("simulated", "a", buffering=1)
print("begin", os.getpid(), os.getppid(), file=log)
for line in sys.stdin:
    request = json.loads(line)
    noise = random.Random(request["seed"])
    time.sleep(0.01)
    if noise.random() < 0.02:
        print(json.dumps({"id": request["id"], "error": "no convergence"}), flush=True)
    else:
        x = [t + noise.gauss(0, 0.1) for t in request["theta"]]
        print(json.dumps({"id": request["id"], "x": x}), flush=True)
    print("id", request["id"], file=log)
'''
PROBLEM = '''
[simulator]
command = ["/usr/bin/python3", "worker.py"]
workers = 2
[observation]
values = [0.3, 0.6]
[[parameters]]
name = "a"
prior = { kind = "normal", mean = 0, sigma = 1 }
[[parameters]]
name = "b"
prior = { kind = "normal", mean = 0, sigma = 1 }
[inference]
budget = 1500
max_epochs = 10
ensemble = 1
round_ensemble = 1
ensemble_rows = 0
hidden = 16
depth = 1
'''


def check(condition, what):
    print(("ok    " if condition else "FAILED ") + what, flush=True)
    if not condition:
        raise SystemExit(1)


def wait_for(condition, what, seconds=240):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            check(False, f"{what} within {seconds} s")
        time.sleep(0.05)


def files_of(run):
    """All but the lock and the shards, whose rows are in the order of arrival."""
    names = {str(p.relative_to(run)) for p in run.rglob("*") if p.is_file()}
    return {n for n in names if n != "lock" and not n.startswith("simulations/shard-")}


def simulation_counts(hone, run, work):
    """`hone show` refuses a store in which an id is there twice."""
    facts = json.loads(subprocess.check_output([hone, "show", "--json", run], cwd=work, text=True))
    return facts["simulations_total"], facts["simulations_failed"], facts["failure_reasons"]


class Chain:
    """What the test does to the first array while the chain runs by itself."""

    def __init__(self, slurm, work):
        self.slurm, self.work = slurm, work

    def array_task(self):
        """A running task of the array with the process of its hone, once it simulates."""
        for job, state, _ in self.slurm.jobs():
            if "_" not in job or state != "RUNNING":
                continue
            facts = dict(word.split("=", 1) for word in
                         self.slurm.run("scontrol", "-o", "show", "job", job).split() if "=" in word)
            number = int(facts["ArrayTaskId"])
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    command = (process / "cmdline").read_bytes().split(b"\0")
                    cwd = os.readlink(process / "cwd")
                except OSError:
                    continue
                if cwd == str(self.work) and b"--number" in command and (
                        int(command[command.index(b"--number") + 1]) == number):
                    return job, number, int(process.name)
        return None

    def kill_one(self):
        task = []

        def found():
            task[:] = [self.array_task()]
            return task[0] is not None and (self.work / "simulated").exists()

        wait_for(found, "a task runs")
        job, number, process = task[0]
        time.sleep(0.3)  # in the middle: a chunk takes some seconds
        os.kill(process, signal.SIGKILL)
        result = self.work / f"array/chunks/round-01/result-{number:05}.h5"
        check(not result.exists(), f"task {job} was killed in the middle of chunk {number}")
        return job, number, result


def requeue(slurm, job):
    slurm.run("scontrol", "requeue", job)
    # Slurm holds a requeued job back for two minutes.
    wait_for(lambda: any(j == job and s == "PENDING" for j, s, _ in slurm.jobs()), "requeued")
    slurm.run("scontrol", "update", f"JobId={job}", "StartTime=now")


def run_on_slurm(hone, work, slurm):
    subprocess.run([hone, "run", "problem.toml", "-o", "array", "--prepare"], cwd=work, check=True)
    (work / "simulated").unlink(missing_ok=True)
    write_scripts(work, "simulate.slurm", "next.slurm")
    slurm.run("sbatch", "next.slurm", "array", cwd=work)
    chain = Chain(slurm, work)
    job, number, result = chain.kill_one()
    following = slurm.run("squeue", "-h", "-n", "hone-next", "-o", "%i").strip()
    slurm.run("scontrol", "hold", following)  # until the test is done with this round
    twice = slurm.run("sbatch", "--parsable", f"--array={(number + 1) % 4},{(number + 2) % 4}",
                      "simulate.slurm", "array/chunks/round-01", cwd=work).strip()
    requeue(slurm, job)
    wait_for(result.exists, "the requeued task leaves its result")
    check(True, f"task {job} was requeued and left its result")
    wait_for(lambda: len(slurm.jobs()) == 1, "the tasks end")
    slurm.run("scontrol", "release", following)
    wait_for(lambda: not slurm.jobs(), "the chain ends")
    outputs = [output.read_text() for output in work.glob(f"slurm-{twice}_*.out")]
    check(len(outputs) == 2 and all("result-" in output for output in outputs),
          "two chunks were run by two tasks each")


def compare(hone, work):
    serial, array = work / "serial", work / "array"
    check((array / "posterior/summary.json").exists(), "the run is finished")
    check(not (array / "chunks").exists(), "no chunk is left")
    check(files_of(serial) == files_of(array), "the same files as in a serial run")
    for name in sorted(files_of(serial)):
        if name != "report.html":  # names its directory
            check(filecmp.cmp(serial / name, array / name, shallow=False), f"the same bytes: {name}")
    check(simulation_counts(hone, "serial", work) == simulation_counts(hone, "array", work),
          "every simulation once, with the same failures")


def main():
    hone = os.path.abspath(sys.argv[1])
    reason = Slurm.missing()
    if reason:
        print(f"skipped: {reason}")
        return 77
    directory = pathlib.Path(tempfile.mkdtemp(prefix="hone-slurm-"))
    work = directory / "work"
    work.mkdir()
    (work / "worker.py").write_text(WORKER)
    (work / "problem.toml").write_text(PROBLEM)
    os.environ["PATH"] = f"{os.path.dirname(hone)}:{os.environ['PATH']}"
    os.environ["CHUNKS"] = "4"
    subprocess.run([hone, "run", "problem.toml", "-o", "serial"], cwd=work, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (directory / "slurm").mkdir()
    try:
        with Slurm(directory / "slurm") as slurm:
            run_on_slurm(hone, work, slurm)
        compare(hone, work)
    except BaseException:
        for output in sorted(work.glob("slurm-*.out")):
            print(f"--- {output.name}\n{output.read_text()[-1500:]}")
        raise
    finally:
        if "--keep" not in sys.argv:
            shutil.rmtree(directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

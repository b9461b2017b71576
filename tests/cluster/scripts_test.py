"""The scripts of docs/howto/cluster.md with stand-ins for sbatch and qsub that run a job at once:
the chain runs to its end by itself and gives the posterior of a serial run; where simulations do
not work it stops. array_test.py does the same on a real Slurm.

    scripts_test.py HONE
"""
import filecmp
import os
import pathlib
import subprocess
import sys
import tempfile

from page import write_scripts

OPTIONS = ("--budget 600 --max-epochs 5 --learning-rate 0.01 --ensemble 1 --round-ensemble 1 "
           "--ensemble-rows 0 "
           "--hidden 8 --depth 1 --marginal 1d").split()

# Both say the job's id, as the real ones do. A task that fails does not stop the others.
SBATCH = r'''#!/usr/bin/python3
import os, subprocess, sys
words = [w for w in sys.argv[1:] if not w.startswith("--")]
array = [w.split("=")[1] for w in sys.argv[1:] if w.startswith("--array=")]
environment = dict(os.environ, SLURM_CPUS_PER_TASK="1")
def run(more):
    subprocess.run(["sh", *words], env={**environment, **more}, stdout=open("jobs.out", "a"),
                   stderr=subprocess.STDOUT)
for part in array[0].split(",") if array else []:
    first, _, last = part.partition("-")
    for number in range(int(first), int(last or first) + 1):
        run({"SLURM_ARRAY_TASK_ID": str(number)})
if not array:
    run({})
print(17)
'''
QSUB = r'''#!/usr/bin/python3
import getopt, os, subprocess, sys
options, words = getopt.getopt(sys.argv[1:], "J:v:W:")
options = dict(options)
environment = dict(os.environ, PBS_O_WORKDIR=os.getcwd(), NCPUS="1")
environment.pop("BEFORE", None)
for pair in options["-v"].split(","):
    name, value = pair.split("=", 1)
    environment[name] = value
def run(more):
    subprocess.run(["sh", os.path.abspath(words[0])], env={**environment, **more}, cwd="/",
                   stdout=open("jobs.out", "a"), stderr=subprocess.STDOUT)
if "-J" in options:
    first, last = map(int, options["-J"].split("-"))
    assert first < last
    for number in range(first, last + 1):
        run({"PBS_ARRAY_INDEX": str(number)})
    print("17[].server")
else:
    run({})
    print("18.server")
'''
# A simulator that never answers.
BROKEN = '''
[simulator]
command = ["/bin/false"]
[observation]
values = [0.3]
[[parameters]]
name = "a"
prior = { kind = "uniform", low = 0, high = 1 }
'''


def check(condition, what, work):
    print(("ok    " if condition else "FAILED ") + what, flush=True)
    if not condition:
        output = work / "jobs.out"
        print(output.read_text()[-3000:] if output.exists() else "no output")
        raise SystemExit(1)


def try_system(hone, name, submit, work):
    def run(*command):
        subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    run(hone, "run", "torus", "-o", f"{name} run", "--prepare", *OPTIONS)
    # A lost task: its chunk is submitted again, alone.
    run(hone, "ask", f"{name} run", "--chunks", "3")
    for number in ("0", "2"):
        run(hone, "simulate", f"{name} run/chunks/round-01", "--number", number)
    run(*submit(f"{name} run"))
    for file in ("posterior/posterior.h5", "posterior/summary.json", "checks.json"):
        check((work / f"{name} run" / file).exists() and
              filecmp.cmp(work / "serial" / file, work / f"{name} run" / file, shallow=False),
              f"{name}: the same bytes as in a serial run: {file}", work)
    (work / "jobs.out").unlink()
    run(hone, "run", "broken.toml", "-o", f"{name} broken", "--prepare")
    run(*submit(f"{name} broken"))
    text = (work / "jobs.out").read_text()
    check(text.count("nothing has arrived since the last array") == 1,
          f"{name}: a chain that does not get on stops", work)


def main():
    hone = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="hone-scripts-") as directory:
        work = pathlib.Path(directory)
        for name, text in (("sbatch", SBATCH), ("qsub", QSUB)):
            (work / name).write_text(text)
            (work / name).chmod(0o755)
        (work / "broken.toml").write_text(BROKEN)
        write_scripts(work, "simulate.slurm", "next.slurm", "simulate.pbs", "next.pbs")
        os.environ.update(PATH=f"{work}:{os.path.dirname(hone)}:{os.environ['PATH']}", CHUNKS="3")
        subprocess.run([hone, "run", "torus", "-o", "serial", *OPTIONS], cwd=work, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try_system(hone, "slurm", lambda run: ("sbatch", "next.slurm", run), work)
        try_system(hone, "pbs", lambda run: ("qsub", "-v", f"RUN={run}", "next.pbs"), work)


if __name__ == "__main__":
    main()

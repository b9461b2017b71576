"""The runs that are mistreated: small ones of several kinds, each in some seconds at most."""

import shutil

SMALL = ["--budget", "600", "--max-epochs", "4", "--hidden", "8", "--ensemble", "1", "--round-ensemble",
         "1", "--ensemble-rows", "0"]

# A program of somebody else, and noise that hone draws.
WORKER = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    a, b = request["theta"]
    print(json.dumps({"id": request["id"], "x": [a, b, a * b]}), flush=True)
"""
WORKER_PROBLEM = """name = "worker"
[simulator]
command = ["/usr/bin/python3", "-S", "worker.py"]
workers = 1
[observation]
values = [0.3, -0.6, -0.2]
[noise]
kind = "gaussian"
sigma = 0.1
[[parameters]]
name = "theta_0"
prior = { kind = "uniform", low = -1, high = 1 }
[[parameters]]
name = "theta_1"
prior = { kind = "normal", mean = 0, sigma = 1 }
"""

# What `hone run` gets, beside the options above.
KINDS = {"rounds": ["two_moons"], "worker": ["{problems}/worker.toml"],
         "npe": ["two_moons", "--method", "npe"]}

READ = (["show", "run"], ["sample", "run", "--marginal", "0", "-n", "20"], ["check", "run", "--json"],
        ["resume", "run"], ["report", "run"])
# Of a run whose simulations are made in chunks: two of three have results, one of which is stored.
READ_CHUNKS = (["show", "run"], ["tell", "run"], ["ask", "run", "--chunks", "3"], ["resume", "run"],
               ["simulate", "run/chunks/round-01", "--number", "1"],
               ["simulate", "run/chunks/round-01", "--number", "2"])


def arguments(kind, output, seed, problems="."):
    """The command that makes a run; `problems` is where `prepare` wrote."""
    problem = [word.format(problems=problems) for word in KINDS[kind]]
    return ["run", *problem, *SMALL, "--seed", str(seed), "-o", output]


def prepare(directory):
    """What the runs need beside them."""
    (directory / "worker.py").write_text(WORKER)
    (directory / "worker.toml").write_text(WORKER_PROBLEM)


def make_states(attack, directory, kind):
    """Runs of this kind that differ in their seed alone, as `<state>` and `<state>-other`, and the
    commands that read them, by state."""
    for other, seed in (("", 1), ("-other", 2)):
        if kind == "chunks":
            make_chunks(attack, directory, "chunks" + other, seed)
            continue
        attack.make(directory, *arguments(kind, kind + other, seed))
        unfinished = directory / f"{kind}-unfinished{other}"
        shutil.copytree(directory / (kind + other), unfinished)
        for part in ("networks", "posterior"):
            shutil.rmtree(unfinished / part)
    return {"chunks": READ_CHUNKS} if kind == "chunks" else {kind: READ, f"{kind}-unfinished": READ}


def make_chunks(attack, directory, name, seed):
    attack.make(directory, *arguments("rounds", name, seed), "--prepare")
    attack.make(directory, "ask", name, "--chunks", "3")
    attack.make(directory, "simulate", f"{name}/chunks/round-01", "--number", "0")
    attack.make(directory, "tell", name)
    attack.make(directory, "simulate", f"{name}/chunks/round-01", "--number", "1")

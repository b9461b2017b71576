"""compare_test.py BUILD SYSROOT PROGRAM: the same inference on an emulated ARM processor and on this machine.

What docs/processors.md promises: the parameters of the first round are the same, bit for bit; the posterior
agrees within Monte-Carlo error, as between two seeds; and on one processor two runs are the same to the byte.
Prints which files of a run are the same on both, and how far the regions of later rounds are apart.
"""
import filecmp
import glob
import json
import os
import subprocess
import sys
import tempfile

BUILD, SYSROOT, HERE = (os.path.abspath(word) for word in sys.argv[1:4])
ARM = ["qemu-aarch64-static", "-L", SYSROOT, f"{BUILD}/hone"]
# Three rounds, small enough for an emulator: likelihoods of the data would take most of the time.
OPTIONS = ["torus", "--budget", "1000", "--estimators", "ratio", "--max-epochs", "8", "--ensemble", "1",
           "--ensemble-rows", "0", "--marginal", "0", "--marginal", "1", "--seed", "7"]
OTHER_SEED = OPTIONS[:-1] + ["8"]


def run(program, name, directory, options=OPTIONS):
    subprocess.run([*program, "run", *options, "-o", name], cwd=directory, check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "FONTCONFIG_SYSROOT": SYSROOT} if program is ARM else None)
    facts = subprocess.run([*program, "show", name, "--json"], cwd=directory, check=True, capture_output=True)
    return json.loads(facts.stdout)


def samples(program, name, directory):
    done = subprocess.run([*program, "sample", name, "--marginal", "0", "-n", "200"], cwd=directory, check=True,
                          capture_output=True)
    return done.stdout


def prior_draws(program, directory, name):
    """Parameters that a run would simulate first, as text with all digits."""
    done = subprocess.run([*program, "ask", name, "-n", "50"], cwd=directory, check=True, capture_output=True)
    return done.stdout


def compare_files(arm, here):
    """Which files of two runs are the same to the byte; None where one has no such file."""
    files = sorted(glob.glob(f"{arm}/simulations/shard*") + glob.glob(f"{arm}/rounds/*.json"))
    same = {}
    for file in files:
        other = here + file.removeprefix(arm)
        same[file.removeprefix(arm + "/")] = filecmp.cmp(file, other, shallow=False) if os.path.exists(other) else None
    for file, equal in same.items():
        print(f"{file}: {'the same bytes' if equal else 'other bytes' if equal is False else 'only on ARM'}")
    return same


def compare_regions(arm, here):
    print(f"rounds: {len(arm['rounds'])} on ARM, {len(here['rounds'])} here")
    for a, h in zip(arm["rounds"], here["rounds"]):
        apart = max(abs(x[end] - y[end]) for x, y in zip(a["bounds"], h["bounds"]) for end in ("low", "high"))
        print(f"round {a['number']}: prior mass {a['prior_mass']:.6g} on ARM, {h['prior_mass']:.6g} here; bounds differ "
              f"by at most {apart:.2g}")


BY_HAND = """
[simulator]
by_hand = true
[observation]
values = [0.5]
[[parameters]]
name = "a"
prior = { kind = "uniform", low = 0, high = 1 }
[[parameters]]
name = "b"
prior = { kind = "normal", mean = 1, sigma = 2 }
[inference]
budget = 400
"""


def main():
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/by_hand.toml", "w") as file:
            file.write(BY_HAND)
        for program, name in ((ARM, "ask-arm"), ([HERE], "ask-here")):
            subprocess.run([*program, "run", "by_hand.toml", "-o", name], cwd=directory, check=True,
                           stdout=subprocess.DEVNULL)
        first = prior_draws(ARM, directory, "ask-arm"), prior_draws([HERE], directory, "ask-here")
        assert first[0] == first[1], "the parameters of the first round differ"
        arm, again = run(ARM, "arm", directory), run(ARM, "again", directory)
        here, other = run([HERE], "here", directory), run([HERE], "other", directory, OTHER_SEED)
        assert samples(ARM, "arm", directory) == samples(ARM, "again", directory), "two runs on ARM differ"
        assert arm["parameters"] == again["parameters"]
        assert all(compare_files(f"{directory}/arm", f"{directory}/again").values()), "two runs on ARM differ"
        print("so far two runs on ARM; now ARM and this machine:")
        compare_files(f"{directory}/arm", f"{directory}/here")
        compare_regions(arm, here)
        for a, h, o in zip(*(found["parameters"][:2] for found in (arm, here, other))):
            shift, scatter = abs(a["mean"] - h["mean"]), abs(o["mean"] - h["mean"])
            width = h["standard_deviation"]
            print(f"{a['name']}: ARM {a['mean']:.4f}, here {h['mean']:.4f}, another seed {o['mean']:.4f}, "
                  f"standard deviation {width:.4f}")
            assert shift < max(0.5 * width, 3 * scatter), "the posteriors differ by more than two seeds do"
    print("ARM agrees with this machine")


if __name__ == "__main__":
    main()

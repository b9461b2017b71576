"""compare_test.py BUILD SYSROOT PROGRAM: the same inference on an emulated ARM processor and on this machine.

What docs/processors.md promises: the parameters of the first round are the same, bit for bit; the posterior
agrees within Monte-Carlo error, as between two seeds; and on one processor two runs are the same to the byte.
"""
import json
import os
import subprocess
import sys
import tempfile

BUILD, SYSROOT, HERE = (os.path.abspath(word) for word in sys.argv[1:4])
ARM = ["qemu-aarch64-static", "-L", SYSROOT, f"{BUILD}/hone"]
OPTIONS = ["gaussian_linear_uniform", "--budget", "400", "--max-epochs", "8", "--ensemble", "1", "--ensemble-rows", "0",
           "--marginal", "0", "--marginal", "1", "--seed", "7"]
OTHER_SEED = OPTIONS[:-1] + ["8"]


def run(program, name, directory, options=OPTIONS):
    subprocess.run([*program, "run", *options, "-o", name], cwd=directory, check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "FONTCONFIG_SYSROOT": SYSROOT} if program is ARM else None)
    facts = subprocess.run([*program, "show", name, "--json"], cwd=directory, check=True, capture_output=True)
    return json.loads(facts.stdout)["parameters"]


def samples(program, name, directory):
    done = subprocess.run([*program, "sample", name, "--marginal", "0", "-n", "200"], cwd=directory, check=True,
                          capture_output=True)
    return done.stdout


def prior_draws(program, directory, name):
    """Parameters that a run would simulate first, as text with all digits."""
    done = subprocess.run([*program, "ask", name, "-n", "50"], cwd=directory, check=True, capture_output=True)
    return done.stdout


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
        assert arm == again
        for a, h, o in zip(arm[:2], here, other):
            shift, scatter = abs(a["mean"] - h["mean"]), abs(o["mean"] - h["mean"])
            width = h["standard_deviation"]
            print(f"{a['name']}: ARM {a['mean']:.4f}, here {h['mean']:.4f}, another seed {o['mean']:.4f}, "
                  f"standard deviation {width:.4f}")
            assert shift < max(0.5 * width, 3 * scatter), "the posteriors differ by more than two seeds do"
    print("ARM agrees with this machine")


if __name__ == "__main__":
    main()

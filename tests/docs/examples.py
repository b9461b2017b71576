"""Output of hone that README.md and docs/ show. A page marks such a block by a line

    <!-- example NAME -->

in front of it. The block is made from captures/, which holds what the program printed:

    scripts/examples          runs the program (two minutes), writes captures/ and the blocks of all pages
    scripts/examples pages    writes the blocks of all pages from captures/ as they are

commands_test.py fails when a block is not what captures/ gives, and runs the cheap commands again.
Times are not shown on any page. Numbers depend in their last bits, and after a training in more, on the processor, which
is named in captures/processor.txt.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = pathlib.Path(__file__).resolve().parent / "captures"

# Each as a reader of docs/quickstart.md types it, in this order and in one directory. `small_run` is on no
# page: it is what commands_test.py can afford to repeat.
EXPENSIVE = {
    "run": "hone run torus --seed 1",
    "sample": "hone sample runs/torus-1 --marginal theta_0,theta_1 -n 5",
    "train": "hone train runs/torus-1 --marginal joint",
}
CHEAP = {
    "tasks": "hone tasks",
    "small_run": "hone run torus --seed 1 --budget 1500 --max-epochs 15 -o runs/small",
    "small_sample": "hone sample runs/small --marginal theta_0,theta_1 -n 5",
}


def processor():
    """Maker, family and model: others may add up in another order, or have another libm."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    found = [re.search(rf"^{field}\s*: (.*)$", text, re.M) for field in ("vendor_id", "cpu family", "model")]
    return " ".join(one.group(1) if one else "unknown" for one in found)


def without_times(text):
    return re.sub(r"; time: .*", "; time: ...", text)


def capture(program, command, directory):
    """All that a command prints, without times."""
    words = [str(program)] + command.split()[1:]
    done = subprocess.run(words, cwd=directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise SystemExit(f"{command}\nended with {done.returncode}:\n{done.stdout}")
    return without_times(done.stdout)


def read(name):
    return (CAPTURES / f"{name}.txt").read_text().rstrip("\n").split("\n")


def part(lines, first, last):
    """The lines from the first that begins with `first` to the next that begins with `last`."""
    begin = next(i for i, line in enumerate(lines) if line.startswith(first))
    end = next(i for i, line in enumerate(lines) if i >= begin and line.startswith(last))
    return lines[begin:end + 1]


def last_round(lines):
    return [line for line in lines if re.match(r"round \d+: ", line)][-1]


def blocks():
    """The content of every marked block, by its name."""
    run = read("run")
    end = part(run, "verdict", "results")
    return {
        "readme": part(run, last_round(run), "  theta_2") + ["..."] + end,
        "run": ["$ hone tasks"] + read("tasks")[:5] + ["...", "$ " + EXPENSIVE["run"]] + run[:4] + ["..."]
               + part(run, "  parameter", "  final") + ["..."] + end,
        "sample": ["$ " + EXPENSIVE["sample"]] + read("sample"),
        "train": ["$ " + EXPENSIVE["train"]] + read("train"),
    }


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"] + sorted((ROOT / "docs").rglob("*.md"))


MARKED = re.compile(r"<!-- example (\w+) -->\n\n((?:(?:    .*)?\n)*?(?:    .*)\n)(?=\n\S|\Z)")


def with_blocks(text):
    """The text of a page with its marked blocks made again."""
    made = blocks()

    def block(match):
        lines = ("    " + line if line else "" for line in made[match.group(1)])
        return f"<!-- example {match.group(1)} -->\n\n" + "\n".join(lines) + "\n"

    return MARKED.sub(block, text)


def make(program):
    CAPTURES.mkdir(exist_ok=True)
    (CAPTURES / "processor.txt").write_text(processor() + "\n")
    with tempfile.TemporaryDirectory() as directory:
        for name, command in {**EXPENSIVE, **CHEAP}.items():
            print(command, flush=True)
            (CAPTURES / f"{name}.txt").write_text(capture(program, command, directory))


def main():
    if sys.argv[1:] != ["pages"]:
        make(ROOT / "build" / "hone")
    for page in pages():
        text = page.read_text()
        if with_blocks(text) != text:
            page.write_text(with_blocks(text))
            print("changed", page.relative_to(ROOT))


if __name__ == "__main__":
    main()

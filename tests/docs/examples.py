"""Output of hone that README.md and docs/ show. A page marks such a block by a line

    <!-- example NAME -->

in front of it. The block is made from captures/, which holds what the program printed:

    scripts/examples            runs the program and the tutorials (five minutes), writes captures/ and the blocks
                                of all pages
    scripts/examples NAME...    the same for some captures only, such as `run models`
    scripts/examples pages      writes the blocks of all pages from captures/ as they are

commands_test.py fails when a block is not what captures/ gives, and runs the cheap commands again;
python/tests/test_tutorials.py does the same for the tutorials. Problem files and simulators are in problems/.
Times are not shown on any page. Numbers depend in their last bits, and after a training in more, on the processor, which
is named in captures/processor.txt.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = pathlib.Path(__file__).resolve().parent / "captures"

TUTORIALS = ROOT / "examples/tutorials"

# Each as a reader types it, in this order and in one directory, with the files of problems/. Of several commands the
# last one is kept. `small_run` is on no page: it is what commands_test.py can afford to repeat.
EXPENSIVE = {
    "run": ["hone run torus --seed 1"],
    "sample": ["hone sample runs/torus-1 --marginal theta_0,theta_1 -n 5"],
    "train": ["hone train runs/torus-1 --marginal joint"],
    "models": ["hone run line.toml -o runs/line", "hone run parabola.toml -o runs/parabola",
               "hone models runs/line runs/parabola"],
    "population": ["hone run population.toml -o runs/population", "hone show runs/population"],
    "caution": ["hone run torus --seed 1 --budget 2000 --preset paper -o runs/caution", "hone show runs/caution"],
}
CHEAP = {
    "tasks": ["hone tasks"],
    "small_run": ["hone run torus --seed 1 --budget 1500 --max-epochs 15 -o runs/small"],
    "small_sample": ["hone sample runs/small --marginal theta_0,theta_1 -n 5"],
    "signal": ["hone run signal.toml -o runs/signal --prepare", "hone show runs/signal"],
}
# What the scripts of the tutorials print. The names of their captures are those of the scripts.
SCRIPTS = {path.stem: path for path in sorted(TUTORIALS.glob("*.py"))}


def processor():
    """Maker, family and model: others may add up in another order, or have another libm."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    found = [re.search(rf"^{field}\s*: (.*)$", text, re.M) for field in ("vendor_id", "cpu family", "model")]
    return " ".join(one.group(1) if one else "unknown" for one in found)


def without_times(text):
    return re.sub(r"; time: .*", "; time: ...", text)


def capture(program, commands, directory):
    """All that the last of the commands prints, without times."""
    for command in commands:
        words = [str(program)] + command.split()[1:]
        done = subprocess.run(words, cwd=directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{command}\nended with {done.returncode}:\n{done.stdout}")
    return without_times(done.stdout)


def capture_script(script, directory):
    """What a script prints on standard output."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "TMPDIR": str(directory)}
    done = subprocess.run([sys.executable, script], cwd=directory, text=True, capture_output=True, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{script}\nended with {done.returncode}:\n{done.stderr}")
    return without_times(done.stdout)


def shapes(text):
    """The lines of a text without what depends on the processor: numbers are #, and lists of intervals are one. Which
    checks raise a flag, and which warnings there are, depends on it too.
    """
    found = []
    for line in text.split("\n"):
        line = " ".join(re.sub(r"[-+]?\d[\d.e+-]*", "#", line).split())
        line = re.sub(r"# \.\. #(, # \.\. #)+", "# .. #", line)
        line = re.sub(r"# -> #|# stays \(a cut would keep # of it\)", "# ...", line)
        line = re.sub(r"^verdict: .*", "verdict: ...", line)
        if line and not re.match(r"(warning|caution|unclear|fail)\b", line) and line not in found:
            found.append(line)
    return found


def difference(before, now, same_processor):
    """What a reader would call different between two outputs; empty if nothing."""
    if same_processor:
        return "" if now == before else f"it prints\n{now}\nand not\n{before}"
    old, new = shapes(before), shapes(now)
    missing = [line for line in old if line not in new]
    more = [line for line in new if line not in old]
    return "".join([f"a line is missing: {line}\n" for line in missing] + [f"a line is new: {line}\n" for line in more])


def read(name):
    return (CAPTURES / f"{name}.txt").read_text().rstrip("\n").split("\n")


def part(lines, first, last):
    """The lines from the first that begins with `first` to the next that begins with `last`."""
    begin = next(i for i, line in enumerate(lines) if line.startswith(first))
    end = next(i for i, line in enumerate(lines) if i >= begin and line.startswith(last))
    return lines[begin:end + 1]


def beginning(lines, *begins):
    """The lines that begin with one of the words."""
    return [line for line in lines if line.lstrip().startswith(begins)]


def wrapped(lines, width=112):
    """Long lines in several ones, as a narrow terminal shows them."""
    found = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        found += textwrap.wrap(line, width, subsequent_indent=indent) if line else [line]
    return found


def verdict_of(lines):
    """The verdict and the first check that it names, with the advice."""
    begin = next(i for i, line in enumerate(lines) if line.startswith("verdict"))
    return lines[begin:begin + 3]


def last_round(lines):
    return [line for line in lines if re.match(r"round \d+: ", line)][-1]


def blocks():
    """The content of every marked block, by its name."""
    run, models, right = read("run"), read("models"), read("is_it_right")
    end = part(run, "verdict", "results")
    wrong = max(i for i, line in enumerate(right) if line.startswith("verdict"))
    return {
        "models": part(models, "  model", "  parabola") + ["..."] + wrapped(models[-1:]),
        "signal": wrapped(beginning(read("signal"), "data seen through")),
        "weights": wrapped(beginning(read("population"), "weights of the estimators")),
        "caution": wrapped(verdict_of(read("caution"))),
        "first_posterior": read("first_posterior")[:4],
        "expensive_simulator": wrapped(part(read("expensive_simulator"), "parameter", "verdict")),
        "images": beginning(read("images"), "x:", "y:", "radius:"),
        "right": right[:1],
        "exact": beginning(right, "offset:", "slope:"),
        "wrong": wrapped(right[wrong:wrong + 3]),
        "choosing_a_method": read("choosing_a_method"),
        "readme": wrapped(part(run, last_round(run), "  theta_2")) + ["..."] + end,
        "run": ["$ hone tasks"] + read("tasks")[:5] + ["...", "$ " + EXPENSIVE["run"][0]] + run[:4] + ["..."]
               + part(run, "  parameter", "  final") + ["..."] + end,
        "sample": ["$ " + EXPENSIVE["sample"][0]] + read("sample"),
        "train": ["$ " + EXPENSIVE["train"][0]] + read("train"),
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


def copy_problems(directory):
    shutil.copytree(CAPTURES.parent / "problems", directory, dirs_exist_ok=True)


def make(program, chosen):
    CAPTURES.mkdir(exist_ok=True)
    (CAPTURES / "processor.txt").write_text(processor() + "\n")
    with tempfile.TemporaryDirectory() as directory:
        copy_problems(directory)
        for name, commands in {**EXPENSIVE, **CHEAP}.items():
            if not chosen or name in chosen:
                print("; ".join(commands), flush=True)
                (CAPTURES / f"{name}.txt").write_text(capture(program, commands, directory))
        for name, script in SCRIPTS.items():
            if not chosen or name in chosen:
                print(script.relative_to(ROOT), flush=True)
                (CAPTURES / f"{name}.txt").write_text(capture_script(script, directory))


def main():
    chosen = sys.argv[1:]
    unknown = set(chosen) - {"pages", *EXPENSIVE, *CHEAP, *SCRIPTS}
    if unknown:
        raise SystemExit(f"there is no example called {', '.join(sorted(unknown))}")
    if chosen != ["pages"]:
        make(ROOT / "build" / "hone", chosen)
    for page in pages():
        text = page.read_text()
        if with_blocks(text) != text:
            page.write_text(with_blocks(text))
            print("changed", page.relative_to(ROOT))


if __name__ == "__main__":
    main()

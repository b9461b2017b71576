"""commands_test.py PROGRAM: commands and outputs in README.md and docs/.

- Every command in a code block (a line that starts with `hone`, `make` or a word of STARTERS) is run here in a
  scratch directory, as it stands or with a small budget in its place (RUN), or it is in NOT_RUN with the reason.
  A command that is in neither fails the test.
- Every subcommand and every flag that a page names, also in the middle of a sentence, exists in the help.
- Every target of `make` that a page names is in the Makefile.
- Every link to a file, and every source file that a page names, exists.
- Every figure of docs/figures/pages is made by figures.py, is shown by a page, and is small.
- Every output that a page shows is the one in captures/ (examples.py). The cheap ones are made again and
  compared with captures/: every character if this processor is of the kind that made them, otherwise every line
  with its numbers as #. The expensive ones (a full run of the torus) are not made again; scripts/examples does that.
"""
import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import examples
import figures

PROGRAM = os.path.abspath(sys.argv[1])
failures = []

PROBLEM = """
[simulator]
task = "torus"
[inference]
budget = 600
max_epochs = 4
"""
BY_HAND = """
[simulator]
by_hand = true
[observation]
values = [0.5]
[[parameters]]
name = "mass"
prior = { kind = "uniform", low = 0, high = 1 }
[inference]
budget = 400
"""
SMALL = "--budget 300 --max-epochs 3"

# The documented command, and what is run for it where that is something smaller; in this order.
RUN = {
    "hone tasks": None,
    "hone run problem.toml --method tmnre --budget 20000": f"hone run problem.toml --method tmnre {SMALL}",
    "hone run problem.toml --method mnre --budget 20000": f"hone run problem.toml --method mnre {SMALL}",
    "hone run problem.toml --method npe --budget 20000":
        f"hone run problem.toml --method npe --density-steps 30 {SMALL}",
    "hone run problem.toml --method tnpe --budget 20000":
        f"hone run problem.toml --method tnpe --density-steps 30 {SMALL}",
    "hone run problem.toml --method snpe --budget 10000":
        f"hone run problem.toml --method snpe --density-steps 30 {SMALL}",
    "hone run problem.toml --method nle --budget 10000":
        f"hone run problem.toml --method nle --density-steps 30 {SMALL}",
    "hone run problem.toml --method tnle --budget 10000":
        f"hone run problem.toml --method tnle --density-steps 30 {SMALL}",
    "hone run problem.toml --method snle --budget 10000":
        f"hone run problem.toml --method snle --density-steps 30 {SMALL}",
    "hone run problem.toml --method nre --budget 20000": f"hone run problem.toml --method nre {SMALL}",
    "hone run problem.toml --method snre --budget 20000": f"hone run problem.toml --method snre {SMALL}",
    "hone run problem.toml --method smnre --budget 20000 --marginal 1d":
        f"hone run problem.toml --method smnre --marginal 1d {SMALL}",
    "hone run problem.toml --method rej_abc --budget 20000": f"hone run problem.toml --method rej_abc {SMALL}",
    "hone run problem.toml --method smc_abc --budget 20000": f"hone run problem.toml --method smc_abc {SMALL}",
    "hone run gaussian_linear --method mcmc": "hone run gaussian_linear --method mcmc --marginal 1d",
    "hone run problem.toml --dry-run": None,
    "hone run problem.toml": None,
    "hone run problem.toml --preset spectra": f"hone run problem.toml --preset spectra {SMALL}",
    "hone run problem.toml -o runs/mine": None,
    "hone run torus --observation x.txt": f"hone run torus --observation x.txt {SMALL}",
    "hone run gaussian_linear --preset paper --budget 10000":
        f"hone run gaussian_linear --preset paper --marginal 1d {SMALL}",
    "hone run torus --preset paper --budget 32032 --round-schedule growth --round-fraction 0.156":
        f"hone run torus --preset paper --round-schedule growth --round-fraction 0.156 {SMALL}",
    "hone run torus --preset paper --epsilon 1e-4 --round-schedule increment --round-increment 10000":
        f"hone run torus --preset paper --epsilon 1e-4 --round-schedule increment --round-increment 100 {SMALL}",
    # The directory runs/torus-1 is here a small run.
    "hone resume runs/torus-1": None,
    "hone check runs/torus-1": None,
    "hone check runs/torus-1 --simulations 10000": "hone check runs/torus-1 --simulations 300",
    "hone check runs/torus-1 --json": None,
    "hone check runs/torus-1 --correct": None,
    "hone check runs/torus-1 --uncorrect": None,
    "hone report runs/torus-1": None,
    "hone report runs/torus-1 --figures pdf,png,svg": None,
    "hone corner runs/torus-1 -o corner.pdf": None,
    "hone corner runs/torus-1 --parameters theta_0,theta_2 -o two.svg": None,
    'hone corner runs/a runs/b --label "first year" --label "second year" -o both.pdf': None,
    "hone corner runs/test-1 --truth truth.csv -o corner.png": None,
    "hone sample runs/torus-1 --marginal theta_0,theta_1 --observation x.txt -n 5000 -o samples.csv": None,
    "hone sample runs/torus-1 --marginal theta_0,theta_1 -n 5": None,
    "hone sample runs/torus-1 --marginal theta_0,theta_1 -n 10000 -o samples.csv": None,
    "hone sample runs/torus-1 --marginal theta_0,theta_1 -n 10000 --format npy -o samples.npy": None,
    "hone sample runs/torus-1 --marginal theta_0,theta_1 -n 10000 --format npz -o samples.npz": None,
    "hone sample runs/torus-1 --marginal theta_0,theta_1 -n 10000 --format arviz -o samples.nc": None,
    "hone sample runs/torus-1 --marginal theta_0,theta_1 -n 10000 --format getdist -o torus": None,
    "hone train runs/torus-1 --marginal joint": None,
    "hone train runs/torus-1 --marginal theta_0,theta_1,theta_2":
        "hone train runs/a --marginal theta_0,theta_1,theta_2",
    "hone sample runs/torus-1 --marginal theta_0,theta_1,theta_2": None,
    "hone sample runs/torus-1 --marginal theta_0,theta_1,theta_2 -n 5000 -o joint.csv": None,
    "hone sample runs/torus-1 -n 10000 -o all.csv": "hone sample runs/torus-1 -n 50 -o all.csv --anyway",
    "hone predict runs/torus-1 -n 200": "hone predict runs/torus-1 -n 30",
    'hone train runs/torus-1 --derived "product = theta_0 * theta_1"': None,
    "hone sample runs/torus-1 --marginal product -n 5000 -o product.csv": None,
    "hone sample runs/torus-1 --marginal joint -n 2000 -o joint.csv": None,
    "hone compare reference.csv mine.csv": "hone compare reference.csv mine.csv --samples 100",
    "hone ask DIR -n 500 -o asked.csv": "hone ask by_hand -n 500 -o asked.csv",
    "hone tell DIR results.csv": "hone tell by_hand results.csv",
    "hone run problem.toml -o DIR --prepare": None,
    "hone ask DIR --chunks 100": "hone ask DIR --chunks 4",
    "hone simulate DIR/chunks/round-01 --number 7": "hone simulate DIR/chunks/round-01 --number 2",
    "hone tell DIR": None,
    "hone tell DIR result-00042.h5": "hone tell DIR result-00003.h5",
    "hone resume runs/torus-1 --budget 20000": "hone resume runs/b --budget 2000 --threads 2",
}

NOT_RUN = {
    "hone sealed HDF5 file 2": "not a command: the first line of a sealed file",
    "hone run torus --seed 1": "takes a minute; examples.py has it, and small_run stands for it",
    "hone run cmb --method mnre": "takes minutes; the tests of cli/ and tasks/ run cmb",
    "hone run cmb --preset paper_spectra": "takes minutes",
    "hone models runs/line runs/parabola": "tests/cli/models_test.cpp compares two runs",
    "hone models runs/line": "of a run with declared noise; tests/check/model_comparison_test.cpp has one",
    "hone watch runs/mine": "a server that does not end; report.browser_live runs it",
    "hone resume runs/torus-1 --until pass --budget-limit 50000": "ends with 1 if it does not pass; "
        "tests/cli/first_hour_test.cpp runs it",
    "hone bench cmb": "takes an hour",
    "hone bench torus": "takes minutes; the tests of cli/ run a small one",
    "hone bench torus --methods all --budgets 1000,2000 --samples 1000 --max-epochs 20 --density-steps 300 "
    "--atoms 4 --ensemble 1 --round-ensemble 1 --ensemble-rows 0": "takes minutes",
    "hone bench eggbox": "takes minutes",
    "hone bench rotated_eggbox": "takes minutes",
    "hone bench sbibm --data sbibm/sbibm/tasks -o bench/sbibm": "takes hours, and needs the data of sbibm",
    "hone bench sbibm --data sbibm/sbibm/tasks --budgets 1000 --samples 4000 -o bench/evidence": "takes an hour, and needs the data of sbibm",
    "hone bench sbibm --data sbibm/sbibm/tasks -o bench/sbibm --tasks two_moons,sir,lotka_volterra "
    "--budgets 100000": "takes hours, and needs the data of sbibm",
    "hone bench sbibm --tasks TASK --budgets BUDGET --observations OBSERVATION --seeds SEED --methods METHOD "
    "--preset PRESET --samples SAMPLES --OPTION VALUE ... -o elsewhere": "the words in capitals are to be replaced",
    "make run": "builds hone itself",
    "make test": "runs this test",
    "cmake --preset release": "builds hone itself",
    "ninja -C build hone_program test_prior": "builds hone itself",
    "mpirun -n 64 hone run problem.toml -o run": "tests/mpi runs problem files on two to four ranks",
    "mpirun -n 64 python3 analysis.py": "python/tests/test_mpi.py runs such a script on two ranks",
    # Scripts for batch systems. cluster.scripts takes them from the page and runs those of arrays with a stand-in.
    "srun hone run problem.toml -o run": "needs Slurm; tests/mpi runs the same under mpirun",
    "srun hone resume run": "needs Slurm; tests/mpi runs the same under mpirun",
    "mpirun --map-by slot:PE=2 hone run problem.toml -o run": "needs two cores per rank; tests/mpi runs it without",
    "mpirun --map-by slot:PE=2 hone resume run": "needs two cores per rank; tests/mpi runs it without",
    'facts=$(hone ask "$run" --chunks "${CHUNKS:-100}" --threads "${SLURM_CPUS_PER_TASK:-1}" --json)':
        "cluster.scripts runs it",
    'facts=$(hone ask "$RUN" --chunks "${CHUNKS:-100}" --threads "${NCPUS:-1}" --json)': "cluster.scripts runs it",
    "sbatch --array=0-99 ...": "the line that `hone ask` prints; cluster.scripts runs it",
    "sbatch next.slurm DIR": "cluster.scripts runs it",
    'array=$(sbatch --parsable --array="$(fact array)" simulate.slurm "$(fact directory)")': "cluster.scripts runs it",
    'sbatch --dependency="afterany:$array" next.slurm "$run" "$now"': "cluster.scripts runs it",
    'array=$(qsub -J "$first-$last" -v CHUNKS_IN="$(fact directory)" simulate.pbs)': "cluster.scripts runs it",
    'qsub -W depend="afterany:$array" -v RUN="$RUN",BEFORE="$now" next.pbs': "cluster.scripts runs it",
}


# What starts programs in many processes, and what builds. An answer may be kept: array=$(sbatch ...).
STARTERS = "mpirun|mpiexec|srun|sbatch|qsub|cmake|ninja|ctest"
COMMAND = re.compile(rf"(?:\w+=\$\()?(?:hone|make|{STARTERS})\s")


def fail(text):
    failures.append(text)
    print("FAILED:", text)


def code_lines(text):
    """(number, line) of the lines in indented and fenced blocks; lines that end in \\ are joined."""
    fenced, begun, number = False, "", 0
    for at, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            if not begun:
                number = at
            begun += line.strip()
            if begun.endswith("\\"):
                begun = begun[:-1]
                continue
            yield number, begun
            begun = ""


def clean(line):
    """A command without prompt, comment, trailing & and repeated blanks."""
    line = re.sub(r"^\$ ", "", line)
    line = re.sub(r"\s+#.*$", "", line)
    return " ".join(re.sub(r"\s*&$", "", line).split())


@functools.lru_cache(maxsize=None)
def help_of(*subcommands):
    done = subprocess.run([PROGRAM, *subcommands, "--help"], text=True, capture_output=True)
    return done.stdout if done.returncode == 0 else None


def check_use(where, text):
    """Subcommand and flags of the text after `hone `."""
    words = re.sub(r"[\"'()`;,|]", " ", text).split()
    subcommands = []
    for word in words[:2]:
        if not re.fullmatch(r"[a-z][a-z_0-9]*", word) or (subcommands and subcommands != ["bench"]):
            break
        subcommands.append(word)
    if not subcommands:
        known = help_of()
    else:
        known = help_of(*subcommands)
        if known is None and len(subcommands) == 2:
            known = help_of(subcommands[0])
        if known is None:
            fail(f"{where}: there is no `hone {subcommands[0]}`")
            return
    for flag in re.findall(r"(?:^|\s)(--?[a-z][a-z-]*)", text):
        if not re.search(rf"(?:^|[\s,]){re.escape(flag)}(?![a-z-])", known):
            fail(f"{where}: `hone {' '.join(subcommands)}` has no {flag}")


def check_paths(name, page, text):
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)", prose):
        if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
            fail(f"{name}: the link to {target} leads nowhere")
    for source in re.findall(r"`(?:src/)?(hone/[a-z_]+/[a-z_0-9]+\.(?:h|cpp))`", prose):
        if not (examples.ROOT / "src" / source).exists():
            fail(f"{name}: there is no src/{source}")


def check_pages():
    """All commands of all pages; fails for those that are not known here."""
    targets = set(re.findall(r"^([a-z-]+):", (examples.ROOT / "Makefile").read_text(), re.M))
    found = set()
    for page in examples.pages():
        text = page.read_text()
        name = page.relative_to(examples.ROOT)
        for number, line in code_lines(text):
            where = f"{name}:{number}"
            command = clean(line)
            if COMMAND.match(command):
                found.add(command)
                if command not in RUN and command not in NOT_RUN:
                    fail(f"{where}: `{command}` is neither in RUN nor in NOT_RUN of {__file__}")
            if NOT_RUN.get(command, "").startswith("not a command"):
                continue
            for use in re.findall(r"(?:^|mpirun .*|srun |exec |\$\()hone ([a-z].*)", command):
                check_use(where, use)
            if command.startswith("make "):
                for target in re.findall(r"\s([a-z-]+)(?=\s|$)", command):
                    if target not in targets:
                        fail(f"{where}: the Makefile has no target {target}")
        prose = re.sub(r"```.*?```", "", text, flags=re.S)
        prose = re.sub(r"^    .*$", "", prose, flags=re.M)
        for use in re.findall(r"`hone\s([^`]*)`", prose):
            check_use(f"{name}: `hone {use}`", " ".join(use.split()))
        for use in re.findall(r"`make ([a-z-]+)", prose):
            if use not in targets:
                fail(f"{name}: the Makefile has no target {use}")
        check_paths(name, page, text)
        if examples.with_blocks(text) != text:
            fail(f"{name}: an output is not the one in tests/docs/captures; run `scripts/examples pages`")
    for command in list(RUN) + list(NOT_RUN):
        if command not in found:
            fail(f"`{command}` is on no page any more; take it out of {__file__}")
    for marker in examples.blocks():
        if not any(f"<!-- example {marker} -->" in page.read_text() for page in examples.pages()):
            fail(f"no page shows the example {marker}")


def check_figures():
    shown = "".join(page.read_text() for page in examples.pages())
    files = {file.stem: file for file in figures.FOLDER.iterdir()}
    if set(files) != set(figures.FIGURES):
        fail(f"docs/figures/pages and FIGURES of figures.py differ in {set(files) ^ set(figures.FIGURES)}; "
             "run scripts/figures")
    for name, file in files.items():
        if f"figures/pages/{file.name})" not in shown:
            fail(f"no page shows the figure {name}")
        if file.stat().st_size > figures.LIMIT:
            fail(f"{file} is larger than {figures.LIMIT} bytes")


def check_the_comparison():
    """On another processor numbers may differ, but no line may be missing or new."""
    before = "round 1: 200 new; prior mass 1 -> 0.2\nweights: ratio 0.10\nverdict: pass; 3 draws\n  a  1 .. 2, 3 .. 4\n"
    now = "round 1: 200 new; prior mass 1 -> 0.3\nround 2: 200 new; prior mass 0.3 stays (a cut would keep 0.9 of it)\n" \
          "weights: ratio 1.00\nverdict: caution; see x\n  caution x\n  a  1.1 .. 3\n"
    assert examples.difference(before, before, True) == examples.difference(before, now, False) == ""
    assert examples.difference(before, now, True)
    without = now.replace("weights: ratio 1.00\n", "")
    assert examples.difference(before, without, False) == "a line is missing: weights: ratio #\n"
    assert examples.difference(without, now, False) == "a line is new: weights: ratio #\n"


def check_captures(directory):
    check_the_comparison()
    examples.copy_problems(directory)
    same = (examples.CAPTURES / "processor.txt").read_text().strip() == examples.processor()
    for name, commands in examples.CHEAP.items():
        now = examples.capture(PROGRAM, commands, directory)
        different = examples.difference((examples.CAPTURES / f"{name}.txt").read_text(), now, same)
        if different:
            fail(f"`{commands[-1]}`, beside tests/docs/captures/{name}.txt: {different}\n"
                 "If that is meant, run scripts/examples, which also changes the pages.")


def results_of(asked):
    lines = asked.read_text().strip().split("\n")
    return "id,x0\n" + "".join(f"{line.split(',')[0]},0.5\n" for line in lines[1:])


def prepare(directory):
    """Files that the commands of the pages take for granted. runs/small is there."""
    (directory / "problem.toml").write_text(PROBLEM)
    (directory / "by_hand.toml").write_text(BY_HAND)
    (directory / "x.txt").write_text("0.57 0.03 1.0\n")
    (directory / "truth.csv").write_text("theta_0,theta_1,theta_2\n0.57,0.8,1\n")
    for name in ("a", "b", "test-1", "torus-1"):
        shutil.copytree(directory / "runs/small", directory / "runs" / name)
    for name, seed in (("reference", 1), ("mine", 2)):
        run(f"hone sample runs/a --marginal theta_0 -n 200 --seed {seed} -o {name}.csv", directory)
    run("hone run by_hand.toml -o by_hand", directory)


def before(command, directory):
    """What happens between two commands outside hone."""
    if command.startswith("hone tell by_hand"):
        (directory / "results.csv").write_text(results_of(directory / "asked.csv"))
    if command.startswith("hone tell DIR result-"):
        run("hone simulate DIR/chunks/round-01 --number 3", directory)
        shutil.move(directory / "DIR/chunks/round-01/result-00003.h5", directory / "result-00003.h5")


def run(command, directory):
    words = shlex.split(command)
    done = subprocess.run([PROGRAM] + words[1:], cwd=directory, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    # 1 with a verdict: the small runs here are not expected to pass their checks.
    if done.returncode != 0 and not (words[1] == "check" and "verdict" in done.stdout):
        fail(f"`{command}` ended with {done.returncode}:\n{done.stdout}")


def main():
    check_pages()
    check_figures()
    with tempfile.TemporaryDirectory() as name:
        directory = type(examples.ROOT)(name)
        check_captures(directory)
        prepare(directory)
        for command, instead in RUN.items():
            before(instead or command, directory)
            run(instead or command, directory)
    print(f"{len(RUN)} commands run, {len(NOT_RUN)} not, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

"""What all parts of the chaos test share."""

import collections
import pathlib
import random
import subprocess
import sys

# Made from the rest, or of no consequence for an answer.
FREE = ("report.html", "figures", "lock", "progress.json", "simulator.log")


class Attack:
    """The program, the random numbers, and what went wrong so far."""

    def __init__(self, program, seed):
        self.program, self.random = str(pathlib.Path(program).resolve()), random.Random(seed)
        self.wrong = []
        self.counts = collections.Counter()

    def hone(self, directory, *arguments, **options):
        return subprocess.run([self.program, *arguments], cwd=directory, capture_output=True,
                              timeout=300, **options)

    def make(self, directory, *arguments):
        """Preparations, which must succeed."""
        result = self.hone(directory, *arguments)
        if result.returncode != 0:
            sys.exit(f"{' '.join(arguments)}: {result.stderr.decode(errors='replace')}")
        return result

    def fail(self, text):
        self.wrong.append(text)
        print("WRONG:", text, flush=True)

    def expect_refused(self, label, result, names):
        """The only outcomes of a disturbed command are success and a refusal that says one of the names."""
        said = any(name.encode() in result.stderr for name in names)
        if result.returncode != 0 and not (result.returncode in (1, 2) and said):
            self.fail(f"{label}: {said_by(result)}")
        return result.returncode != 0

    def expect_same_files(self, label, run, whole):
        for path in files_of(whole):
            name = path.relative_to(whole)
            if name.parts[0] == "simulations" and name.suffix == ".h5":
                continue  # shards hold rows in the order of arrival
            other = run / name
            if not other.exists() or other.read_bytes() != path.read_bytes():
                self.fail(f"{label}: {name} is not that of an undisturbed run")


def files_of(run):
    return sorted(path for path in run.rglob("*") if path.is_file()
                  and not str(path.relative_to(run)).startswith(FREE))


def said_by(result):
    if result.returncode < 0:
        return f"ended by signal {-result.returncode}"
    texts = [text.decode(errors="replace")[:500] for text in (result.stdout or b"", result.stderr)]
    return f"exit code {result.returncode}\n{texts[0]}\n{texts[1]}"

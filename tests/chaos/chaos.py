#!/usr/bin/python3
"""Mistreats runs at random, and looks whether hone ever answers wrongly.

    tests/chaos/chaos.py build/hone [--mutations 1000] [--old 200] [--kills 100] [--starts 50]
                                    [--collisions 20] [--seed 1]

- Damage: bytes of files are changed, cut, swapped or taken from elsewhere, and files vanish, in copies of
  finished and unfinished runs. Every command must then give the right answer or refuse: exit code 1
  or 2 with the name of the file or, if its run.json has gone, of the run.
- Old runs: their files have no seals, so nobody can tell what is right; values of their JSON are replaced by
  others. Whatever a command says, it must not crash or call it a bug.
- Kills: a run is killed with SIGKILL at random moments and resumed until it is finished; all its files must
  be those of an undisturbed run.
- Starts: many processes start a run in one directory at once; one may make it.
- Collisions: commands that add to a finished run start together. Each does its work or is refused; then
  the run must be whole, and every quantity must have the posterior of its own formula.

Prints a line of counts for each part, and every wrong answer with the seed that repeats it. Exit code 1
if there was one.
"""

import argparse
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SMALL = ["--budget", "600", "--max-epochs", "4", "--hidden", "8", "--ensemble", "1", "--round-ensemble",
         "1", "--ensemble-rows", "0"]
READ = (["show", "run"], ["sample", "run", "--marginal", "0", "-n", "20"], ["check", "run", "--json"],
        ["resume", "run"], ["report", "run"])
OLD_RUN = pathlib.Path(__file__).resolve().parent.parent / "run/data/format-1/finished"
ADD = (["train", "run", "--derived", "sum = theta_0 + theta_1"],
       ["train", "run", "--derived", "large = 1000 * theta_0"], ["resume", "run", "--budget", "700"],
       ["resume", "run", "--budget", "800"], ["check", "run", "--correct"])
# Made from the rest, or of no consequence for an answer.
FREE = ("report.html", "figures", "lock", "progress.json", "simulator.log")


class Chaos:
    def __init__(self, program, seed):
        self.program, self.random = str(pathlib.Path(program).resolve()), random.Random(seed)
        self.wrong = []

    def hone(self, directory, *arguments, timeout=300):
        return subprocess.run([self.program, *arguments], cwd=directory, capture_output=True,
                              timeout=timeout)

    def fail(self, text):
        self.wrong.append(text)
        print("WRONG:", text, flush=True)

    def files(self, run):
        return sorted(path for path in run.rglob("*") if path.is_file()
                      and not str(path.relative_to(run)).startswith(FREE))

    # --- damage -----------------------------------------------------------------------------------

    def make_runs(self, directory):
        for name, more in (("first", ["--seed", "1"]), ("second", ["--seed", "2"])):
            result = self.hone(directory, "run", "two_moons", *SMALL, *more, "-o", name)
            if result.returncode != 0:
                sys.exit(result.stderr.decode())
        shutil.copytree(directory / "first", directory / "unfinished")
        for part in ("networks", "posterior"):
            shutil.rmtree(directory / "unfinished" / part)

    def damage(self, run, other):
        """One thing that can happen to a file, and its description."""
        path = self.random.choice(self.files(run))
        name = path.relative_to(run)
        data = path.read_bytes()
        kind = self.random.choice(("byte", "cut", "empty", "vanish", "other run", "other place",
                                   "digit", "repeat"))
        if kind == "byte" and data:
            at = self.random.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ (1 << self.random.randrange(8))]) + data[at + 1:]
            path.write_bytes(data)
        elif kind == "cut":
            path.write_bytes(data[:self.random.randrange(len(data) + 1)])
        elif kind == "empty":
            path.write_bytes(b"")
        elif kind == "vanish":
            path.unlink()
        elif kind == "other run" and (other / name).exists():
            shutil.copyfile(other / name, path)
        elif kind == "other place":
            others = [one for one in self.files(run) if one.suffix == path.suffix and one != path]
            if others:
                source = self.random.choice(others)
                shutil.copyfile(source, path)
                kind += f" ({source.relative_to(run)})"
        elif kind == "digit":
            digits = [i for i, byte in enumerate(data[:20000]) if chr(byte).isdigit()]
            if digits:
                at = self.random.choice(digits)
                new = ord(self.random.choice([d for d in "0123456789" if ord(d) != data[at]]))
                path.write_bytes(data[:at] + bytes([new]) + data[at + 1:])
        elif kind == "repeat":
            path.write_bytes(data + data)
        return f"{name}: {kind}"

    def mistreat(self, count):
        with tempfile.TemporaryDirectory() as scratch:
            directory = pathlib.Path(scratch)
            self.make_runs(directory)
            answers = {}
            for source in ("first", "unfinished"):
                answers[source] = {}
                for command in READ:
                    shutil.copytree(directory / source, directory / "run")
                    result = self.hone(directory, *command)
                    answers[source][command[0]] = (result.returncode, self.answer(directory, result, command))
                    shutil.rmtree(directory / "run")
            refused = same = 0
            for number in range(count):
                source = self.random.choice(("first", "first", "unfinished"))
                shutil.copytree(directory / source, directory / "run")
                what = self.damage(directory / "run", directory / "second")
                # Resume and report repair what can be made again, and so change later answers.
                command = self.random.choice(READ)
                result = self.hone(directory, *command)
                answer = self.answer(directory, result, command)
                shown = self.hone(directory, "show", "run").stdout.decode(errors="replace")
                shutil.rmtree(directory / "run")
                label = f"mutation {number}, {source} {what}, {command[0]}"
                if result.returncode < 0:
                    self.fail(f"{label}: ended by signal {-result.returncode}")
                elif (result.returncode, answer) == answers[source][command[0]]:
                    same += 1
                elif result.returncode in (1, 2) and self.names_the_run(result):
                    refused += 1
                elif self.is_repaired(command, result, answers["first"], shown):
                    same += 1
                else:
                    self.fail(f"{label}: exit code {result.returncode}\n"
                              f"{result.stdout.decode(errors='replace')[:500]}\n"
                              f"{result.stderr.decode(errors='replace')[:500]}")
            print(f"damage: {count} mutations, {refused} refused by name, {same} answered as before",
                  flush=True)

    @staticmethod
    def names_the_run(result):
        return any(words in result.stderr for words in (b"run/", b"hone: run:", b"hone: run is not finished"))

    @staticmethod
    def table_of(out):
        lines = out.decode(errors="replace").splitlines()
        return [line.split() for line in lines if line.strip().startswith(("theta", "verdict"))]

    @staticmethod
    def answer(directory, result, command):
        """What a command says: its output, and the page that it writes."""
        page = directory / "run" / "report.html"
        return result.stdout + (page.read_bytes() if command[0] == "report" and page.exists() else b"")

    def is_repaired(self, command, result, answers, shown):
        """What was lost is made again, and the table is that of the undisturbed run. A command that says
        less than before, of a run that is unfinished or unchecked again, is right too."""
        if result.returncode == 0 and command[0] == "resume":
            return self.table_of(result.stdout) == self.table_of(answers["resume"][1])
        if result.returncode == 0 and command[0] in ("show", "report"):
            return any(word in shown for word in ("not finished", "not checked", "have gone"))
        return False

    # --- old runs -----------------------------------------------------------------------------------

    def replace_value(self, json_value):
        """One value somewhere inside becomes another, goes away or is there twice."""
        if not isinstance(json_value, (dict, list)) or not json_value:
            return self.random.choice((None, -1, 0, 1e308, 2**40, "", "x", [], {}, True, [[[1]]]))
        key = self.random.choice(list(json_value) if isinstance(json_value, dict)
                                 else range(len(json_value)))
        kind = self.random.random()
        if kind < 0.1:
            del json_value[key]
        elif kind < 0.2 and isinstance(json_value, list):
            json_value.insert(key, json_value[key])
        elif kind < 0.3:
            json_value[key] = self.replace_value(None)
        else:
            json_value[key] = self.replace_value(json_value[key])
        return json_value

    def mistreat_old(self, count):
        with tempfile.TemporaryDirectory() as scratch:
            directory = pathlib.Path(scratch)
            refused = 0
            for number in range(count):
                shutil.copytree(OLD_RUN, directory / "run")
                path = self.random.choice(sorted((directory / "run").rglob("*.json")))
                changed = self.replace_value(json.loads(path.read_text()))
                path.write_text(json.dumps(changed))
                command = self.random.choice([one for one in READ if one[0] != "resume"])
                result = self.hone(directory, *command)
                shutil.rmtree(directory / "run")
                refused += result.returncode in (1, 2)
                if result.returncode < 0 or b"bug in hone" in result.stderr:
                    self.fail(f"old run {number}, {path.name}, {command[0]}: {result.returncode} "
                              f"{result.stderr.decode(errors='replace')[:500]}")
            print(f"old runs: {count} changes, {refused} refused, no crash", flush=True)

    # --- collisions ---------------------------------------------------------------------------------

    def collide(self, count):
        with tempfile.TemporaryDirectory() as scratch:
            directory = pathlib.Path(scratch)
            result = self.hone(directory, "run", "two_moons", *SMALL, "-o", "whole")
            if result.returncode != 0:
                sys.exit(result.stderr.decode())
            done = 0
            for number in range(count):
                shutil.copytree(directory / "whole", directory / "run")
                commands = self.random.sample(ADD, 3)
                processes = []
                for command in commands:
                    time.sleep(self.random.uniform(0, 0.1))
                    processes.append(subprocess.Popen([self.program, *command], cwd=directory,
                                                      stdout=subprocess.DEVNULL,
                                                      stderr=subprocess.PIPE))
                for command, process in zip(commands, processes):
                    errors = process.communicate()[1]
                    done += process.returncode == 0
                    if process.returncode < 0 or (process.returncode and b"run" not in errors):
                        self.fail(f"collision {number}, {command}: {process.returncode} {errors}")
                self.expect_whole(directory, f"collision {number}, {commands}")
                shutil.rmtree(directory / "run")
            print(f"collisions: {3 * count} commands, {done} did their work, runs are whole",
                  flush=True)

    def expect_whole(self, directory, label):
        resumed = self.hone(directory, "resume", "run")
        shown = self.hone(directory, "show", "run", "--json")
        if resumed.returncode != 0 or shown.returncode != 0:
            return self.fail(f"{label}: {(resumed.stderr + shown.stderr).decode()[:500]}")
        for parameter in json.loads(shown.stdout)["parameters"]:
            # Parameters lie in -1 .. 1.
            least, most = (10, 1000) if parameter["name"] == "large" else (0, 2)
            if not least < parameter["standard_deviation"] < most:
                self.fail(f"{label}: {parameter['name']} has {parameter['standard_deviation']}")

    # --- kills ------------------------------------------------------------------------------------

    def kill(self, count):
        with tempfile.TemporaryDirectory() as scratch:
            directory = pathlib.Path(scratch)
            arguments = ["two_moons", *SMALL, "--seed", "3"]
            begin = time.monotonic()
            self.hone(directory, "run", *arguments, "-o", "whole")
            length = time.monotonic() - begin
            killed = finished = 0
            while killed < count:
                shutil.rmtree(directory / "run", ignore_errors=True)
                command = ["run", *arguments, "-o", "run"]
                while True:
                    process = subprocess.Popen([self.program, *command], cwd=directory,
                                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                    try:
                        errors = process.communicate(timeout=self.random.uniform(0, length))[1]
                        if process.returncode != 0:
                            self.fail(f"after a kill: {errors.decode()[:500]}")
                        break
                    except subprocess.TimeoutExpired:
                        process.send_signal(signal.SIGKILL)
                        process.communicate()
                        killed += 1
                    began = (directory / "run" / "run.json").exists()
                    command = ["resume", "run"] if began else ["run", *arguments, "-o", "run"]
                finished += 1
                for path in self.files(directory / "whole"):
                    name = path.relative_to(directory / "whole")
                    if name.parts[0] == "simulations" and name.suffix == ".h5":
                        continue  # shards hold rows in the order of arrival
                    other = directory / "run" / name
                    if not other.exists() or other.read_bytes() != path.read_bytes():
                        self.fail(f"{name} differs after {killed} kills")
            print(f"kills: {killed} in {finished} runs, all files as of an undisturbed run", flush=True)

    # --- starts -----------------------------------------------------------------------------------

    def start(self, count):
        with tempfile.TemporaryDirectory() as scratch:
            directory = pathlib.Path(scratch)
            processes = [subprocess.Popen(
                [self.program, "run", "two_moons", *SMALL, "--seed", str(seed), "-o", "same"],
                cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                for seed in range(count)]
            results = [(process.communicate()[1], process.returncode) for process in processes]
            winners = [seed for seed, (_, code) in enumerate(results) if code == 0]
            for seed, (errors, code) in enumerate(results):
                if code != 0 and b"same" not in errors:
                    self.fail(f"start {seed}: exit code {code}: {errors.decode()[:300]}")
            if len(winners) != 1:
                self.fail(f"{len(winners)} of {count} processes made the run")
            elif json.loads((directory / "same" / "run.json").read_text())["seed"] != winners[0]:
                self.fail("run.json is of a process that lost")
            elif self.hone(directory, "sample", "same", "--marginal", "0", "-n", "5").returncode != 0:
                self.fail("the run that was made cannot be read")
            print(f"starts: {count} at once, {len(winners)} made the run", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    for name, standard in (("mutations", 1000), ("old", 200), ("kills", 100), ("starts", 50),
                           ("collisions", 20), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=standard)
    arguments = parser.parse_args()
    chaos = Chaos(arguments.program, arguments.seed)
    if arguments.starts > 0:
        chaos.start(arguments.starts)
    chaos.mistreat(arguments.mutations)
    chaos.mistreat_old(arguments.old)
    chaos.kill(arguments.kills)
    chaos.collide(arguments.collisions)
    print(f"{len(chaos.wrong)} wrong answers")
    return 1 if chaos.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

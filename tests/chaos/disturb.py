"""Commands that are killed, find no room, or run beside each other: the run of an undisturbed command, or
a refusal."""

import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from attack import files_of
from runs import KINDS, SMALL, arguments, prepare

ADD = (["train", "run", "--derived", "sum = theta_0 + theta_1"],
       ["train", "run", "--derived", "large = 1000 * theta_0"], ["resume", "run", "--budget", "700"],
       ["resume", "run", "--budget", "800"], ["check", "run", "--correct"])


@contextlib.contextmanager
def workplace():
    with tempfile.TemporaryDirectory() as scratch:
        prepare(pathlib.Path(scratch))
        yield pathlib.Path(scratch)


def begin_or_resume(directory, kind, problems="."):
    """The command that leads to a whole run from where it stopped."""
    began = (directory / "run" / "run.json").exists()
    return ["resume", "run"] if began else arguments(kind, "run", 3, problems)


# --- kills ------------------------------------------------------------------------------------------


def kill(attack, count):
    """SIGKILL at random moments, again and again until a run is finished, for each kind in turn."""
    whole = {}
    killed = 0
    with workplace() as directory:
        while killed < count:
            kind = list(KINDS)[attack.counts["runs"] % len(KINDS)]
            if kind not in whole:
                begin = time.monotonic()
                attack.make(directory, *arguments(kind, f"whole-{kind}", 3))
                whole[kind] = time.monotonic() - begin
            killed += kill_until_finished(attack, directory, kind, whole[kind])
            attack.counts["runs"] += 1
            attack.expect_same_files(f"{kind} after {killed} kills", directory / "run",
                                     directory / f"whole-{kind}")
            shutil.rmtree(directory / "run")
    attack.counts["kills"] += killed


def kill_until_finished(attack, directory, kind, length):
    killed = 0
    while True:
        process = subprocess.Popen([attack.program, *begin_or_resume(directory, kind)], cwd=directory,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            errors = process.communicate(timeout=attack.random.uniform(0, length))[1]
            if process.returncode != 0:
                attack.fail(f"{kind} after a kill: {errors.decode(errors='replace')[:500]}")
            return killed
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += 1


# --- full disks -------------------------------------------------------------------------------------


class SmallDisk:
    """A directory that holds so many bytes more than now until `make_room`: a disk of its own in memory;
    where mounting is not allowed, a limit on the size of every file."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(path)],
                                 capture_output=True)
        self.mounted = mounted.returncode == 0
        self.limit = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.path)], check=True)

    def leave(self, size):
        if self.mounted:
            status = os.statvfs(self.path)
            used = (status.f_blocks - status.f_bfree) * status.f_frsize
            self.resize(used + size)
        else:
            self.limit = size

    def make_room(self):
        self.limit = None
        if self.mounted:
            self.resize(64 << 20)

    def resize(self, size):
        size = max(size, 4096)  # 0 is without limit
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.path)], check=True)

    def options(self):
        if self.limit is None:
            return {}
        limit = self.limit
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))}


def fill(attack, count):
    """New runs, and commands that add to a finished one, each with room for a part of what it writes."""
    with workplace() as directory:
        for kind in KINDS:
            attack.make(directory, *arguments(kind, f"whole-{kind}", 3))
        for number in range(count):
            kind = attack.random.choice(list(KINDS))
            with SmallDisk(directory / "disk") as disk:
                attack.counts["on a small disk" if disk.mounted else "with a limit of file sizes"] += 1
                if attack.random.random() < 0.5:
                    fill_new(attack, disk, kind, directory / f"whole-{kind}", number)
                else:
                    fill_added(attack, disk, directory / "whole-rounds", number)
            shutil.rmtree(directory / "disk", ignore_errors=True)


def fill_new(attack, disk, kind, whole, number):
    """Room is made little by little, so that the run fails at several places."""
    label = f"full disk {number}, {kind}"
    size = sum(path.stat().st_size for path in files_of(whole))
    for _ in range(3):
        disk.leave(attack.random.randrange(size))
        command = begin_or_resume(disk.path, kind, "..")
        result = attack.hone(disk.path, *command, **disk.options())
        refused = attack.expect_refused(f"{label}, {command[0]}", result, ("run/", "hone: run:"))
        attack.counts["refused by name"] += refused
    disk.make_room()
    attack.make(disk.path, *begin_or_resume(disk.path, kind, ".."))
    attack.expect_same_files(label, disk.path / "run", whole)


def fill_added(attack, disk, whole, number):
    shutil.copytree(whole, disk.path / "run")
    command = attack.random.choice(ADD)
    label = f"full disk {number}, {' '.join(command)}"
    disk.leave(attack.random.randrange(100_000))
    result = attack.hone(disk.path, *command, **disk.options())
    refused = attack.expect_refused(label, result, ("run/", "hone: run:"))
    attack.counts["refused by name"] += refused
    disk.make_room()
    expect_whole(attack, disk.path, label)
    # It may have done its work already: then its quantity is refused.
    repeated = attack.hone(disk.path, *command)
    attack.expect_refused(f"{label}, repeated", repeated, ("run/", "hone: run:", "sum", "large"))
    expect_whole(attack, disk.path, label)


# --- starts -----------------------------------------------------------------------------------------


def start(attack, count):
    """Many processes start a run in one directory at once; one may make it."""
    with workplace() as directory:
        processes = [subprocess.Popen([attack.program, *arguments("rounds", "same", seed)], cwd=directory,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                     for seed in range(count)]
        results = [(process.communicate()[1], process.returncode) for process in processes]
        winners = [seed for seed, (_, code) in enumerate(results) if code == 0]
        for seed, (errors, code) in enumerate(results):
            if code != 0 and b"hone: same" not in errors:
                attack.fail(f"start {seed}: exit code {code}: {errors.decode(errors='replace')[:300]}")
        if len(winners) != 1:
            attack.fail(f"{len(winners)} of {count} processes made the run")
        elif json.loads((directory / "same" / "run.json").read_text())["seed"] != winners[0]:
            attack.fail("run.json is of a process that lost")
        elif attack.hone(directory, "sample", "same", "--marginal", "0", "-n", "5").returncode != 0:
            attack.fail("the run that was made cannot be read")
    attack.counts["processes at once"] += count
    attack.counts["made the run"] += len(winners)


# --- collisions -------------------------------------------------------------------------------------


def collide(attack, count):
    """Commands that add to a finished run, at the same time."""
    with workplace() as directory:
        attack.make(directory, *arguments("rounds", "whole", 1))
        for number in range(count):
            shutil.copytree(directory / "whole", directory / "run")
            commands = attack.random.sample(ADD, 3)
            processes = []
            for command in commands:
                time.sleep(attack.random.uniform(0, 0.1))
                processes.append(subprocess.Popen([attack.program, *command], cwd=directory,
                                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
            for command, process in zip(commands, processes):
                process.stderr_text = process.communicate()[1]
                result = subprocess.CompletedProcess(command, process.returncode, b"",
                                                     process.stderr_text)
                # Of two budgets the smaller one may come second: no file is wrong then.
                refused = attack.expect_refused(
                    f"collision {number}, {' '.join(command)}", result,
                    ("run/", "hone: run:", "hone: run ", "which the run has already"))
                attack.counts["did their work"] += not refused
            attack.counts["commands"] += 3
            expect_whole(attack, directory, f"collision {number}, {commands}")
            shutil.rmtree(directory / "run")


def expect_whole(attack, directory, label):
    """Every quantity has the posterior of its own formula."""
    resumed = attack.hone(directory, "resume", "run")
    shown = attack.hone(directory, "show", "run", "--json")
    if resumed.returncode != 0 or shown.returncode != 0:
        return attack.fail(f"{label}: {(resumed.stderr + shown.stderr).decode()[:500]}")
    for parameter in json.loads(shown.stdout)["parameters"]:
        # Parameters lie in -1 .. 1.
        least, most = (10, 1000) if parameter["name"] == "large" else (0, 2)
        if not least < parameter["standard_deviation"] < most:
            attack.fail(f"{label}: {parameter['name']} has {parameter['standard_deviation']}")

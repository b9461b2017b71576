"""Damaged files: the right answer, or a refusal that names the file."""

import json
import pathlib
import shutil
import tempfile

from attack import files_of, said_by
from runs import KINDS, READ, make_states, prepare

OLD_RUN = pathlib.Path(__file__).resolve().parent.parent / "run/data/format-1/finished"


def damage(random, run, other):
    """One thing that happens to a file: the name of the file, and what it is."""
    path = random.choice(files_of(run))
    name = path.relative_to(run)
    data = path.read_bytes()
    kind = random.choice(("byte", "cut", "empty", "vanish", "other run", "other place", "digit",
                          "repeat"))
    if kind == "byte" and data:
        at = random.randrange(len(data))
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1:])
    elif kind == "cut":
        path.write_bytes(data[:random.randrange(len(data) + 1)])
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "vanish":
        path.unlink()
    elif kind == "other run" and (other / name).exists():
        shutil.copyfile(other / name, path)
    elif kind == "other place":
        others = [one for one in files_of(run) if one.suffix == path.suffix and one != path]
        if others:
            shutil.copyfile(random.choice(others), path)
    elif kind == "digit":
        digits = [i for i, byte in enumerate(data[:20000]) if chr(byte).isdigit()]
        if digits:
            at = random.choice(digits)
            new = ord(random.choice([d for d in "0123456789" if ord(d) != data[at]]))
            path.write_bytes(data[:at] + bytes([new]) + data[at + 1:])
    elif kind == "repeat":
        path.write_bytes(data + data)
    return str(name), kind


def names_the_file(result, name, kind):
    """The file that was changed. Of a run.json of another run nobody can tell that it is the one
    that does not fit; of one that has gone, the directory is no run."""
    if f"run/{name}".encode() in result.stderr:
        return True
    if name == "run.json" and kind == "other run":
        return b"run/" in result.stderr and b"belongs to another run" in result.stderr
    return kind == "vanish" and b"hone: run" in result.stderr


class Mistreated:
    """Runs of one kind, and what commands answer as long as nothing has happened to them."""

    def __init__(self, attack, directory, kind):
        self.attack, self.directory, self.run = attack, directory, directory / "run"
        self.commands = make_states(attack, directory, kind)
        self.answers = {(state, tuple(command)): self.ask(state, command)[1]
                        for state, commands in self.commands.items() for command in commands}

    def ask(self, state, command, harm=lambda run: None):
        """The result of a command for a copy that was harmed, and its whole answer."""
        shutil.rmtree(self.run, ignore_errors=True)
        shutil.copytree(self.directory / state, self.run)
        harm(self.run)
        result = self.attack.hone(self.directory, *command)
        page = self.run / "report.html"
        written = page.read_bytes() if command[0] == "report" and page.exists() else b""
        return result, (result.returncode, result.stdout + written)

    def mistreat(self, number):
        random, counts = self.attack.random, self.attack.counts
        state = random.choice(sorted(self.commands))
        command = random.choice(self.commands[state])
        what = []
        result, answer = self.ask(state, command, lambda run: what.extend(
            damage(random, run, self.directory / f"{state}-other")))
        if answer == self.answers[state, tuple(command)]:
            counts["answered as before"] += 1
        elif result.returncode in (1, 2) and names_the_file(result, *what):
            counts["refused by name"] += 1
        elif result.returncode == 0 and self.is_repaired(state, command, result, what):
            counts["repaired"] += 1
        else:
            self.attack.fail(f"mutation {number}, {state} {': '.join(what)}, {' '.join(command)}: "
                             f"{said_by(result)}")

    def is_repaired(self, state, command, result, what):
        """What was lost is made again, and the table is that of the undisturbed run. A command that says
        less than before, of a run that is unfinished or unchecked again, is right too; and one that
        finds other chunks than before, if the run nevertheless becomes what it should or is refused."""
        if state == "chunks" and command[0] != "resume":
            told = self.attack.hone(self.directory, "tell", "run")
            if told.returncode != 0:
                return names_the_file(told, *what)
            command, result = ["resume", "run"], self.attack.hone(self.directory, "resume", "run")
            if result.returncode != 0:
                return names_the_file(result, *what)
        if command[0] == "resume":
            return table_of(result.stdout) == table_of(self.answers[state, tuple(command)][1])
        shown = self.attack.hone(self.directory, "show", "run").stdout.decode(errors="replace")
        return command[0] in ("show", "report") and any(
            word in shown for word in ("not finished", "not checked", "have gone", "are missing"))


def table_of(out):
    lines = out.decode(errors="replace").splitlines()
    return [line.split() for line in lines if line.strip().startswith(("theta", "verdict"))]


def mistreat(attack, count):
    kinds = [*KINDS, "chunks"]
    for i, kind in enumerate(kinds):
        mutations = range(i, count, len(kinds))
        if not mutations:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            prepare(pathlib.Path(scratch))
            runs = Mistreated(attack, pathlib.Path(scratch), kind)
            for number in mutations:
                runs.mistreat(number)
        attack.counts["mutations"] += len(mutations)


# --- old runs ---------------------------------------------------------------------------------------


def replace_value(random, value):
    """One value somewhere inside becomes another, goes away or is there twice."""
    if not isinstance(value, (dict, list)) or not value:
        return random.choice((None, -1, 0, 1e308, 2**40, "", "x", [], {}, True, [[[1]]]))
    key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    kind = random.random()
    if kind < 0.1:
        del value[key]
    elif kind < 0.2 and isinstance(value, list):
        value.insert(key, value[key])
    elif kind < 0.3:
        value[key] = replace_value(random, None)
    else:
        value[key] = replace_value(random, value[key])
    return value


def mistreat_old(attack, count):
    """Their files have no seals, so nobody can tell what is right."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        for number in range(count):
            shutil.copytree(OLD_RUN, directory / "run")
            path = attack.random.choice(sorted((directory / "run").rglob("*.json")))
            path.write_text(json.dumps(replace_value(attack.random, json.loads(path.read_text()))))
            command = attack.random.choice([one for one in READ if one[0] != "resume"])
            result = attack.hone(directory, *command)
            shutil.rmtree(directory / "run")
            attack.counts["changes"] += 1
            attack.counts["refused"] += result.returncode in (1, 2)
            if result.returncode < 0 or b"bug in hone" in result.stderr:
                attack.fail(f"old run {number}, {path.name}, {command[0]}: {said_by(result)}")

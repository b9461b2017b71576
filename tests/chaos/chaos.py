#!/usr/bin/python3
"""Mistreats runs at random, and looks whether hone ever answers wrongly.

    tests/chaos/chaos.py build/hone [--mutations 1000] [--old 200] [--kills 100] [--disks 40]
                                    [--starts 50] [--collisions 20] [--seed 1]
    tests/chaos/chaos.py build/hone --minutes 30

- Damage: bytes of files are changed, cut, swapped or taken from elsewhere, and files vanish, in copies of
  finished and unfinished runs: of two methods, with a program as simulator and declared noise, and with
  simulations in chunks. Every command must then give the right answer or refuse: exit code 1 or 2
  with the name of the file.
- Old runs: their files have no seals, so nobody can tell what is right; values of their JSON are replaced by
  others. Whatever a command says, it must not crash or call it a bug.
- Kills: a run is killed with SIGKILL at random moments and resumed until it is finished; all its files must
  be those of an undisturbed run.
- Disks: a run finds no room several times, or a command that adds to a finished run. It is refused with a
  name; once there is room again the files are those of an undisturbed run.
- Starts: many processes start a run in one directory at once; one may make it.
- Collisions: commands that add to a finished run start together. Each does its work or is refused; then
  the run must be whole, and every quantity must have the posterior of its own formula.

With --minutes all parts are repeated, a twentieth of the counts at a time, with other random numbers until
the time is over. Prints a line of counts for each part, and every wrong answer with the seed that repeats
it. Exit code 1 if there was one.
"""

import argparse
import collections
import sys
import time

from attack import Attack
from damage import mistreat, mistreat_old
from disturb import collide, fill, kill, start

# Name of the option, of the part, how often, what is done.
PARTS = (("starts", "starts", 50, start), ("mutations", "damage", 1000, mistreat),
         ("old", "old runs", 200, mistreat_old), ("kills", "kills", 100, kill),
         ("disks", "full disks", 40, fill), ("collisions", "collisions", 20, collide))


def line(part, counts):
    return f"{part}: " + ", ".join(f"{count} {what}" for what, count in counts.items())


def attack_once(program, seed, counts, tell):
    """What happened, by part, and how often it was wrong; `tell` hears of each part when it is done."""
    happened, wrong = {}, 0
    for option, part, _, do in PARTS:
        if counts[option] <= 0:
            continue
        attack = Attack(program, f"{part} {seed}")
        do(attack, counts[option])
        happened[part] = attack.counts
        wrong += len(attack.wrong)
        tell(line(part, attack.counts))
        if attack.wrong:
            print(f"  with --seed {seed} --{option} {counts[option]}", flush=True)
    return happened, wrong


def attack_for(program, first_seed, counts, minutes):
    """A part of the counts again and again; prints the sums."""
    counts = {option: -(-count // 20) for option, count in counts.items()}
    end = time.monotonic() + 60 * minutes
    totals, wrong, seed = collections.defaultdict(collections.Counter), 0, first_seed
    while time.monotonic() < end:
        happened, found = attack_once(program, seed, counts, lambda text: None)
        for part, numbers in happened.items():
            totals[part].update(numbers)
        wrong, seed = wrong + found, seed + 1
    for part, numbers in totals.items():
        print(line(part, numbers))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    for option, _, standard, _ in PARTS:
        parser.add_argument(f"--{option}", type=int, default=standard)
    arguments = parser.parse_args()
    counts = {option: getattr(arguments, option) for option, *_ in PARTS}
    if arguments.minutes > 0:
        wrong = attack_for(arguments.program, arguments.seed, counts, arguments.minutes)
    else:
        _, wrong = attack_once(arguments.program, arguments.seed, counts,
                               lambda text: print(text, flush=True))
    print(f"{wrong} wrong answers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

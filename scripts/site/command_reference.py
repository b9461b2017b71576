"""The commands of the program, from its own --help: pages for the site and for man.

command_reference.py PROGRAM DIRECTORY writes a man page for every command to the directory.
"""
import pathlib
import re
import subprocess
import sys


def printed(program, *words):
    return subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True).stdout


def commands(program, *above):
    """[(words, help)] of the program and all its commands, each with those below it."""
    text = printed(program, *above)
    found = [(above, text)]
    listed = re.search(r"^Subcommands:\n((?:  .*\n?)+)", text, re.M)
    for name in re.findall(r"^  ([a-z][a-z_0-9]*)\s", listed.group(1), re.M) if listed else []:
        found += commands(program, *above, name)
    return found


def summary(text):
    return text.strip().split("\n")[0].removeprefix("hone: ")


def markdown(program):
    page = "# Commands\n\nWhat `--help` prints, for every command.\n"
    for words, text in commands(program):
        page += f"\n## `{' '.join(['hone', *words])}`\n\n```text\n{text.strip()}\n```\n"
    return page


ROFF = str.maketrans({"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", '"': "\\(dq"})


def roff(text):
    """The same text for man, which takes a line that begins with a dot for an order to itself.

    Long lists without spaces may be broken after a comma.
    """
    return ("\\&" if text.startswith(".") else "") + re.sub(r",(?=\S)", r",\\:", text.translate(ROFF))


def entry(line):
    """A line of a list: what is set in bold, and the explanation if it is on the same line."""
    term, _, rest = line.strip().partition("  ")
    return f".TP\n.B {roff(term)}\n" + (f"{roff(rest.strip())}\n" if rest.strip() else "")


def man_page(words, text, version):
    # No line is stretched to the margin, which one of a long word could not be, and no word is hyphenated.
    name = "-".join(["hone", *words])
    page = (f'.TH {roff(name.upper())} 1 "" "{version}" "User Commands"\n.ad l\n.nh\n.SH NAME\n'
            f"{roff(name)} \\- {roff(summary(text))}\n")
    for line in text.strip().split("\n")[1:]:
        if line.startswith("Usage: "):
            page += f".SH SYNOPSIS\n.B {roff(line.removeprefix('Usage: '))}\n"
        elif re.fullmatch(r"[A-Z].*:", line):
            page += f".SH {roff(line[:-1].upper())}\n"
        elif re.match(r"  \S", line):
            page += entry(line)
        elif line.strip():
            page += roff(line.strip()) + "\n"
    above = "hone" if len(words) < 2 else f"hone\\-{words[0]}"
    return page + (f".SH SEE ALSO\n.BR {above} (1)\n" if words else "")


def main():
    program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    for words, text in commands(program):
        (directory / ("-".join(["hone", *words]) + ".1")).write_text(man_page(words, text, version))


if __name__ == "__main__":
    main()

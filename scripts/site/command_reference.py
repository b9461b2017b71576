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


def man_page(words, text):
    name, version = "-".join(["hone", *words]), ""
    safe = text.strip().replace("\\", "\\e").replace("-", "\\-")
    lines = "\n".join(("\\&" + line) if line[:1] in (".", "'") else line for line in safe.split("\n"))
    shown = name.replace("-", "\\-")
    head = summary(text).replace("\\", "\\e").replace("-", "\\-")
    return (f'.TH "{shown.upper()}" 1 "" "hone {version}" "User Commands"\n.SH NAME\n{shown} \\- {head}\n'
            f".SH DESCRIPTION\n.nf\n{lines}\n.fi\n.SH SEE ALSO\n.BR hone (1)\n")


def main():
    program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    for words, text in commands(program):
        (directory / ("-".join(["hone", *words]) + ".1")).write_text(man_page(words, text))


if __name__ == "__main__":
    main()

"""man_pages_test.py PROGRAM: the man page of every command shows each word of its help text, in order."""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/site"))
import command_reference


def shown(page, columns=200):
    """What a reader of the page sees, and what groff complains about."""
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rHY=0", f"-rLL={columns}n", "-"], input=page,
                          capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def words(text):
    return re.sub(r"[^\w.\"'`\\]+", " ", text.replace("\N{HYPHEN}", "-")).lower().split()


def problems(page, text):
    seen, complaints = shown(page)
    complaints += shown(page, 78)[1]  # as in a terminal of 80 columns
    if complaints:
        yield complaints.strip()
    rest = iter(words(seen))
    for word in words(text):
        if word not in ("hone", "usage") and word not in rest:  # `in` moves the iterator on
            yield f"the word '{word}' is missing, or not in its place"
            return


def main():
    if shutil.which("groff") is None:
        print("groff is not installed")
        sys.exit(77)
    # Controls: a page that loses a line has to be found out.
    good = "Does\n\nUsage: hone run\n\nOptions:\n  --name TEXT    first\n                 ... second 'x' \"y\" \\n\n"
    page = command_reference.man_page(("run",), good, "hone 1")
    assert not list(problems(page, good)), list(problems(page, good))
    assert list(problems(page.replace("\\&...", "..."), good))
    long = "Does\n\nUsage: hone run\n\nOptions:\n  --name TEXT    first\n                 " + "x" * 60 + " " + "y" * 60
    page = command_reference.man_page(("run",), long, "hone 1")
    assert not list(problems(page, long)), list(problems(page, long))
    assert list(problems(page.replace(".ad l\n", ""), long))
    failed = False
    commands = command_reference.commands(sys.argv[1])
    for found, text in commands:
        for problem in problems(command_reference.man_page(found, text, "hone 1"), text):
            print(" ".join(["hone", *found]) + ":", problem)
            failed = True
    sys.exit(1 if failed or len(commands) < 20 else 0)


if __name__ == "__main__":
    main()

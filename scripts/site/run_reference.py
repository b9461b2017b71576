"""The fields of every JSON file of a run, with values of a real one: a page for the site.

run_reference.py PROGRAM fails if docs/run-directory.md and docs/store-format.md leave out a file or a field.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
# Described by pages of their own: every option, and the fields that depend on the kind of a check or prior.
ELSEWHERE = re.compile(r"options\.|simulator\.|checks\[\]\.numbers\.|parameters\[\]\.prior\.|seal\.")


def small_run(program, directory):
    """All kinds of files from one problem in seconds: rounds, a marginal trained later, more budget, a correction."""
    run = f"{directory}/run"
    steps = (["run", "torus", "--budget", "600", "--max-epochs", "3", "--seed", "1", "-o", run],
             ["train", run, "--marginal", "joint"],
             ["resume", run, "--budget", "700"])
    for words in steps:
        subprocess.run([program, *words], check=True, capture_output=True)
    return pathlib.Path(run)


def fields(value, name=""):
    """[(name, example)]: members of objects as a.b, elements of lists as a[], the first one standing for all."""
    if isinstance(value, dict) and value:
        return [one for key, member in value.items() for one in fields(member, f"{name}.{key}" if name else key)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        merged = {key: member for element in reversed(value) for key, member in element.items()}
        return fields(merged, f"{name}[]")
    text = json.dumps(value)
    return [(name, text if len(text) <= 60 else text[:57] + "...")]


def described(run):
    """{place in the run: fields} of its JSON files; of several with the same meaning the first."""
    files = {}
    for path in sorted(run.rglob("*.json")):
        place = str(path.relative_to(run))
        if place.startswith("extended-"):
            continue
        files.setdefault(re.sub(r"\d\d\.json$", "NN.json", place),
                         [one for one in fields(json.loads(path.read_text())) if not ELSEWHERE.match(one[0])])
    return files


def page(program):
    text = ("# Fields of a run's files\n\nEvery JSON file of a finished run of `torus` and every field in it, with the "
            "value it had there; `[]` marks the elements of a list. This page is made by running hone. "
            "[The files of a run](../run-directory.md) explains the fields.\n")
    with tempfile.TemporaryDirectory() as directory:
        for place, rows in described(small_run(program, directory)).items():
            text += f"\n## {place}\n\n| field | for example |\n|---|---|\n"
            text += "".join("| `{}` | `{}` |\n".format(name, example.replace("|", "\\|")) for name, example in rows)
    return text


def unexplained(run, text):
    """Names of files and fields that the text does not have."""
    for path in sorted(run.rglob("*")):
        name = re.sub(r"(0*)[2-9](\.h5|\.json)$", r"\g<1>1\2", path.name)  # shard-000003.h5 is like the first
        if path.is_file() and path.parent.name != "figures" and name not in text:
            yield path.relative_to(run)
    for place, rows in described(run).items():
        for name, _ in rows:
            last = re.findall(r"\w+", name)[-1]
            if not re.search(rf"`[^`\n]*\b{last}\b[^`\n]*`", text):
                yield f"{name} of {place}"


def main():
    text = "".join((DOCS / page).read_text() for page in ("run-directory.md", "store-format.md"))
    with tempfile.TemporaryDirectory() as directory:
        run = small_run(sys.argv[1], directory)
        missing = list(unexplained(run, text))
        # Controls: a field and a file that are not on the pages any more must be missed.
        assert len(list(unexplained(run, text.replace("lost_mass", "")))) > len(missing)
        assert len(list(unexplained(run, text.replace("extensions.json", "")))) > len(missing)
    for one in missing:
        print(f"docs/run-directory.md does not explain {one}")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()

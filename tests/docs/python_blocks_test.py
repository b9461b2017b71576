"""Python in README.md and docs/ stands in blocks that begin with ```python. Every block compiles, and every name in it
is known: built in, imported or assigned in the block or in one before it on the page, or in GIVEN, where the text of the
page says what it is. A page that links to its full script shows lines of this script, which knows the other names.
"""
import ast
import builtins
import re
import symtable
import sys
import textwrap

import examples

# The names that stand for something of the reader's, or that the text explains, by page.
GIVEN = {
    "docs/external-simulators.md": ["simulate"],
    "docs/howto/cluster.md": ["observation", "prior", "simulate"],
    "docs/howto/derived-quantities.md": ["my_function"],
    "docs/howto/predict.md": ["simulate", "times"],
    "docs/howto/shapes.md": ["counts", "observation", "power_spectrum", "prior", "simulate", "sky", "three_numbers"],
    "docs/python.md": ["flux", "places", "simulate", "sky", "spectrum"],
}

BLOCK = re.compile(r"^( *)```python\n(.*?)^\1```$", re.M | re.S)


def scopes(table):
    yield table
    for child in table.get_children():
        yield from scopes(child)


def names_of(code):
    """(names that the block binds at its top level, names that it takes from elsewhere)"""
    top = symtable.symtable(code, "block", "exec")
    bound = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}
    used = {one.get_name() for one in top.get_symbols() if one.is_referenced()}
    for scope in scopes(top):
        used |= {one.get_name() for one in scope.get_symbols() if one.is_global() and one.is_referenced()}
    return bound, used - bound


def unknown_names(blocks, given=()):
    """[(number of the block, what is wrong)] of the blocks of a page."""
    known, wrong = set(dir(builtins)) | set(given), []
    for number, code in enumerate(blocks, 1):
        try:
            bound, free = names_of(code)
        except SyntaxError as error:
            wrong.append((number, f"does not compile: {error}"))
            continue
        wrong += [(number, f"'{name}' is neither imported nor defined") for name in sorted(free - known)]
        known |= bound
    return wrong


def blocks_of(text):
    return [textwrap.dedent(match.group(2)) for match in BLOCK.finditer(text)]


def unfenced(text):
    """Code of indented blocks that is Python."""
    fenced = re.sub(r"^( *)```.*?^\1```$", lambda match: "~\n" * match.group(0).count("\n"), text, flags=re.M | re.S)
    for match in re.finditer(r"^    .*\n(?:(?:    .*)?\n)*?(?=\S|\n\S|\Z)", fenced, flags=re.M):
        code = textwrap.dedent(match.group(0)).strip()
        try:
            parts = list(ast.walk(ast.parse(code)))
        except SyntaxError:
            continue
        if any(isinstance(one, (ast.Call, ast.Import, ast.ImportFrom, ast.FunctionDef)) for one in parts):
            yield code


def script_of(page, text):
    """The text of the script that the page calls its full script; None if there is none."""
    link = re.search(r"full script: \[[^\]]*\]\(([^)]*\.py)\)", text)
    return (page.parent / link.group(1)).read_text() if link else None


def not_in_script(blocks, script):
    """Lines of the blocks that the script does not have."""
    lines = {line.strip() for line in script.splitlines()}
    return [line for code in blocks for line in code.splitlines() if line.strip() not in lines]


def check_the_test():
    """It must be able to fail."""
    assert list(unfenced("a\n\n    f(1)\n\nb\n")) == ["f(1)"]
    assert not list(unfenced("a\n\n```python\n    f(1)\n```\n\n    hone run x\n\nb\n"))
    assert not_in_script(["x = 1\n\n"], "if y:\n    x = 1\n\n") == []
    assert not_in_script(["x = 1\n"], "x = 2\n") == ["x = 1"]
    assert not unknown_names(["import numpy as np\ndef f(a):\n    return np.sin(a + b)\nb = 1\n", "f(np.pi)\n"])
    assert unknown_names(["def f(a):\n    return np.sin(a)\n"]) == [(1, "'np' is neither imported nor defined")]
    assert unknown_names(["[one for one in many]\n"], ["other"])
    assert unknown_names(["f(\n"])[0][1].startswith("does not compile")
    assert blocks_of("a\n\n  ```python\n  x = 1\n  ```\n") == ["x = 1\n"]


def main():
    check_the_test()
    failures = count = 0
    for page in examples.pages():
        name, text = str(page.relative_to(examples.ROOT)), page.read_text()
        blocks = blocks_of(text)
        count += len(blocks)
        given, script = set(GIVEN.get(name, ())), script_of(page, text)
        found = [f"this Python is not in a block of its own, with ```python:\n{code}" for code in unfenced(text)]
        if script is not None:
            found += [f"its full script has no line `{line}`" for line in not_in_script(blocks, script)]
        known = given | (names_of(script)[0] if script else set())
        found += [f"Python block {number}: {wrong}" for number, wrong in unknown_names(blocks, known)]
        used = set().union(*(names_of(code)[1] for code in blocks)) if blocks else set()
        found += [f"no block needs '{left}' of GIVEN" for left in sorted(given - used)]
        failures += len(found)
        for one in found:
            print(f"FAILED: {name}: {one}")
    print(f"{count} blocks of Python, {failures} failures")
    sys.exit(1 if failures or count == 0 else 0)


if __name__ == "__main__":
    main()

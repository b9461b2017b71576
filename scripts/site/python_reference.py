"""The page reference/python.md: every public name of the Python package with its signature and docstring.

Read from the source, so that nothing has to be built for it.
"""
import ast
import pathlib
import re
import textwrap

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "python" / "hone"

# Headings, with the modules whose names stand below; other modules come last.
GROUPS = {
    "Runs": ["start", "run", "_data", "options"],
    "Priors": ["prior", "distributions"],
    "Posteriors and figures": ["posterior", "figure"],
    "Checks": ["checks", "comparison"],
    "Parts of an inference": ["estimator", "store"],
    "Errors": ["errors"],
}


def public_names():
    """{module: names of it that the package exports}, in the order of the imports."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    exported = next(ast.literal_eval(node.value) for node in tree.body
                    if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    names = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            found = [alias.asname or alias.name for alias in node.names if (alias.asname or alias.name) in exported]
            if found:
                names.setdefault(node.module, []).extend(found)
    return names


NO_ARGUMENTS = {"posonlyargs": [], "args": [], "kwonlyargs": [], "kw_defaults": [], "defaults": []}


def single_arguments(arguments):
    """Each argument as an argument list of its own, for a line each."""
    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    for one, default in zip(plain, defaults):
        yield {"args": [one], "defaults": [default] if default else []}
    if arguments.vararg or arguments.kwonlyargs:
        star = arguments.vararg or ast.arg("", None)
        yield {"vararg": star}
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if default is None:
            yield {"args": [one]}
        else:
            yield {"args": [one], "defaults": [default]}
    if arguments.kwarg:
        yield {"kwarg": arguments.kwarg}


def signature(node, name):
    arguments = ast.unparse(node.args)
    arguments = arguments.removeprefix("self, ").removeprefix("cls, ")
    arguments = "" if arguments in ("self", "cls") else arguments
    answer = f" -> {ast.unparse(node.returns)}" if node.returns is not None and name[0].islower() else ""
    text = f"{name}({arguments}){answer}"
    if len(text) <= 90:
        return text
    parts = [ast.unparse(ast.arguments(**{**NO_ARGUMENTS, **one})) for one in single_arguments(node.args)]
    parts = [part for part in parts if part not in ("self", "cls")]
    return f"{name}(\n    " + ",\n    ".join(parts) + f"){answer}"


def prose(text):
    """Docstrings: examples become code blocks, ``code`` becomes `code`."""
    lines, example = [], False
    for line in textwrap.dedent(text or "").strip().replace("``", "`").split("\n"):
        begins = line.lstrip().startswith(">>>")
        # "name: what it is" is about an argument: an item of a list.
        argument = re.match(r"(\*{0,2}[a-z_]+(?:, [a-z_]+)*): (.*)", line)
        if argument and not example:
            lines.append(f"\n- `{argument.group(1)}`: {argument.group(2)}")
            continue
        if begins and not example:
            lines += ["", "```pycon"]
            example = True
        if example and not line.strip():
            lines.append("```")
            example = False
        lines.append(line.strip() if example else line)
    return "\n".join(lines + (["```"] if example else []))


def function(node, name, level):
    return f"\n{'#' * level} `{name}`\n\n```python\n{signature(node, name)}\n```\n\n{prose(ast.get_docstring(node))}\n"


def class_text(node, level):
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    begin = next((one for one in methods if one.name == "__init__"), None)
    head = signature(begin, node.name) if begin else node.name
    text = f"\n{'#' * level} `{node.name}`\n\n```python\n{head}\n```\n\n{prose(ast.get_docstring(node))}\n"
    rows = []
    for method in methods:
        if method.name.startswith("_"):
            continue
        decorators = {ast.unparse(one) for one in method.decorator_list}
        shown = method.name if "property" in decorators else signature(method, method.name)
        first = (ast.get_docstring(method) or "").split("\n\n")[0].replace("\n", " ").replace("``", "`")
        rows.append(f"- `{shown}`" + (f"  \n  {first}" if first else ""))
    return text + ("\n" + "\n".join(rows) + "\n" if rows else "")


def page():
    names = public_names()
    groups = {**GROUPS, "More": [module for module in names
                                 if not any(module in listed for listed in GROUPS.values())]}
    text = "# Python reference\n\nMade from the docstrings; `help(hone.run)` prints the same. " \
           "[Python](../python.md) is the introduction.\n"
    for title, modules in groups.items():
        entries = []
        for module in modules:
            path = PACKAGE / f"{module}.py"
            tree = ast.parse(path.read_text()) if path.exists() else ast.Module([], [])
            for node in tree.body:
                if getattr(node, "name", None) in names.get(module, []):
                    entries.append(class_text(node, 3) if isinstance(node, ast.ClassDef)
                                   else function(node, node.name, 3))
        if entries:
            text += f"\n## {title}\n" + "".join(entries)
    return text

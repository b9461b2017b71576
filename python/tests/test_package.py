"""The package as a whole: names, documentation, types, what it imports."""

import ast
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import hone

TESTS = pathlib.Path(__file__).parent


def test_every_public_name_is_documented_and_tested():
    text = "".join(path.read_text() for path in TESTS.glob("test_*.py"))
    for name in hone.__all__:
        thing = getattr(hone, name)
        assert inspect.getdoc(thing), name
        assert f"hone.{name}" in text or name in ("Interrupted",), name
        if not inspect.isclass(thing):
            continue
        for member, value in vars(thing).items():
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_errors_are_of_the_kinds_python_knows():
    assert issubclass(hone.InputError, (hone.Error, ValueError))
    for kind, base in ((hone.FileError, OSError), (hone.SimulatorError, RuntimeError),
                       (hone.NumericalError, ArithmeticError), (hone.Interrupted, Exception)):
        assert issubclass(kind, base) and issubclass(kind, hone.Error)
    assert issubclass(hone.Density, tuple) and issubclass(hone.Cut, tuple)
    assert hone.__version__.count(".") == 2
    assert isinstance(hone.Posterior, type) and isinstance(hone.RatioEstimator, type)
    assert isinstance(hone.Run, type)


@pytest.mark.parametrize("module", [m.name for m in pkgutil.iter_modules(hone.__path__)])
def test_examples_in_the_documentation_run(module):
    if module == "_core":
        return
    assert doctest.testmod(importlib.import_module(f"hone.{module}")).failed == 0


def test_the_stub_names_what_the_engine_has():
    stub = pathlib.Path(hone.__file__).parent / "_core.pyi"
    tree = ast.parse(stub.read_text())
    named = {node.name: node for node in tree.body
             if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    public = {name for name in vars(hone._core) if not name.startswith("_")} - {"version"}
    assert public == set(named)
    for name, node in named.items():
        if isinstance(node, ast.ClassDef):
            methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            real = {m for m in vars(getattr(hone._core, name)) if not m.startswith("_")}
            assert real == {m for m in methods if not m.startswith("_")}, name
    assert (stub.parent / "py.typed").exists()


def test_importing_needs_numpy_alone():
    heavy = "matplotlib|pandas|scipy|torch|getdist|arviz|h5py"
    code = f"import sys, hone; print([m for m in '{heavy}'.split('|') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_wheel_has_the_version_of_the_engine():
    sys.path.insert(0, str(TESTS.parent))
    try:
        import build_backend
    finally:
        sys.path.pop(0)
    assert build_backend._project()["version"] == hone.__version__
    assert f"Version: {hone.__version__}" in build_backend._metadata()
    assert build_backend.get_requires_for_build_wheel() == []

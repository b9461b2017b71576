"""What `pip install .` calls (PEP 517): builds with CMake and packs the result into a wheel.

Needs nothing but the standard library, so that it works without a network and without build
isolation. The compilers and libraries of scripts/setup must be there. The build tree is
build-pip-<python version>, so that a second installation is quick; HONE_CMAKE_ARGS adds arguments.
"""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "hone"


def _project() -> dict[str, str]:
    """Simple lines of [project]; Python before 3.11 has no TOML reader."""
    values = {}
    for line in (ROOT / "pyproject.toml").read_text().splitlines():
        key, separator, value = line.partition(" = ")
        if separator and value.startswith('"'):
            values.setdefault(key, value.strip('"'))
    return values


def _metadata() -> str:
    project = _project()
    head = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        "Requires-Dist: numpy",
        "Requires-Dist: matplotlib; extra == 'plot'",
        "Provides-Extra: plot",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + (ROOT / "README.md").read_text()


def _tag() -> str:
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _build(target: pathlib.Path) -> None:
    """Configures, compiles and installs the package into `target`."""
    build = ROOT / f"build-pip-{sys.version_info[0]}.{sys.version_info[1]}"
    arguments = [
        "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DHONE_PYTHON_INSTALL_DIR=.",
        f"-DPython3_EXECUTABLE={sys.executable}", *shlex.split(os.environ.get("HONE_CMAKE_ARGS", "")),
    ]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []

    def cmake(*words: str) -> None:
        subprocess.run(["cmake", *words], check=True)

    cmake("-S", str(ROOT), "-B", str(build), *generator, *arguments)
    cmake("--build", str(build), "--target", "hone_python", "--parallel")
    cmake("--install", str(build), "--component", "python", "--prefix", str(target))
    if not (target / NAME).is_dir():
        raise SystemExit("hone: the Python package was not built; CMake says above what is missing "
                         "(scripts/setup installs it on Debian)")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _project()["version"]
    name = f"{NAME}-{version}-{_tag()}.whl"
    stage = pathlib.Path(wheel_directory) / "stage"
    _build(stage)
    information = f"{NAME}-{version}.dist-info"
    files = {str(p.relative_to(stage)): p.read_bytes()
             for p in sorted(stage.rglob("*")) if p.is_file()}
    files[f"{information}/METADATA"] = _metadata().encode()
    files[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {_tag()}\n").encode()
    record = "".join(f"{path},{_hash(content)},{len(content)}\n" for path, content in files.items())
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode()
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    shutil.rmtree(stage)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """What git tracks, and the metadata."""
    version = _project()["version"]
    base = f"{NAME}-{version}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    path = pathlib.Path(sdist_directory) / f"{base}.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(filter(None, listed.stdout.decode().split("\0"))):
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
        information = pathlib.Path(sdist_directory) / "PKG-INFO"
        information.write_text(_metadata())
        archive.add(information, f"{base}/PKG-INFO")
        information.unlink()
    return path.name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def _hash(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}"

"""What `pip install .` calls (PEP 517): builds with CMake and packs the result into a wheel.

Needs nothing but the standard library, so that it works without a network and without build
isolation. The compilers and libraries of scripts/setup must be there. The build tree is
build-pip-<python version>, so that a second installation is quick; HONE_CMAKE_ARGS adds arguments,
HONE_BUILD names another build tree.
With HONE_BUNDLE=1 (`make wheel`) the wheel runs on machines without those libraries (bundle.py).
"""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import shlex
import shutil
import stat
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

from bundle import bundle

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


def _tag(platform: str = "") -> str:
    """One wheel per version of Python: pybind11 cannot keep to the stable interface (abi3)."""
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = platform or sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _build(target: pathlib.Path) -> None:
    """Configures, compiles and installs the package into `target`."""
    build = ROOT / os.environ.get("HONE_BUILD", f"build-pip-{sys.version_info[0]}.{sys.version_info[1]}")
    arguments = [
        "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DHONE_PYTHON_INSTALL_DIR=.",
        f"-DPython3_EXECUTABLE={sys.executable}", *shlex.split(os.environ.get("HONE_CMAKE_ARGS", "")),
    ]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []

    def cmake(*words: str) -> None:
        subprocess.run(["cmake", *words], check=True)

    cmake("-S", str(ROOT), "-B", str(build), *generator, *arguments)
    cmake("--build", str(build), "--target", "hone_python", "hone_program", "--parallel")
    cmake("--install", str(build), "--component", "python", "--prefix", str(target))
    if (target / NAME).is_dir():
        shutil.copy(build / "hone", target / NAME / "program")
        subprocess.run(["strip", str(target / NAME / "program")], check=True)
    if not (target / NAME).is_dir():
        raise SystemExit("hone: the Python package was not built; CMake says above what is missing "
                         "(scripts/setup installs it on Debian)")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _project()["version"]
    stage = pathlib.Path(wheel_directory) / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    _build(stage)
    information = f"{NAME}-{version}.dist-info"
    platform, licences = bundle(stage, NAME) if os.environ.get("HONE_BUNDLE") == "1" else ("", {})
    tag = _tag(platform)
    name = f"{NAME}-{version}-{tag}.whl"
    files = {str(p.relative_to(stage)): p.read_bytes()
             for p in sorted(stage.rglob("*")) if p.is_file()}
    files[f"{information}/METADATA"] = _metadata().encode()
    files[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {tag}\n").encode()
    files[f"{information}/entry_points.txt"] = f"[console_scripts]\nhone = {NAME}._program:main\n".encode()
    files[f"{information}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for file, text in licences.items():
        files[f"{information}/licenses/{file}"] = text
    record = "".join(f"{path},{_hash(content)},{len(content)}\n" for path, content in files.items())
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode()
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)  # with a fixed date: the same files make the same wheel
            # pip keeps the right to execute only of what is marked as a regular file.
            entry.external_attr = (stat.S_IFREG | (0o755 if content.startswith(b"\x7fELF") else 0o644)) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
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

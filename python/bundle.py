"""Makes a wheel self-contained: what `make wheel` adds to `pip wheel .`.

Copies the shared libraries that the program and the extension module need into the package, under
names of their own, so that another package's copy of the same library is never taken for ours (the
loader knows libraries by name). Adds a font, and the licence of everything that is inside. Needs
patchelf and Debian's dpkg.
"""

from __future__ import annotations

import hashlib
import pathlib
import re
import shutil
import subprocess

# Part of every Linux with glibc, as in the manylinux rules; and MPI, which must be the machine's own.
OF_THE_SYSTEM = re.compile(
    r"(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s|libmpi|libopen-.*)\.so\..*")
# Compiled into the program: packages whose licences count although no file of theirs is copied.
COMPILED_IN = ("libxsmm-dev", "libeigen3-dev", "libboost1.74-dev", "librandom123-dev", "nlohmann-json3-dev",
               "libcli11-dev", "pybind11-dev", "libgcc-s1")
FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
FONT_DIRECTORY = pathlib.Path("/usr/share/fonts/truetype/dejavu")
FONT_SETTINGS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">.</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""


def _output(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def _needed(binary: pathlib.Path) -> list[str]:
    return [name for name in _output("patchelf", "--print-needed", str(binary)).split()
            if not OF_THE_SYSTEM.fullmatch(name)]


def _found(binary: pathlib.Path) -> dict[str, pathlib.Path]:
    """Where the loader of this machine finds each library, also the indirect ones."""
    lines = re.findall(r"(\S+) => (/\S+)", _output("ldd", str(binary)))
    return {name: pathlib.Path(path).resolve() for name, path in lines}


def _own_name(name: str, file: pathlib.Path) -> str:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    stem, _, rest = name.partition(".so")
    return f"{stem}-{digest}.so{rest}"


def _copy_libraries(binaries: list[pathlib.Path], target: pathlib.Path) -> list[pathlib.Path]:
    """Copies all that the binaries need, gives it names of its own, and returns the originals."""
    target.mkdir()
    paths: dict[str, pathlib.Path] = {}
    for binary in binaries:
        paths.update(_found(binary))
    waiting, names = [name for binary in binaries for name in _needed(binary)], {}
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names[name] = _own_name(name, paths[name])
        copy = target / names[name]
        shutil.copy(paths[name], copy)
        copy.chmod(0o755)
        waiting += _needed(copy)
    for name, own in names.items():
        _rename(target / own, names, "$ORIGIN", own)
    for binary in binaries:
        steps = "/".join([".."] * (len(binary.relative_to(target.parent).parts) - 1))
        _rename(binary, names, f"$ORIGIN/{steps}/{target.name}")
    return [paths[name] for name in names]


def _rename(binary: pathlib.Path, names: dict[str, str], rpath: str, soname: str = "") -> None:
    # One change a call: patchelf 0.14 mixes up the tables of symbol versions if it gets several.
    changes = [["--replace-needed", name, names[name]] for name in _needed(binary)]
    changes += [["--set-soname", soname]] if soname else []
    for change in [*changes, ["--force-rpath", "--set-rpath", rpath]]:
        subprocess.run(["patchelf", *change, str(binary)], check=True)


def _package_of(file: pathlib.Path) -> str:
    """Debian's package; files may be registered below / instead of /usr."""
    for path in (str(file), str(file).removeprefix("/usr")):
        done = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise SystemExit(f"hone: {file} belongs to no Debian package: its licence is unknown")


def _licences(originals: list[pathlib.Path]) -> dict[str, bytes]:
    packages = {_package_of(file) for file in originals} | set(COMPILED_IN)
    packages.add(_package_of(FONT_DIRECTORY / FONTS[0]))
    common = pathlib.Path("/usr/share/common-licenses")
    texts = {f"{package}.txt": pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes()
             for package in sorted(packages)}
    for text in list(texts.values()):
        for name in set(re.findall(rb"/usr/share/common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])", text)):
            texts[f"common-licenses/{name.decode()}.txt"] = (common / name.decode()).read_bytes()
    return texts


def _glibc(binaries: list[pathlib.Path]) -> tuple[int, int]:
    """The newest version of glibc from which any of them takes a symbol."""
    versions = [(2, 17)]
    for binary in binaries:
        found = re.findall(r"GLIBC_(\d+)\.(\d+)", _output("objdump", "-T", str(binary)))
        versions += [(int(major), int(minor)) for major, minor in found]
    return max(versions)


def bundle(stage: pathlib.Path, package: str) -> tuple[str, dict[str, bytes]]:
    """Completes the tree in `stage`. Returns the platform of the wheel, and the texts of licences."""
    root = stage / package
    binaries = [root / "program", *root.glob("_core*.so")]
    originals = _copy_libraries(binaries, stage / f"{package}.libs")
    (root / "fonts").mkdir()
    for font in FONTS:
        shutil.copy(FONT_DIRECTORY / font, root / "fonts")
    (root / "fonts" / "fonts.conf").write_text(FONT_SETTINGS)
    major, minor = _glibc([*binaries, *(stage / f"{package}.libs").iterdir()])
    machine = _output("uname", "-m").strip()
    return f"manylinux_{major}_{minor}_{machine}", _licences(originals)

"""Makes a wheel self-contained: what `make wheel` adds to `pip wheel .`.

Copies the shared libraries that the program and the extension module need into the package, under
names of their own, so that another package's copy of the same library is never taken for ours (the
loader knows libraries by name). Adds a font, and the licence of everything that is inside. Needs
patchelf, a C compiler and Debian's dpkg.
"""

from __future__ import annotations

import hashlib
import pathlib
import re
import shutil
import subprocess
import tempfile

# Part of every Linux with glibc, as in the manylinux rules; and MPI, which must be the machine's own.
OF_THE_SYSTEM = re.compile(
    r"(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s|libmpi|libopen-.*)\.so\..*")
# HDF5 reads from Amazon's S3 by these, and they bring 20 more libraries, Kerberos and LDAP among them: 12 MB of a
# wheel. hone opens no such file, so that HDF5 gets a library of functions that do nothing instead.
NOT_USED = re.compile(r"lib(curl|crypto)\.so\..*")
MAY_GO_WITHOUT = re.compile(r"libhdf5.*")
# Compiled into the program: packages whose licences count although no file of theirs is copied. libxsmm exists on x86
# only.
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


def stub(name: str, user: pathlib.Path, directory: pathlib.Path) -> pathlib.Path:
    """A library called `name` with all functions that `user` takes from it; they do nothing and return 0.

    To HDF5 0 means that the start of the network went well, and after that that there is no connection.
    """
    if not MAY_GO_WITHOUT.fullmatch(user.name):
        raise SystemExit(f"hone: {user} needs {name}, which only HDF5 may go without (python/bundle.py)")
    listed = _output("objdump", "-p", str(user))
    block = re.search(rf"required from {re.escape(name)}:\n((?:    \S.*\n)+)", listed)
    versions = re.findall(r"(\S+)\n", block.group(1)) if block else []
    symbols = _output("objdump", "-T", str(user))
    code, script = "", ""
    for version in versions:
        functions = re.findall(rf"\*UND\*.*\({re.escape(version)}\) (\w+)\n", symbols)
        code += "".join(f"long {function}(void) {{ return 0; }}\n" for function in functions)
        script += f"{version} {{ global: {'; '.join(functions)}; }};\n"
    (directory / "stub.c").write_text(code)
    (directory / "stub.map").write_text(script)
    file = directory / name
    _output("cc", "-shared", "-fPIC", "-O2", "-s", "-nostdlib", "-fno-builtin", f"-Wl,-soname,{name}",
            f"-Wl,--version-script={directory / 'stub.map'}", str(directory / "stub.c"), "-o", str(file))
    return file


def _copy_libraries(binaries: list[pathlib.Path], target: pathlib.Path) -> list[pathlib.Path]:
    """Copies all that the binaries need, gives it names of its own, and returns the originals."""
    target.mkdir()
    paths: dict[str, pathlib.Path] = {}
    for binary in binaries:
        paths.update(_found(binary))
    waiting, names = [(name, binary) for binary in binaries for name in _needed(binary)], {}
    with tempfile.TemporaryDirectory() as stubs:
        while waiting:
            name, user = waiting.pop()
            not_used = NOT_USED.fullmatch(name)
            if not_used:
                paths[name] = stub(name, user, pathlib.Path(stubs))
            if name in names:
                continue
            names[name] = _own_name(name, paths[name])
            copy = target / names[name]
            shutil.copy(paths[name], copy)
            copy.chmod(0o755)
            waiting += [] if not_used else [(needed, paths[name]) for needed in _needed(copy)]
    for name, own in names.items():
        _rename(target / own, names, "$ORIGIN", own)
    for binary in binaries:
        steps = "/".join([".."] * (len(binary.relative_to(target.parent).parts) - 1))
        _rename(binary, names, f"$ORIGIN/{steps}/{target.name}")
    return [paths[name] for name in names if not NOT_USED.fullmatch(name)]


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


def _copyright(package: str) -> pathlib.Path:
    return pathlib.Path(f"/usr/share/doc/{package}/copyright")


def _compiled_in() -> list[str]:
    return [package for package in COMPILED_IN if package != "libxsmm-dev" or _copyright(package).exists()]


def compiled_in_text() -> str:
    """The licences of what is compiled in, for a package of Debian: compiled-in.txt."""
    text = ("Headers and static libraries of these packages are compiled into hone. What follows are their\n"
            "copyright files, as Debian has them; they speak of all files of a package.\n")
    for package in _compiled_in():
        version = _output("dpkg-query", "-W", "-f", "${Version}", package)
        text += f"\n\n{'=' * 72}\n{package} {version}\n{'=' * 72}\n\n{_copyright(package).read_text(errors='replace')}"
    return text


def _licences(originals: list[pathlib.Path]) -> dict[str, bytes]:
    packages = {_package_of(file) for file in originals} | set(_compiled_in())
    packages.add(_package_of(FONT_DIRECTORY / FONTS[0]))
    common = pathlib.Path("/usr/share/common-licenses")
    texts = {f"{package}.txt": _copyright(package).read_bytes() for package in sorted(packages)}
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


if __name__ == "__main__":
    print(compiled_in_text())  # debian/rules

"""Every program and library that was built, or is installed, finds its libraries in fixed places, and
those that users run are hardened."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader

source, build, cmake, hardened = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
sys.dont_write_bytecode = True
loader = SourceFileLoader("checksec", str(source / "scripts" / "checksec"))
checksec = importlib.util.module_from_spec(importlib.util.spec_from_loader("checksec", loader))
loader.exec_module(checksec)


def check_paths(directory, least):
    found = {file: checksec.facts(file) for file in checksec.binaries([directory])}
    assert len(found) >= least, f"only {len(found)} programs and libraries in {directory}"
    for file, facts in found.items():
        path = facts["library path"]
        assert not checksec.bad_elements(path), f"{file}: library path '{path}'"
    return found


def check_hardened(found):
    for file, facts in found.items():
        assert facts["position"] == "any", f"{file}: at a fixed address"
        assert facts["relro"] == "full", f"{file}: relro {facts['relro']}"
        assert facts["executable stack"] == "no", f"{file}: its stack is executable"
        if file.name != "libhone_mpi.so":  # too small to need them
            assert facts["stack"] == "guarded", f"{file}: stacks are not guarded"
            assert int(facts["fortified"]) > 0, f"{file}: not fortified"


def negative_control(scratch):
    (scratch / "empty.c").write_text("int nothing;\n")
    for path, bad in (("/usr/lib:", 1), (":/usr/lib", 1), ("lib:/usr/lib", 1), ("/usr/lib", 0),
                      ("$ORIGIN/lib", 0)):
        subprocess.run(["cc", "-shared", "-o", scratch / "lib.so", scratch / "empty.c",
                        f"-Wl,-rpath,{path}"], check=True)
        found = checksec.facts(scratch / "lib.so")["library path"]
        assert len(checksec.bad_elements(found)) == bad, f"{path}: {found}"


def main():
    built = check_paths(build, 2)
    users = {f: v for f, v in built.items()
             if f == build / "hone" or f.name.startswith(("libhone_mpi", "_core."))}
    assert build / "hone" in users
    if hardened == "ON":
        check_hardened(users)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        negative_control(scratch)
        prefix = scratch / "prefix"
        subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        installed = check_paths(prefix, 3)  # program, Python module, MPI library
        if hardened == "ON":
            check_hardened(installed)
    print(f"{len(built)} built, {len(installed)} installed")


main()

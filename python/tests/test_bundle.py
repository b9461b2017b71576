"""What `make wheel` puts in place of the libraries by which HDF5 reads from a network (python/bundle.py)."""

import ctypes.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))
import bundle  # noqa: E402

# Opens the library with all its functions, makes a file, and tries to read one from S3.
USE_HDF5 = """
import ctypes, re, sys
lib = ctypes.CDLL(sys.argv[1], mode=2)  # RTLD_NOW: every function must be there
lib.H5Fcreate.restype = lib.H5Pcreate.restype = lib.H5Fopen.restype = ctypes.c_int64
lib.H5Fcreate.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_int64, ctypes.c_int64]
assert lib.H5open() == 0
file = lib.H5Fcreate(b"here.h5", 2, 0, 0)
assert file > 0 and lib.H5Fclose(ctypes.c_int64(file)) == 0
print(*sorted(set(re.findall(r"/(lib(?:curl|crypto|ssl|ldap|krb5)[^/\\n]*)", open("/proc/self/maps").read()))))
"""


@pytest.fixture
def hdf5():
    name = ctypes.util.find_library("hdf5_serial")
    if name is None or shutil.which("cc") is None or shutil.which("objdump") is None:
        pytest.skip("needs Debian's HDF5 and a C compiler")
    listed = subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    return pathlib.Path(re.search(rf"{re.escape(name)} .*=> (\S+)", listed).group(1)).resolve()


def loaded(hdf5, place, **more):
    done = subprocess.run([sys.executable, "-c", USE_HDF5, str(hdf5)], cwd=place, capture_output=True, text=True,
                          env={**os.environ, **more})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def not_used(hdf5):
    listed = subprocess.run(["objdump", "-p", str(hdf5)], check=True, capture_output=True, text=True).stdout
    return [name for name in re.findall(r"NEEDED +(\S+)", listed) if bundle.NOT_USED.fullmatch(name)]


def test_hdf5_works_with_functions_that_do_nothing_in_place_of_the_network(hdf5, tmp_path):
    names = not_used(hdf5)
    if not names:
        pytest.skip("this HDF5 reads from no network")
    for name in names:
        assert bundle.stub(name, hdf5, tmp_path).stat().st_size < 20000
    assert sorted(loaded(hdf5, tmp_path, LD_LIBRARY_PATH=str(tmp_path))) == sorted(names)
    # Control: without them HDF5 brings the real ones, and what those bring.
    assert len(loaded(hdf5, tmp_path)) > len(names)


def test_only_hdf5_may_go_without_the_network(hdf5, tmp_path):
    other = tmp_path / "libother.so.1"
    shutil.copy(hdf5, other)
    with pytest.raises(SystemExit, match="only HDF5 may go without"):
        bundle.stub("libcurl.so.4", other, tmp_path)


def test_the_licences_of_what_is_compiled_in_are_collected():
    if shutil.which("dpkg-query") is None:
        pytest.skip("needs Debian's packages")
    text = bundle.compiled_in_text()
    for package, words in (("libxsmm-dev", "BSD"), ("libeigen3-dev", "MPL-2"), ("nlohmann-json3-dev", "Niels Lohmann"),
                           ("libcli11-dev", "BSD"), ("pybind11-dev", "BSD"), ("librandom123-dev", "D. E. Shaw"),
                           ("libboost", "BSL-1.0")):
        if package == "libxsmm-dev" and not bundle._copyright(package).exists():
            continue
        assert package in text and words in text, package

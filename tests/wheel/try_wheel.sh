#!/bin/sh
# try_wheel.sh PYTHON WHEEL: installs the wheel into a fresh virtual environment and infers something
# there, by the program and from Python. Nothing of the source tree and no library of it may be used.
set -eu
python=$1
wheel=$(readlink -f "$2")
bytes=$(stat -c %s "$wheel")
[ "$bytes" -lt 16000000 ] || { echo "$wheel has $bytes bytes: more than 16 MB"; exit 1; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
"$python" -m venv here
here/bin/pip install --quiet "$wheel"
here/bin/hone --version
here/bin/hone run torus --budget 500 --max-epochs 3 -o run >log
here/bin/hone corner run -o corner.pdf
here/bin/python - <<'PYTHON'
import glob, re, hone
# With the numpy of today, which differs from that of Debian: arrays in both directions.
import numpy
levels = hone.Uniform(0, 1).quantile(numpy.array([0.1, 0.5, 0.9]))
assert numpy.allclose(levels, [0.1, 0.5, 0.9]), (numpy.__version__, levels)
run = hone.run({"a": hone.Uniform(0, 1), "b": hone.Normal(0, 1)}, lambda a, b, rng: [a + b, a - b + rng.normal()],
               [0.5, 0.1], budget=200, max_epochs=3, directory="from_python")
noise = numpy.asarray(run.simulations.x)[:, 1] - numpy.asarray(run.simulations.theta) @ [1, -1]
assert abs(noise.std() - 1) < 4 * (2 * len(noise)) ** -0.5, "the simulations share their noise"
assert run.posterior.sample(10, "a").shape[0] == 10
hone.corner(run.posterior).save("corner.png")
# What is loaded from outside the package must be part of every Linux.
inside = hone.__path__[0].rsplit("/", 1)[0]
maps = set(re.findall(r"(/\S+\.so\S*)", open("/proc/self/maps").read()))
ours = [path for path in maps if "/hone.libs/" in path]
outside = [path for path in maps if re.search(r"/lib(hdf5|cairo|tbb|fmt|tomlplusplus)", path) and path not in ours]
assert len(ours) > 10 and not outside, (ours, outside)
print(hone.__version__, "from Python:", len(ours), "bundled libraries")
PYTHON
[ -s corner.pdf ] && [ -s corner.png ]
echo "the wheel works: $bytes bytes"

#!/bin/sh
# examples/classy without CLASS: what it says then, and with a stand-in whether everything fits.
#   classy.sh EXAMPLE INSTALLED_PREFIX
set -eu
example=$1
PATH=$2/bin:$PATH
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$example"/* "$work"
cd "$work"

if ! python3 -c 'import classy' 2> /dev/null; then
  if python3 spectra.py < /dev/null 2> message; then
    echo "spectra.py works without classy" >&2
    exit 1
  fi
  grep -q 'classy of the Boltzmann code CLASS is not installed' message
  grep -q 'hone run cmb' message
fi

# Positive spectra that know of all parameters.
mkdir stand_in
cat > stand_in/classy.py <<'PYTHON'
class Class:
    def set(self, options):
        assert options["lensing"] == "yes"
        self.p = [options[k] for k in
                  ("omega_b", "omega_cdm", "100*theta_s", "ln10^{10}A_s", "n_s", "tau_reio")]
    def compute(self):
        if self.p[5] < 0:
            raise ValueError("tau < 0")
    def lensed_cl(self, l_max):
        scale = sum(self.p) * 1e-16
        tt = [scale / (1 + ell) ** 2 for ell in range(l_max + 1)]
        return {"tt": tt, "te": [0.1 * v for v in tt], "ee": [0.05 * v for v in tt]}
    def struct_cleanup(self):
        pass
PYTHON
export PYTHONPATH=$work/stand_in
printf '%s\n' '{"id": 3, "theta": [0.0224, 0.12, 1.0411, 3.0753, 0.965, -0.054], "seed": 1}' \
  '{"id": 4, "theta": [0.0224, 0.12, 1.0411, 3.0753, 0.965, 0.054], "seed": 1}' |
  python3 spectra.py > answers
python3 - <<'PYTHON'
import json
refused, answer = [json.loads(line) for line in open("answers")]
assert refused["id"] == 3 and "tau" in refused["error"], refused
assert answer["id"] == 4 and len(answer["x"]) == 7497 and min(answer["x"]) > 0
PYTHON
cc -O2 -Wall -Wextra -Werror -shared -fPIC -o libnoise.so noise.c -lm
python3 spectra.py --fiducial > observation.txt
hone run problem.toml --dry-run

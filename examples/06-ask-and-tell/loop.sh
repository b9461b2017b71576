#!/bin/sh
# Asks, simulates and tells until the run has all it needs.
set -eu
while :; do
  rm -f asked.csv
  hone ask run -n 500 -o asked.csv
  [ -e asked.csv ] || break
  # Here the file would go to the cluster and the results come back a day later.
  awk -f simulate.awk asked.csv > results.csv
  hone tell run results.csv
done

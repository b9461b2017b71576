#!/bin/sh
# Runs the commands in an example's README, in a copy of its folder and with an installed hone, as a
# reader would, then compares the posterior with the exact one.
#   run_example.sh FOLDER PREFIX
set -eu
folder=$1 prefix=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s /usr/bin/python3 "$scratch/bin/python3"  # whatever else is called python3 here
export PATH="$prefix/bin:$scratch/bin:$PATH"
export CPATH="$prefix/include"
# Languages that not every machine has: the example is skipped without them.
for language in Rscript julia; do
  if grep -q "command = \["'"'"$language" "$folder/problem.toml" 2>/dev/null && ! command -v "$language" >/dev/null; then
    echo "$language is not installed"
    exit 77
  fi
done
cp -r "$folder" "$scratch/example"
cd "$scratch/example"
sed -n '/^```sh$/,/^```$/p' README.md | grep -v '^```' > commands.sh
[ -s commands.sh ] || { echo "README.md has no commands"; exit 1; }
sh -eux commands.sh
hone show run --json > facts.json
/usr/bin/python3 "$here/check.py" "$(basename "$folder")"

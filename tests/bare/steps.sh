# Read by the other scripts here. step WORDS COMMAND...: runs a command, says how long it took.
step() {
  words=$1
  shift
  begin=$(date +%s%N)
  "$@" >/root/log 2>&1 || { cat /root/log; echo "failed: $words"; exit 1; }
  took=$((($(date +%s%N) - begin) / 100000000))
  printf '%5d.%d s  %s\n' $((took / 10)) $((took % 10)) "$words"
}

install() { apt-get install -y --no-install-recommends "$@"; }

# no PROGRAM...: what must not be needed is not there.
no() {
  for program in "$@"; do
    if command -v "$program" >/dev/null; then echo "$program is installed: this proves nothing"; exit 1; fi
  done
}

# is FILE WORDS: these words stand at the beginning of the file.
is() {
  head -c 40 "$1" | grep -aq "$2" || { echo "$1 is no $2"; exit 1; }
  echo "           $1: $(stat -c %s "$1") bytes"
}

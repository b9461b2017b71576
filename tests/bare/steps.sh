# Read by the other scripts here. step WORDS COMMAND...: runs a command, says how long it took and how many seconds of
# processors: on a busy machine only these say something about the command.
step() {
  words=$1
  shift
  begin=$(date +%s%N)
  times >/root/times_before
  "$@" >/root/log 2>&1 || { cat /root/log; echo "failed: $words"; exit 1; }
  took=$((($(date +%s%N) - begin) / 100000000))
  times >/root/times
  # The last line of `times`: user and system time of all commands so far, as 0m1.23s 0m0.45s.
  awk -v took=$took -v words="$words" '{ split($1, u, /[ms]/); split($2, s, /[ms]/); all = 60 * (u[1] + s[1]) + u[2] + s[2] }
    FNR == 2 && NR == 2 { before = all }
    END { printf "%6.1f s, of processors %5.1f s  %s\n", took / 10, all - before, words }' \
    /root/times_before /root/times
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
  echo "                             $1: $(stat -c %s "$1") bytes"
}

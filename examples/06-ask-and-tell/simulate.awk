# Velocities of galaxies that recede by Hubble's law and move by themselves.
#   awk -f simulate.awk asked.csv > results.csv
# In: id,seed,hubble,dispersion. Out: id and 16 velocities in km/s.

function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }

BEGIN {
  FS = OFS = ","
  galaxies = split("2 3 4 5 6 7 8 9 10 11 12 14 16 18 20 22", distance, " ")  # Mpc
  printf "id"
  for (i = 1; i <= galaxies; ++i) printf ",v%d", i
  print ""
}
FNR > 1 {
  srand($2 % 2147483647)
  printf "%d", $1
  for (i = 1; i <= galaxies; ++i) printf ",%.3f", $3 * distance[i] + $4 * normal()
  print ""
}

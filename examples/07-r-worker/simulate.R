# A worker in R: reads a line {"id": 7, "theta": [..], "seed": 123}, answers {"id": 7, "x": [..]}.
# Needs nothing but R itself. To use it for your own simulator, change simulate().

simulate <- function(theta, seed) {
  set.seed(seed %% 2147483647)
  reproduction <- theta[1]
  capacity <- theta[2]
  fish <- 20
  counts <- numeric(12)
  for (year in 1:12) {
    fish <- fish * exp(reproduction * (1 - fish / capacity))
    counts[year] <- rpois(1, fish / 4) # every fourth fish is caught
  }
  counts
}

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  number <- function(name) as.numeric(sub(paste0('.*"', name, '": *([0-9]+).*'), "\\1", line))
  theta <- as.numeric(strsplit(sub('.*"theta": *\\[([^]]*)\\].*', "\\1", line), ",")[[1]])
  x <- paste(format(simulate(theta, number("seed")), digits = 15), collapse = ", ")
  cat(sprintf('{"id": %d, "x": [%s]}\n', as.integer(number("id")), x))
  flush(stdout())
}

# A worker in Julia: reads a line {"id": 7, "theta": [..], "seed": 123}, answers {"id": 7, "x": [..]}.
# Needs nothing but Julia itself. To use it for your own simulator, change simulate().
using Random

function poisson(random, mean)  # by multiplication; enough for the small means here
    limit, product, count = exp(-mean), rand(random), 0
    while product > limit
        product *= rand(random)
        count += 1
    end
    count
end

function simulate(theta, seed)
    random = MersenneTwister(seed)
    reproduction, capacity = theta
    fish = 20.0
    map(1:12) do year
        fish *= exp(reproduction * (1 - fish / capacity))
        poisson(random, fish / 4)  # every fourth fish is caught
    end
end

number(name, line) = parse(Int, match(Regex("\"$name\": *([0-9]+)"), line)[1])

for line in eachline(stdin)
    theta = parse.(Float64, split(match(r"\"theta\": *\[([^\]]*)\]", line)[1], ","))
    x = join(simulate(theta, number("seed", line)), ", ")
    println("{\"id\": $(number("id", line)), \"x\": [$x]}")
    flush(stdout)
end

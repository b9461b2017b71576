"""A population that grows, is limited by its food, and depends on the weather of each year."""
import json
import math
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    growth, weather = request["theta"]
    noise = random.Random(request["seed"])
    animals, x = 1.0, []
    for _ in range(30):
        animals *= math.exp(growth * (1 - animals / 10) + weather * noise.gauss(0, 1))
        x.append(animals)
    print(json.dumps({"id": request["id"], "x": x}), flush=True)

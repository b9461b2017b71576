"""A polynomial at 12 places, with noise; as many coefficients as there are parameters."""
import json
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    noise = random.Random(request["seed"])
    places = [-1 + 2 * i / 11 for i in range(12)]
    x = [sum(c * t**k for k, c in enumerate(request["theta"])) + noise.gauss(0, 0.5) for t in places]
    print(json.dumps({"id": request["id"], "x": x}), flush=True)

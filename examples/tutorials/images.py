"""Images: where is the lens, and how strong is it?

A ring of light around an unseen mass, on 16 x 16 pixels with noise. One compression of the image is shared by
the networks of all marginals, and the noise, whose law is known, is drawn anew in every epoch of the training.
"""
import numpy as np

import hone

AXIS = np.linspace(-1, 1, 16)
X, Y = np.meshgrid(AXIS, AXIS)


def ring(x, y, radius):
    """The image without noise."""
    distance = np.hypot(X - x, Y - y)
    return {"sky": np.exp(-0.5 * ((distance - radius) / 0.12) ** 2)}


prior = {"x": hone.Uniform(-0.5, 0.5), "y": hone.Uniform(-0.5, 0.5), "radius": hone.Uniform(0.2, 0.7)}
truth = {"x": 0.1, "y": -0.2, "radius": 0.45}
observation = {"sky": ring(**truth)["sky"] + 0.2 * np.random.default_rng(1).standard_normal(X.shape)}

run = hone.run(prior, ring, observation, data={"sky": "image"}, noise=0.2, budget=2500,
               embedding="mlp", embedding_hidden=[32], embedding_features=8)
print(run.summary())
run.corner(truth=truth).save("images.png")

# The exact posterior: the likelihood on a grid around its peak.
axes = [np.linspace(0.06, 0.14, 33), np.linspace(-0.22, -0.13, 33), np.linspace(0.42, 0.48, 33)]
points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
misfit = np.array([np.sum((observation["sky"] - ring(*point)["sky"]) ** 2) for point in points]) / 0.2**2
weight = np.exp((misfit.min() - misfit) / 2)
weight /= weight.sum()
mean = weight @ points
deviation = np.sqrt(weight @ (points - mean) ** 2)
for i, name in enumerate(prior):
    sample = run.posterior.sample(5000, name)
    print(f"{name}: exact {mean[i]:.4f} +- {deviation[i]:.4f}, hone {sample.mean():.4f} +- {sample.std():.4f}")

# 256 numbers tell the place to a few hundredths; the prior was 0.29 wide (one standard deviation).
assert run.posterior.sample(2000, "x").std() < 0.15

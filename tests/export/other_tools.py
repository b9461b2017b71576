"""other_tools.py PROGRAM: files of samples in every format, opened by the tools they are for.

Means and widths must be those of the plain table of the same draws.
"""
import pathlib
import subprocess
import sys
import tempfile

import arviz
import corner
import getdist
import matplotlib
import numpy as np
import pandas
import xarray

PROGRAM = sys.argv[1]


def main():
    matplotlib.use("Agg")
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)

        def hone(*words):
            subprocess.run([PROGRAM, *words], cwd=directory, check=True, capture_output=True)

        hone("run", "torus", "--budget", "1500", "--max-epochs", "10", "-o", "run")
        for form, file in {"csv": "s.csv", "npy": "s.npy", "npz": "s.npz", "arviz": "s.nc", "getdist": "chain"}.items():
            hone("sample", "run", "--marginal", "theta_0,theta_1", "-n", "4000", "--format", form, "-o", file)

        table = pandas.read_csv(directory / "s.csv")
        mean, width = table.mean().to_numpy(), table.std().to_numpy()

        def same(what, found_mean, found_width):
            np.testing.assert_allclose(found_mean, mean, rtol=1e-4, err_msg=what)
            np.testing.assert_allclose(found_width, width, rtol=1e-2, err_msg=what)
            assert not np.allclose(found_mean, mean + 0.1 * width, rtol=1e-4), "the comparison cannot fail"
            print(f"{what}: mean {np.asarray(found_mean)}, width {np.asarray(found_width)}")

        array = np.load(directory / "s.npy")
        same(f"numpy {np.__version__}, npy", array.mean(axis=0), array.std(axis=0, ddof=1))
        data = arviz.from_netcdf(str(directory / "s.nc"))
        summary = arviz.summary(data, round_to=8)
        same(f"ArviZ {arviz.__version__}", summary["mean"].to_numpy(), summary["sd"].to_numpy())
        posterior = xarray.open_dataset(directory / "s.nc", group="posterior")
        names = list(table.columns)
        same(f"xarray {xarray.__version__}", [float(posterior[n].mean()) for n in names],
             [float(posterior[n].std()) for n in names])
        chain = getdist.loadMCSamples(str(directory / "chain"), no_cache=True)
        same(f"GetDist {getdist.__version__}", chain.getMeans()[:2], np.sqrt(chain.getVars()[:2]))
        file = np.load(directory / "s.npz")
        figure = corner.corner(file["samples"], labels=list(file["labels"]))
        figure.savefig(directory / "corner.png")
        assert (directory / "corner.png").stat().st_size > 10000
        print(f"corner {corner.__version__}: {file['samples'].shape} drawn")


if __name__ == "__main__":
    main()

import numpy as np
import pytest

import hone
from conftest import QUICK, simulate, two_parameters


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    options = {**QUICK, "budget": 1000}
    return [hone.run(two_parameters(), simulate, [0.3, -0.2], directory=folder / name, seed=seed,
                     **options)
            for name, seed in (("first", 1), ("second", 2))]


def test_models_get_probabilities(runs):
    found = hone.models(runs, progress=False)
    assert [one["name"] for one in found["models"]] == ["first", "second"]
    assert sum(one["probability"] for one in found["models"]) == pytest.approx(1)
    np.testing.assert_allclose(np.array(found["log_bayes_factors"]),
                               -np.array(found["log_bayes_factors"]).T)
    weighted = hone.models(runs, prior=[3, 1], progress=False)
    assert weighted["models"][0]["prior"] == pytest.approx(0.75)
    assert weighted["log_bayes_factors"] == found["log_bayes_factors"]


def test_wrong_use_is_refused(runs):
    with pytest.raises(hone.InputError, match="is given twice"):
        hone.models([runs[0], runs[0]])
    with pytest.raises(hone.InputError, match="there are 2 models"):
        hone.models(runs, prior=[1, 2, 3])
    with pytest.raises(hone.InputError, match="declares gaussian or poisson noise"):
        hone.models(runs[0])
    with pytest.raises(TypeError, match="takes runs"):
        hone.models(["runs/first"])

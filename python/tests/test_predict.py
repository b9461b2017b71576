import numpy as np
import pytest

import hone
from conftest import QUICK, simulate, two_parameters


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return hone.run(two_parameters(), simulate, [0.3, -0.2], derived={"sum": "a + b"},
                    density_steps=30, directory=tmp_path_factory.mktemp("runs") / "predict", **QUICK)


@pytest.mark.filterwarnings("ignore:the joint posterior")
def test_all_quantities_are_drawn_together(run):
    theta = run.sample(50, progress=False)
    assert theta.shape == (50, 3)
    np.testing.assert_allclose(theta[:, 2], theta[:, 0] + theta[:, 1])
    assert run.joint_check["status"] in ("pass", "caution", "unclear", "fail")
    np.testing.assert_array_equal(run.sample(50, progress=False), theta)


def test_predictions_are_compared_with_the_observation(run):
    before = len(run.simulations)
    found = run.predict(40, simulate, progress=False)
    assert found["simulations"] == 40 and len(run.simulations) == before
    assert [one["name"] for one in found["statistics"]][:2] == ["distance", "largest deviation"]
    assert all(0 < one["p"] <= 1 for one in found["statistics"])
    assert len(found["columns"]["low_95"]) == 2
    with pytest.raises(hone.InputError, match="needs the simulator"):
        run.predict(40)
    with pytest.raises(hone.InputError, match="did you mean 'prior'"):
        run.predict(40, simulate, source="priors")

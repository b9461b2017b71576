import json
import shutil

import numpy as np
import pytest

import hone
from conftest import QUICK, simulate, two_parameters

pytestmark = pytest.mark.filterwarnings("ignore:the joint posterior")  # of few simulations


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return hone.run(two_parameters(), simulate, [0.3, -0.2], derived={"sum": "a + b"},
                    density_steps=30, directory=tmp_path_factory.mktemp("runs") / "predict", **QUICK)


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


def test_statistics_of_the_user_stand_beside_the_others(run):
    seen = []

    def spread(x):
        seen.append(x.shape)
        return np.ptp(x)

    found = run.predict(40, simulate, statistics={"spread": spread, "sum": np.sum}, progress=False)
    by_name = {one["name"]: one for one in found["statistics"]}
    assert set(seen) == {(2,)} and len(seen) == 41  # and the observation
    assert by_name["spread"]["observed"] == pytest.approx(0.5)
    assert by_name["sum"]["observed"] == pytest.approx(0.1)
    # Of two numbers the mean says the same as the sum; the control says something else.
    assert by_name["sum"]["p"] == by_name["mean"]["p"]
    assert by_name["sum"]["median"] == pytest.approx(2 * by_name["mean"]["median"])
    assert by_name["spread"]["median"] != pytest.approx(2 * by_name["mean"]["median"])


@pytest.mark.parametrize("statistics, words", [
    ({"peak": 3}, "must be a function"),
    ({"peak": lambda x: x}, "must return one number"),
    ({"peak": lambda x: "high"}, "must return one number"),
    ({"peak": lambda x: np.nan}, "'peak': it is nan for"),
    ({"mean": np.mean}, "statistic of this name"),
    ({"": np.mean}, "1 to 100 characters"),
    (np.mean, "functions by name"),
])
def test_statistics_that_are_none_are_refused(run, statistics, words):
    with pytest.raises(hone.InputError, match=words):
        run.predict(40, simulate, statistics=statistics, progress=False)


def test_what_a_statistic_raises_is_raised(run):
    def broken(x):
        raise ZeroDivisionError("of the user")

    with pytest.raises(ZeroDivisionError, match="of the user"):
        run.predict(40, simulate, statistics={"broken": broken}, progress=False)


def with_failed_joint(run, directory):
    """A copy whose joint posterior failed its check."""
    run.predict(20, simulate, anyway=True, progress=False)
    shutil.copytree(run.directory, directory)
    for name in ("run.json", "networks/joint_check.json"):
        facts = json.loads((directory / name).read_text())
        del facts["seal"]
        if name == "run.json":
            facts["format"] = 2  # of the time before seals: nothing says that it was changed
        else:
            facts["check"].update(status="fail", reason="all too narrow")
        (directory / name).write_text(json.dumps(facts))
    with pytest.warns(UserWarning, match="cannot be verified"):
        return hone.open(directory)


def test_a_joint_posterior_that_fails_is_used_only_if_wanted(run, tmp_path):
    failed = with_failed_joint(run, tmp_path / "failed")
    for call in (lambda **more: failed.predict(20, simulate, progress=False, **more),
                 lambda **more: failed.sample(10, progress=False, **more)):
        with pytest.raises(hone.NumericalError, match="fails its check: all too narrow") as refused:
            call()
        assert "set anyway=True" in str(refused.value) and "--" not in str(refused.value)
        with pytest.warns(UserWarning, match="joint posterior: all too narrow"):
            call(anyway=True)
    assert failed.joint_check["status"] == "fail"
    found = failed.predict(20, simulate, source="region", progress=False)  # has no part in it
    assert found["joint_check"] is None

import sys

import pytest

import hone


def test_a_corner_plot_is_drawn_in_every_format(finished, tmp_path):
    figure = finished.corner(truth={"a": 0.3})
    assert isinstance(figure, hone.Figure)
    assert figure.png().startswith(b"\x89PNG") and figure._repr_png_() == figure.png()
    assert "<svg" in figure.svg() and figure.pdf().startswith(b"%PDF")
    for ending in ("png", "svg", "pdf"):
        figure.save(tmp_path / f"corner.{ending}")
        assert (tmp_path / f"corner.{ending}").stat().st_size > 500
    with pytest.raises(hone.InputError, match="must end in"):
        figure.save(tmp_path / "corner.gif")
    assert "hone.Figure" in repr(figure)


def test_a_corner_plot_of_some_parameters_and_of_several_posteriors(finished):
    one = finished.posterior.corner(["b"], titles=False)
    both = hone.corner({"here": finished.posterior, "there": finished.build_posterior([0, 0])})
    assert len(one.svg()) < len(both.svg())


def test_matplotlib_draws_it_where_it_is_installed(finished):
    pytest.importorskip("matplotlib")
    assert len(finished.posterior.plot(["b"]).axes) == 1
    figure = finished.posterior.plot(truth={"a": 0.3})
    assert len(figure.axes) == 4 and "matplotlib.pyplot" not in sys.modules


def test_what_cannot_be_drawn_is_refused_at_once(finished):
    with pytest.raises(hone.InputError, match="c"):
        finished.corner(["c"])
    with pytest.raises(hone.InputError, match="no parameter 'c'"):
        finished.corner(truth={"c": 1})
    with pytest.raises(hone.InputError, match="there is none"):
        hone.corner({})


def test_without_matplotlib_the_reason_is_said(finished, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="needs the package matplotlib"):
        finished.posterior.plot()


def test_labels_with_signs_of_tex_are_formulas():
    from hone.figure import _label

    one = hone.Uniform(0, 1)
    prior = hone.Prior(half_life=one, mass=one, labels={"mass": r"M_\odot [kg]"})
    posterior = type("", (), {"prior": prior, "names": prior.names})
    assert _label(posterior, 0) == "half_life" and _label(posterior, 1) == r"$M_\odot\ [kg]$"

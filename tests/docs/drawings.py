"""Drawings of the pages in docs/ that come from no run: densities, tables of a page as figures, diagrams.

figures.py calls draw(name, file). Needs the package hone of the build tree, and matplotlib.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#777777"


def new(columns, rows, width, height, **more):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    return pyplot.subplots(rows, columns, figsize=(width, height), layout="constrained", **more)


def density(panel, title, prior, low, high):
    import numpy

    x = numpy.linspace(low, high, 801)
    p = numpy.exp(prior.log_prob(x))
    panel.plot(x, p, color=BLUE)
    panel.fill_between(x, p, color=BLUE, alpha=0.2)
    panel.set_title(title, fontsize=9, family="monospace")
    panel.set_ylim(0)
    panel.set_yticks([])


def mass(panel, title, prior, values, names=None):
    import numpy

    panel.bar(names or values, numpy.exp(prior.log_prob(numpy.asarray(values, float))), color=BLUE, width=0.7)
    panel.set_title(title, fontsize=9, family="monospace")
    panel.set_yticks([])


def distributions(figure, panels):
    sys.path.insert(0, str(ROOT / "build/python"))
    import hone

    p = panels.ravel()
    density(p[0], "uniform", hone.Uniform(0, 1), -0.2, 1.2)
    density(p[1], "loguniform", hone.LogUniform(0.1, 10), 0.05, 11)
    density(p[2], "triangular", hone.Triangular(0, 0.3, 1), -0.1, 1.1)
    density(p[3], "beta", hone.Beta(2, 5), 0, 1)
    density(p[4], "tabulated", hone.Tabulated([0, 1, 2, 3, 4], [0.1, 1, 0.3, 0.8, 0]), -0.2, 4.2)
    density(p[5], "normal", hone.Normal(0, 1), -3.5, 3.5)
    density(p[6], "truncated_normal", hone.TruncatedNormal(0, 1, -0.5, 2), -1, 3)
    density(p[7], "lognormal", hone.LogNormal(0, 0.5), 0.01, 4)
    density(p[8], "half_normal", hone.HalfNormal(1), -0.5, 3.5)
    density(p[9], "gamma", hone.Gamma(3, 1), 0.01, 10)
    density(p[10], "exponential", hone.Exponential(1), -0.5, 5)
    density(p[11], "student_t", hone.StudentT(3, 0, 1), -6, 6)
    mass(p[12], "integer", hone.Integer(1, 6), list(range(1, 7)))
    mass(p[13], "poisson", hone.Poisson(4), list(range(13)))
    mass(p[14], "binomial", hone.Binomial(10, 0.3), list(range(11)))
    mass(p[15], "categorical", hone.Categorical({"star": 0.7, "galaxy": 0.3}), [0, 1], ["star", "galaxy"])


def table(page, first):
    """Rows of the table whose first column has this heading."""
    block = re.search(rf"^\| {first} \|.*\n\|[-:| ]+\n((?:\|.*\n)+)", (ROOT / page).read_text(), re.M)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in block.group(1).splitlines()]


def coverage(figure, panels):
    rows = table("docs/benchmarks/coverage.md", "task")[::-1]
    names = [row[0] for row in rows]
    for panel, (lowest, mean, pairs, nominal) in zip(panels, ((2, 4, 6, 0.683), (3, 5, 7, 0.954))):
        panel.axvspan(nominal - 0.02, nominal + 0.02, color="#dddddd", label="nominal ± 0.02")
        panel.axvline(nominal, color=GREY, linewidth=1)
        for column, mark, color, label in ((lowest, "<", ORANGE, "1-d, lowest"), (mean, "o", BLUE, "1-d, mean"),
                                           (pairs, "s", "#56b4e9", "2-d, mean")):
            panel.plot([float(row[column]) for row in rows], range(len(rows)), mark, color=color, markersize=5,
                       label=label)
        panel.set_xlabel(f"coverage of {100 * nominal:.1f} % regions")
        panel.set_yticks(range(len(rows)), names if panel is panels[0] else [""] * len(rows))
    panels[0].set_title(" ", fontsize=14)  # room for the legend
    figure.legend(*panels[0].get_legend_handles_labels(), loc="upper center", ncols=4, frameon=False)


def shapes(figure, panels):
    import numpy

    random = numpy.random.default_rng(3)
    series, image, points = panels
    t = numpy.arange(120)
    smooth = numpy.exp(-0.5 * ((t - 70) / 9) ** 2)
    series.plot(t, smooth + 0.15 * random.standard_normal(120), color=BLUE, linewidth=0.8)
    series.plot(t, smooth, color=ORANGE, linewidth=1.5)
    series.plot([70], [1], "v", color="black", markersize=6)
    series.set_title("series: neighbours belong together;\nthe highest value, and where it is", fontsize=9)
    y, x = numpy.mgrid[:24, :24]
    light = 4 * numpy.exp(-0.5 * ((x - 15) ** 2 + (y - 9) ** 2) / 6) + random.standard_normal((24, 24))
    image.imshow(light, cmap="Blues")
    image.plot([15], [9], "+", color="black", markersize=12)
    image.set_title("image: the same in the plane", fontsize=9)
    cloud = random.multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], 40)
    points.plot(*cloud.T, "o", color=BLUE, markersize=4)
    points.set_title("set: many elements,\nwhose order means nothing", fontsize=9)
    for panel in panels:
        panel.set_xticks([])
        panel.set_yticks([])


def models(figure, panel):
    import numpy

    x = numpy.linspace(-9, 12, 500)
    for width, color, label in ((1, BLUE, "few parameters,\nfew kinds of data"),
                                (2.8, ORANGE, "more parameters,\nmore kinds of data")):
        p = numpy.exp(-0.5 * (x / width) ** 2) / width
        panel.plot(x, p, color=color, label=label)
        panel.fill_between(x, p, color=color, alpha=0.15)
    for place, words, color in ((1, "an observation here:\nthe simple model wins", BLUE), (6.8, "here:\nthe other one", ORANGE)):
        panel.axvline(place, color=GREY, linewidth=1, linestyle="--")
        panel.text(place + 0.15, 0.9, words, color=color, fontsize=8)
    panel.set_xlabel("possible data")
    panel.set_ylabel("p(data | model)")
    panel.set_xticks([])
    panel.set_yticks([])
    panel.set_ylim(0, 1.1)
    panel.legend(frameon=False, loc="upper left", fontsize=8)


def box(panel, x, y, width, words, color):
    from matplotlib.patches import FancyBboxPatch

    panel.add_patch(FancyBboxPatch((x, y), width, 0.5, boxstyle="round,pad=0.03", facecolor=color, edgecolor="black",
                                   linewidth=0.8))
    panel.text(x + width / 2, y + 0.25, words, ha="center", va="center", fontsize=9)


def arrow(panel, start, end, words):
    panel.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "->", "color": "black"})
    panel.text((start[0] + end[0]) / 2, start[1] + 0.06, words, ha="center", va="bottom", fontsize=8,
               family="monospace")


def simulators(figure, panel):
    rows = (("worker", "started once", '{"theta": [0.3, 1.0], ...}', '{"x": [0.1, 0.2, 0.3]}'),
            ("one-shot program", "started for every simulation", "arguments, or a file", "its output, or a file"),
            ("library", "in the same process", "theta, seed", "x"))
    for row, (name, note, there, back) in enumerate(rows):
        y = 2.4 - 1.1 * row
        box(panel, 0, y, 0.9, "hone", "#cfe5f3")
        box(panel, 4, y, 2.2, f"{name}\n{note}", "#fbe3d3")
        arrow(panel, (1, y + 0.38), (3.9, y + 0.38), there)
        arrow(panel, (3.9, y + 0.12), (1, y + 0.12), "")
        panel.text(2.45, y + 0.08, back, ha="center", va="top", fontsize=8, family="monospace")
    panel.set_xlim(-0.1, 6.4)
    panel.set_ylim(-0.1, 3.1)
    panel.axis("off")


# By name: the function that draws, columns and rows of panels, and the size in inches.
DRAWINGS = {
    "distributions": (distributions, 4, 4, 8, 6),
    "coverage": (coverage, 2, 1, 8, 4.2),
    "shapes": (shapes, 3, 1, 8, 2.6),
    "models": (models, 1, 1, 5.5, 2.6),
    "simulators": (simulators, 1, 1, 7, 3.2),
}


def draw(name, file):
    function, columns, rows, width, height = DRAWINGS[name]
    figure, panels = new(columns, rows, width, height)
    function(figure, panels)
    figure.savefig(file, dpi=110)

"""Figures of the pages in docs/, each from the commands that its page shows.

    scripts/figures             runs the program (some minutes) and writes all figures
    scripts/figures check       only those whose name contains a word, here check.png

Drawings that come from no run are in drawings.py.

commands_test.py fails when a figure of docs/figures/pages is not in FIGURES, is on no page or is larger than LIMIT.
The tutorials draw their own figures (examples/tutorials/).
The figure of README.md is drawn by the Python that stands there, with the package of the build tree.
Needs python3-pil, and chromium with chromium-driver for the picture of the report.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import drawings
import python_blocks_test

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
FOLDER = ROOT / "docs/figures/pages"
LIMIT = 100_000  # bytes: a page of documentation opens quickly on a phone

# The runs of the figures; they are made only if a figure asks for them.
RUNS = {
    "": [],
    "torus": ["hone run torus --seed 1 -o torus", "hone report torus --figures png"],
    "decay": ["hone run problem.toml --seed 1 -o decay", "hone predict decay -n 200", "hone report decay --figures png"],
}
# By name: the run (or the page whose Python draws the figure), what is done with it, and the picture that comes out. "screen"
# is the report in a browser, or the figure in a section of it; "drawing" is one of drawings.py.
FIGURES = {
    "readme": ("python README.md", "", "corner.png"),
    "quickstart": ("torus", "hone corner torus --panel 110 -o quickstart.png", "quickstart.png"),
    "ratios": ("torus", "", "torus/figures/ratios.png"),
    "rounds": ("torus", "", "torus/figures/truncation.png"),
    "regions": ("torus", "", "torus/figures/regions.png"),
    "report": ("torus", "", "screen"),
    "check": ("decay", "", "decay/figures/coverage.png"),
    "predict": ("decay", "", "screen predictive"),
    "derived": ("decay", "hone train decay --derived 'nuclei = activity * half_life * 3600 / log(2)'; "
                "hone corner decay --panel 110 -o derived.png", "derived.png"),
    **{name: ("", "", "drawing") for name in drawings.DRAWINGS},
}


def run(commands, directory):
    for command in commands:
        print(command, flush=True)
        subprocess.run([ROOT / "build/hone", *shlex.split(command)[1:]], cwd=directory, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run_python_of(page, directory):
    code = "".join(python_blocks_test.blocks_of((ROOT / page).read_text()))
    subprocess.run([sys.executable, "-c", code], cwd=directory, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT / "build/python")})


def picture_of_report(report, section, file):
    """The first chart of a section; without one what a reader sees of the page first, in a window of usual size."""
    sys.path.insert(0, str(TESTS / "report/browser"))
    import browser

    with browser.Browser() as page:
        page.size(1100, 1200)
        page.color_scheme("light")
        page.open(report.as_uri())
        clip = {}
        if section:
            box = page.run("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                           "return [box.x, box.y + scrollY, box.width, box.height]", f"#{section} svg")
            clip = {"captureBeyondViewport": True, "clip": dict(zip(("x", "y", "width", "height"), box), scale=2)}
        picture = page.devtools("Page.captureScreenshot", **clip)
    file.write_bytes(browser.base64.b64decode(picture["data"]))


def write_small(source, target):
    """A chart has few colours: a palette makes its file a third as large and looks the same."""
    from PIL import Image

    picture = Image.open(source).convert("RGB").quantize(64, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    picture.save(target, optimize=True)
    print(target.relative_to(ROOT), target.stat().st_size, "bytes")
    if target.stat().st_size > LIMIT:
        raise SystemExit(f"{target} is larger than {LIMIT} bytes: draw fewer panels")


def main():
    chosen = {name: figure for name, figure in FIGURES.items() if all(word in name for word in sys.argv[1:])}
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name) / "problem"
        shutil.copytree(ROOT / "examples/01-python-worker", directory)
        for source in sorted({source for source, _, _ in chosen.values()}):
            if source.startswith("python "):
                run_python_of(source.removeprefix("python "), directory)
            else:
                run(RUNS[source], directory)
        for figure, (source, commands, picture) in chosen.items():
            run(filter(None, commands.split("; ")), directory)
            made = directory / picture
            if picture == "drawing":
                made = directory / f"{figure}.png"
                drawings.draw(figure, made)
            elif picture.startswith("screen"):
                picture_of_report(directory / source / "report.html", picture[len("screen "):], made)
            write_small(made, FOLDER / f"{figure}.png")


if __name__ == "__main__":
    main()

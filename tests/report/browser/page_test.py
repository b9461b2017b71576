"""The report of a real run in Chromium: no errors, hover, enlarge, choice of parameters, hostile
labels, desktop and phone."""

import json
import pathlib
import sys
import tempfile

from browser import Browser, check, hone

program, screenshots = sys.argv[1], pathlib.Path(sys.argv[2])
LABEL = "<script>window.hacked = 1</script>"
FEW = ["--budget", "2000", "--max-epochs", "12", "--round-fraction", "0.2"]


# Columns of very different size, and a parameter whose prior is even in its logarithm.
UNITS = """
[simulator]
command = ["python3", "simulate.py"]
[observation]
values = [0.5, 4.2e6]
[[parameters]]
name = "rate"
prior = { kind = "loguniform", low = 1e-4, high = 1 }
[[parameters]]
name = "mass"
prior = { kind = "uniform", low = 0, high = 10 }
"""
SIMULATOR = """
import json, math, random, sys
for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])
    rate, mass = request["theta"]
    x = [math.log10(rate) / 2 + 1.5 + 0.1 * rng.gauss(0, 1), 1e6 * (mass + 0.3 * rng.gauss(0, 1))]
    print(json.dumps({"id": request["id"], "x": x}), flush=True)
"""


def prepare_units(directory):
    (directory / "problem.toml").write_text(UNITS)
    (directory / "simulate.py").write_text(SIMULATOR)
    hone(program, "run", "problem.toml", "-o", "units", *FEW, cwd=directory)
    hone(program, "predict", "units", "-n", "50", "--anyway", cwd=directory)
    hone(program, "report", "units", cwd=directory)
    return directory / "units" / "report.html"


def prepare(directory):
    hone(program, "run", "torus", "-o", "run", *FEW, cwd=directory)
    file = directory / "run" / "run.json"
    run = json.loads(file.read_text())
    run["parameters"][0]["label"] = LABEL
    run["parameters"][1]["label"] = "\\Omega_b h^2"
    run["format"] = 2  # of the time before seals: nothing says that it was changed
    del run["seal"]
    file.write_text(json.dumps(run))
    hone(program, "report", "run", cwd=directory)
    return directory / "run" / "report.html"


def box(browser, selector):
    return browser.run("""
        const element = document.querySelector(arguments[0]);
        element.scrollIntoView({ block: "center", behavior: "instant" });
        const b = element.getBoundingClientRect();
        return [b.left, b.top, b.width, b.height];""", selector)


def panel_center(browser, x, y):
    left, top, width, height = box(browser, f'.panel[data-x="{x}"][data-y="{y}"]')
    return left + width / 2, top + height / 2


def test_text(browser):
    text = browser.run("return document.body.innerText")
    check(LABEL in text, "a label with a script element is shown as text")
    check(browser.run("return window.hacked === undefined"), "... and does not run")
    check("Ω" in text and "2" in text, "labels have Greek letters")
    check(browser.run("return document.querySelector('#verdict').innerText.length > 5"),
          "there is a verdict")
    first = browser.run("return document.querySelector('#top').compareDocumentPosition("
                        "document.querySelector('#report')) & Node.DOCUMENT_POSITION_FOLLOWING")
    check(first, "the verdict comes first")
    for part in ("Posterior", "Parameters", "Rounds and simulations", "Checks", "Training",
                 "Observation", "Settings", "Data"):
        check(part in text, f"the page has the section {part}")
    check("hone run torus --seed 1" in text and "--budget 2000" in text,
          "the page says how to repeat the run")
    check(browser.run("const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
                      "return new Set(ids).size === ids.length"), "ids are unique")
    check(browser.run("return document.compatMode") == "CSS1Compat", "the page is standard HTML")
    check(browser.run("return performance.getEntriesByType('resource')"
                      ".filter(e => !e.name.startsWith('data:')).length") == 0,
          "the page loads nothing")
    csv = browser.run("return decodeURIComponent(document.querySelector("
                      "'a[download=\"summary.csv\"]').href.split(',').slice(1).join(','))")
    check(csv.startswith("parameter,mean,") and len(csv.splitlines()) == 4,
          "the summary can be downloaded")


def test_corner(browser):
    count = "return document.querySelectorAll('.panel').length"
    check(browser.run(count) == 6, "three parameters have six panels")
    browser.pointer(*panel_center(browser, 0, 1))
    tip = browser.run("return document.getElementById('tip').innerText")
    check("region" in tip and "%" in tip, "a pair says its credible level: " + tip)
    browser.pointer(*panel_center(browser, 2, 2))
    tip = browser.run("return document.getElementById('tip').innerText")
    check("below" in tip and "θ" in tip, "a parameter says its value: " + tip)

    browser.pointer(*panel_center(browser, 0, 1), press=True)
    is_open = "return document.getElementById('enlarged').open"
    check(browser.run(is_open), "a click enlarges a panel")
    before = browser.run("return document.getElementById('readout').innerText")
    for _ in range(5):
        browser.key("\ue014")  # arrow right
    after = browser.run("return document.getElementById('readout').innerText")
    check(before != after, f"arrow keys read values: {before} -> {after}")
    browser.screenshot(screenshots / "enlarged.png")
    browser.key("\ue00c")  # escape
    check(not browser.run(is_open), "escape closes it")
    browser.run("document.querySelector('.panel[data-x=\"1\"][data-y=\"1\"]').focus()")
    browser.key("\ue007")  # enter
    check(browser.run(is_open), "enter enlarges the panel that has the focus")
    browser.key("\ue00c")

    browser.run("document.querySelector('.choice input[value=\"1\"]').click()")
    check(browser.run(count) == 3, "without one parameter there are three panels")
    browser.run("document.querySelector('.choice input[value=\"1\"]').click()")
    check(browser.run(count) == 6, "it can be taken back")


def test_widths(browser):
    browser.color_scheme("light")
    browser.whole_page(screenshots / "desktop.png", 1280)
    browser.whole_page(screenshots / "phone.png", 390, phone=True)
    browser.size(390, 844, phone=True)
    wide = browser.run("return document.documentElement.scrollWidth - innerWidth")
    check(wide <= 0, "nothing sticks out on a phone")
    browser.color_scheme("dark")
    dark = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.whole_page(screenshots / "dark.png", 1280)
    browser.color_scheme("light")
    check(dark != browser.run("return getComputedStyle(document.body).backgroundColor"),
          "there is a dark page")


def test_units(browser):
    text = browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; });"
                       "return document.querySelector('#rounds').textContent")
    check("prior CDF" not in text, "axes are in units of the parameters")
    ticks = browser.run("return [...document.querySelectorAll('#rounds svg')].map("
                        "s => [...s.querySelectorAll('text.tick')].map(t => t.textContent))")
    rate = [one for one in ticks if "rate" in one]
    check(len(rate) >= 2, "there are the regions and the ratios of the rate")
    check(all("10⁻²" in one or "0.01" in one for one in rate), f"with ticks of a rate: {rate[0]}")
    # Every column can be seen: its band has a height, whatever the size of the other.
    for place in ("observation", "predictive"):
        check("each column" in browser.run(f"return document.querySelector('#{place}').textContent"),
              f"{place}: says that columns have their own scales")
        heights = browser.run(f"""
            const path = document.querySelector('#{place} svg path').getAttribute('d');
            const points = path.slice(1, -1).split('L').map(p => p.split(' ').map(Number));
            return [0, 1].map(i => Math.abs(points[i][1] - points[points.length - 1 - i][1]));""")
        check(min(heights) > 20, f"{place}: bands of both columns are wide: {heights}")
    check(browser.run("return document.querySelector('#checks').textContent").count(
        "Draws of all parameters together") == 1, "the check of the joint posterior is shown")
    browser.whole_page(screenshots / "units.png", 1280)


with tempfile.TemporaryDirectory() as scratch, Browser() as browser:
    page = prepare(pathlib.Path(scratch))
    browser.open(page.as_uri())
    test_text(browser)
    test_corner(browser)
    test_widths(browser)
    browser.open(prepare_units(pathlib.Path(scratch)).as_uri())
    test_units(browser)
    check(browser.problems() == [], f"the console is empty: {browser.problems()}")

"""Which pages the site has, and where each stands in its navigation.

Pages of the tree that no list names still appear, in the section of their folder: a new how-to, method or
decision needs no line here.
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Section: pages in their order. "folder/*" stands for all pages of the folder that no list names.
SECTIONS = {
    "Start": ["quickstart.md", "tutorials/*"],
    "Simulators": ["problem-file.md", "external-simulators.md", "ask-and-tell.md", "examples/*"],
    "Data": ["howto/own-observation.md", "howto/shapes.md", "howto/long-data.md", "howto/fresh-noise.md"],
    "Inference": ["python.md", "howto/resume.md", "howto/watch.md", "howto/train-another-marginal.md",
                  "howto/derived-quantities.md", "howto/paper-settings.md", "howto/link-into-cpp.md", "howto/*"],
    "Checks": ["howto/check.md", "howto/predict.md", "howto/compare-models.md",
               "howto/compare-samples.md"],
    "Results": ["howto/report.md", "howto/samples.md", "run-directory.md", "store-format.md"],
    "Clusters": ["howto/cluster.md", "howto/scale.md"],
    "Methods": ["methods/README.md", "how-it-works.md", "algorithm.md", "methods/tmnre.md", "methods/mnre.md", "methods/*", "tasks.md"],
    "How good it is": ["comparison.md", "benchmarks/*"],
    "Reference": ["reference/commands.md", "reference/options.md", "reference/distributions.md",
                  "reference/python.md", "reference/cpp.md", "reference/run-files.md", "reference/*", "processors.md",
                  "changes.md"],
    "Developers": ["contributing.md", "map.md", "security.md", "*", "decisions/*"],
}

# Pages that are kept elsewhere in the tree.
MOVED = {
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "README.md": "index.md",
    "src/hone/README.md": "map.md",
    "examples/README.md": "examples/index.md",
    "docs/README.md": "contents.md",
}


def place(path):
    """Where a page of the tree stands on the site; None if it is no page of it."""
    text = str(path)
    if text in MOVED:
        return MOVED[text]
    if text.startswith("docs/"):
        return text.removeprefix("docs/")
    if text.startswith("examples/") and path.name == "README.md":
        return f"examples/{path.parent.name}.md"
    return None


def tree_pages():
    """{path in the tree: path on the site}."""
    found = [ROOT / name for name in MOVED] + sorted((ROOT / "docs").rglob("*.md"))
    found += sorted((ROOT / "examples").glob("*/README.md"))
    relative = [path.relative_to(ROOT) for path in found if path.exists()]
    return {path: place(path) for path in relative}


def titled(page, text):
    """With the title of the page where that has signs of Markdown, which the navigation would show."""
    title = text.split("\n")[0].lstrip("# ")
    return {title.replace("`", ""): page} if "`" in title else page


def navigation(texts):
    """The nav of mkdocs: every page of the site, {path: text}, in one section."""
    pages = list(texts)
    left = [page for page in sorted(pages) if page not in ("index.md", "contents.md")]
    named = {page for entries in SECTIONS.values() for page in entries}
    nav = [{"hone": "index.md"}]
    for section, entries in SECTIONS.items():
        listed = []
        for entry in entries:
            folder = entry.removesuffix("*")
            fits = [page for page in left if page == entry] if "*" not in entry else [
                page for page in left if page not in named and page.startswith(folder)
                and "/" not in page.removeprefix(folder)]
            listed += fits
            left = [page for page in left if page not in fits]
        # A folder's own page stands first.
        listed.sort(key=lambda page: not page.endswith("/index.md"))
        if listed:
            nav.append({section: [titled(page, texts[page]) for page in listed]})
    if left:
        raise SystemExit(f"scripts/site/pages.py: no section takes {left}")
    return nav

"""build.py PROGRAM DIRECTORY: makes the documentation site in DIRECTORY/site, from README.md, docs/, the help
texts of the program, the docstrings of the Python package and the public headers. Needs mkdocs with the theme
material; see `make docs`.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import command_reference
import cpp_reference
import links
import pages
import python_reference
import run_reference

SETTINGS = {
    "site_name": "hone",
    "site_description": "Which parameters could have produced this observation, and how sure can I be?",
    "docs_dir": "pages",
    "site_dir": "site",
    "use_directory_urls": False,  # so that pages open from disk
    "theme": {
        "name": "material",
        "custom_dir": str(pages.ROOT / "scripts/site/theme"),
        "font": False,  # those of the reader's machine; nothing is fetched
        "features": ["navigation.tabs", "navigation.top", "navigation.sections", "search.highlight"],
        "palette": [
            {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "blue grey",
             "toggle": {"icon": "material/weather-night", "name": "Dark"}},
            {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "blue grey",
             "toggle": {"icon": "material/weather-sunny", "name": "Light"}},
        ],
    },
    "markdown_extensions": ["tables", "fenced_code", {"toc": {"permalink": True}}, "pymdownx.highlight",
                            "pymdownx.superfences"],
    "plugins": ["search"],
    "extra_css": ["site.css"],
}


class Site:
    """Copies pages and rewrites their links, which were made for the tree."""

    def __init__(self, directory):
        self.directory = directory
        self.places = pages.tree_pages()

    def write(self, place, text):
        path = self.directory / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def target(self, path):
        """Where a file of the tree is found on the site; it is copied there if it is no page."""
        if path.is_absolute() or not (pages.ROOT / path).exists():
            return None
        if (pages.ROOT / path).is_dir():
            path = path / "README.md"
            if not (pages.ROOT / path).exists():
                return None
        if path in self.places:
            return self.places[path]
        text = str(path)
        place = text.removeprefix("docs/") if text.startswith("docs/") else f"source/{text}"
        (self.directory / place).parent.mkdir(parents=True, exist_ok=True)
        # As text: a page of the source tree has links that were not made for here.
        place += ".txt" if path.suffix == ".md" else ""
        shutil.copy(pages.ROOT / path, self.directory / place)
        return place

    def rewritten(self, page, text):
        place = self.places[page]

        def link(match):
            words, path, anchor = match.groups()
            if re.match(r"[a-z]+:|#", path) or not path:
                return match.group(0)
            wanted = pathlib.Path(os.path.normpath(page.parent / path))
            target = self.target(wanted)
            if target is None:  # the page of a command or of a folder: its words are enough
                return words.strip("[]") if words.startswith("[") else match.group(0)
            relative = os.path.relpath(target, pathlib.Path(place).parent)
            return f"{words}({relative}{anchor or ''})"

        return re.sub(r"(!?\[[^\]]*\])\(([^)#\s]*)(#[^)\s]*)?\)", link, text)

    def copy_pages(self):
        for page, place in self.places.items():
            self.write(place, self.rewritten(page, (pages.ROOT / page).read_text()))


def printed(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def yaml(value, indent=0):
    """Enough of YAML for the settings of mkdocs."""
    blank = "  " * indent
    if isinstance(value, dict):
        return "".join(f"\n{blank}{key}:{yaml(one, indent + 1)}" for key, one in value.items())
    if isinstance(value, list):
        return "".join(f"\n{blank}-{yaml(one, indent + 1)}" for one in value)
    return f" {str(value).lower()}" if isinstance(value, bool) else ' "' + str(value).replace('"', '\\"') + '"'


def main():
    if shutil.which("mkdocs") is None:
        print("mkdocs is not installed (scripts/setup docs does)")
        sys.exit(77)
    program, directory = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    staged = directory / "pages"
    shutil.rmtree(directory, ignore_errors=True)
    site = Site(staged)
    site.copy_pages()
    shutil.copytree(pages.ROOT / "docs/figures", staged / "figures", dirs_exist_ok=True)
    for file in ("site.css", "from_disk.js"):
        shutil.copy(pages.ROOT / "scripts/site" / file, staged)
    site.write("reference/commands.md", command_reference.markdown(program))
    site.write("reference/options.md", printed(program, "options", "--markdown"))
    site.write("reference/run-files.md", run_reference.page(program))
    site.write("reference/python.md", python_reference.page())
    for place, text in cpp_reference.pages().items():
        site.write(place, text)
    listed = [str(path.relative_to(staged)) for path in staged.rglob("*.md")]
    headers = [page for page in listed if page.startswith("reference/cpp/")]
    nav = pages.navigation({page: (staged / page).read_text() for page in listed if page not in headers})
    next(one for one in nav if "Reference" in one)["Reference"].append({"C++ headers": sorted(headers)})
    (directory / "mkdocs.yml").write_text(yaml({**SETTINGS, "nav": nav}).lstrip() + "\n")
    subprocess.run(["mkdocs", "build", "--quiet", "--strict", "-f", str(directory / "mkdocs.yml")], check=True)
    index = directory / "site/search/search_index"
    index.with_suffix(".js").write_text(f"window.search_index = {index.with_suffix('.json').read_text()};\n")
    found, count, number = links.broken(directory / "site")
    for page, link in found:
        print(f"{page}: the link to {link} leads nowhere")
    print(f"{directory}/site/index.html: {number} pages, {count} links, {len(found)} broken")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

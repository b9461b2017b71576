"""docs/README.md has the sections of the site (SECTIONS of scripts/site/pages.py), in the same order, and every page
of the tree is linked in the section where the site has it. Of the examples their common page is enough.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/site"))
import pages  # noqa: E402

CONTENTS = ROOT / "docs/README.md"


def sections_of_site():
    """{section: pages of the tree in it}"""
    places = {place: path for path, place in pages.tree_pages().items()}
    found = {}
    for entry in pages.navigation({place: (ROOT / path).read_text() for place, path in places.items()})[1:]:
        (section, listed), = entry.items()
        names = [next(iter(one.values())) if isinstance(one, dict) else one for one in listed]
        found[section] = {str(places[name]) for name in names
                          if not name.startswith("examples/") or name.endswith("/index.md")}
    return found


def sections_of_contents(text):
    """{section: pages that it links to}"""
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        section, rest = part.split("\n", 1)
        links = re.findall(r"\]\(([^)#\s]+\.md)", rest)
        found[section] = {os.path.relpath(os.path.normpath(CONTENTS.parent / link), ROOT) for link in links}
    return found


def differences(text):
    site, contents = sections_of_site(), sections_of_contents(text)
    if list(site) != list(contents):
        return [f"its sections are {list(contents)}; those of the site are {list(site)}"]
    wrong = []
    for section, wanted in site.items():
        wrong += [f"section {section}: there is no link to {page}" for page in sorted(wanted - contents[section])]
        wrong += [f"section {section}: {page} stands in another section of the site"
                  for page in sorted(contents[section] - wanted)]
    return wrong


def main():
    text = CONTENTS.read_text()
    wrong = differences(text)
    # The test can fail: without a link, and with sections in another order.
    assert differences(text.replace("(howto/check.md)", "(howto/report.md)"))
    assert differences(text.replace("## Data\n", "## Numbers\n"))
    for one in wrong:
        print(f"FAILED: docs/README.md: {one}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

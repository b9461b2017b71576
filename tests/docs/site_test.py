"""site_test.py SITE: the documentation site in a browser, opened from disk, at the widths of a desk and of a phone.

Search answers, no script fails, and no page is wider than its window.
"""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report/browser"))
import browser

PAGES = ("index.html", "quickstart.html", "howto/shapes.html", "reference/options.html", "reference/cpp.html")
SITE = pathlib.Path(sys.argv[1]).resolve()


def answers(page, words):
    """Addresses that search offers for these words."""
    page.run("document.querySelector('#__search').click();"
             "const field = document.querySelector('.md-search__input');"
             "field.focus(); field.value = arguments[0];"
             "field.dispatchEvent(new KeyboardEvent('keyup', {key: 'e'}))", words)
    for _ in range(300):
        if "matching document" in page.run("return document.querySelector('.md-search-result__meta').textContent"):
            return page.run("return [...document.querySelectorAll('.md-search-result__link')].map(link => link.href)")
        time.sleep(0.2)
    raise AssertionError(f"search does not answer: {page.problems()}")


def main():
    if not SITE.exists():
        browser.skip("the site was not built (mkdocs is not installed)")
    with browser.Browser() as page:
        for width, phone in ((1280, False), (390, True)):
            for name in PAGES:
                page.size(width, 844, phone)
                page.open((SITE / name).as_uri())
                wide = page.run("return document.documentElement.scrollWidth")
                assert wide <= width, f"{name} is {wide} pixels wide in a window of {width}"
                assert not page.problems(), f"{name}: {page.problems()}"
        found = answers(page, "truncated_normal")
        assert any("reference/distributions.html" in link for link in found), found
        page.open((SITE / "quickstart.html").as_uri())
        assert not answers(page, "nosuchword")
    print(f"{len(PAGES)} pages at two widths, and search: {found[0]}")


if __name__ == "__main__":
    main()

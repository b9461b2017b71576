"""links.py DIRECTORY: every link and every image of the built site leads somewhere, anchors included."""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def broken(directory):
    """[(page, link)] of the links that lead nowhere."""
    root = pathlib.Path(directory).resolve()
    pages = {path: Page(path.read_text()) for path in root.rglob("*.html")}
    found, count = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = path if not parts.path else (
                root / parts.path.lstrip("/") if parts.path.startswith("/")
                else path.parent / urllib.parse.unquote(parts.path)).resolve()
            if target.is_dir():
                target = target / "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors
                                       and anchor != "__skip"):
                found.append((path.relative_to(root), link))
    return found, count, len(pages)


def main():
    found, count, pages = broken(sys.argv[1])
    for page, link in found:
        print(f"{page}: the link to {link} leads nowhere")
    print(f"{pages} pages, {count} links, {len(found)} broken")
    sys.exit(1 if found or pages == 0 else 0)


if __name__ == "__main__":
    main()

"""The scripts of docs/howto/cluster.md, as they stand on the page."""
import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/howto/cluster.md"


def page_script(name):
    """The indented block after the line that names the script."""
    lines = PAGE.read_text().splitlines()
    begin = lines.index(f"`{name}`:") + 2
    block = []
    for line in lines[begin:]:
        if line and not line.startswith("    "):
            break
        block.append(line[4:])
    return "\n".join(block).rstrip() + "\n"


def write_scripts(directory, *names):
    for name in names:
        (pathlib.Path(directory) / name).write_text(page_script(name))

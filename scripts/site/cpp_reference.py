"""The C++ reference: the public headers, with hone/hone.h as their index.

Headers are written to be read: they say what a thing is, the shapes of arrays and the errors. So a page shows
its header, under a list of what it declares.
"""
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"
DECLARED = re.compile(
    r"^(?:class|struct|enum class|using) (\w+)"
    r"|^(?!return|using|namespace|typedef|friend|static_assert|template|constexpr|class|struct|enum)"
    r"[A-Za-z\[][\w:<>,&*\[\] ]*[&* ](\w+)\(", re.M)


def included(header):
    text = (SOURCE / header).read_text()
    return re.findall(r'^#include "(hone/[^"]+)"', text, re.M)


def public_headers():
    """What the umbrella header includes."""
    return included("hone/hone.h")


def declared(header):
    """Names at the level of the namespace, in their order."""
    names = []
    for match in DECLARED.finditer((SOURCE / header).read_text()):
        name = match.group(1) or match.group(2)
        if name not in names and not name.startswith("HONE_"):
            names.append(name)
    return names


def page_name(header):
    return "reference/cpp/" + header.removeprefix("hone/").replace("/", "-").removesuffix(".h") + ".md"


def header_page(header):
    text = (SOURCE / header).read_text().strip()
    text = re.sub(r"^#pragma once\n+", "", text)
    names = ", ".join(f"`{name}`" for name in declared(header))
    return (f"# {header.removeprefix('hone/')}\n\n`#include \"{header}\"`, or `hone/hone.h` for all.\n\n"
            f"Declares {names or 'nothing of its own'}.\n\n```cpp\n{text}\n```\n")


def pages():
    """{path on the site: text}."""
    headers = public_headers()
    umbrella = (SOURCE / "hone/hone.h").read_text()
    table = re.findall(r"^//   (.+?)\s{2,}(.+)$", umbrella, re.M)
    text = ("# C++ reference\n\n`#include <hone/hone.h>` is all that a program needs "
            "([how to build one](../howto/link-into-cpp.md)). It offers\n\n| | |\n|---|---|\n")
    text += "".join(f"| `{names}` | {what} |\n" for names, what in table)
    text += "\n## Headers\n\n| header | declares |\n|---|---|\n"
    made = {}
    for header in headers:
        link = page_name(header).removeprefix("reference/")
        names = declared(header)
        shown = ", ".join(f"`{name}`" for name in names[:8]) + (", ..." if len(names) > 8 else "")
        text += f"| [{header}]({link}) | {shown} |\n"
        made[page_name(header)] = header_page(header)
    return {"reference/cpp.md": text, **made}

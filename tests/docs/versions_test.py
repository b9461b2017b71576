"""One version and one day of its release everywhere, and Debian's build dependencies are the packages of scripts/setup."""
import email.utils
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

PLACES = {
    "CMakeLists.txt": r"project\(hone VERSION ([\d.]+)",
    "pyproject.toml": r'^version = "([\d.]+)"',
    "debian/changelog": r"^hone \(([\d.]+)\)",
    "CITATION.cff": r"^version: ([\d.]+)",
    "CHANGELOG.md": r"^## ([\d.]+)",
    "src/hone/core/version.h": r'"([\d.]+)"',
}


def main():
    versions = {}
    for place, pattern in PLACES.items():
        found = re.search(pattern, (ROOT / place).read_text(), re.M)
        versions[place] = found.group(1) if found else "none"
    failed = len(set(versions.values())) != 1 or "none" in versions.values()
    if failed:
        print("the version is not the same everywhere:", versions)
    stamp = re.search(r"^ -- .*>  (.*)", (ROOT / "debian/changelog").read_text(), re.M).group(1)
    released = re.search(r'^date-released: "([\d-]+)"', (ROOT / "CITATION.cff").read_text(), re.M).group(1)
    if released != str(email.utils.parsedate_to_datetime(stamp).date()):
        print(f"CITATION.cff: date-released is {released}, but debian/changelog has {stamp}")
        failed = True
    control = (ROOT / "debian/control").read_text()
    depends = set(re.findall(r"[a-z0-9+.-]+", control.split("Build-Depends:")[1].split("\nStandards")[0]))
    listed = subprocess.run([ROOT / "scripts/setup", "--print", "run"], check=True, capture_output=True, text=True)
    # Part of every Debian build, or needed only to start MPI jobs.
    for package in set(listed.stdout.split()) - {"g++", "python3", "openmpi-bin"} - depends:
        print(f"debian/control: Build-Depends lacks {package}")
        failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

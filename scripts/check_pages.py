"""Writes docs/checks from the classes of the checks; `--check` fails where a page is not up to date."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from annotation.checks.pages import documentation

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "checks"


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        stale = stale_pages(FOLDER)
        for fault in stale:
            print(fault)
        return 1 if stale else 0
    wanted = documentation()
    for path in FOLDER.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


def stale_pages(folder: Path) -> list[str]:
    """Return a line for every page that differs from its check, with the way out."""
    wanted = documentation()
    there = {path.name: path.read_text("utf-8") for path in folder.glob("*.md")}
    return [
        f"docs/checks/{name} does not say what its check says. Run make docs and commit the result."
        for name in sorted(wanted.keys() | there.keys())
        if wanted.get(name) != there.get(name)
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

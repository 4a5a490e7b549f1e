"""What the documentation names is there: files, modules, commands, settings, and links to headings."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import rules
from django.core.management import get_commands

from jobs.actions import RUN_TASK

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
FOLDERS = "|".join(sorted(p.name for p in ROOT.iterdir() if p.is_dir() and p.name[0] != "."))
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]*)`")
# Files that a reader is told to make.
NOT_YET = {"languages/kk.py"}
MODULE = re.compile(rf"`((?:{FOLDERS})(?:\.\w+)+)(?:\(.*?\))?`")


def ids(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.fixture(params=PAGES, ids=ids(PAGES))
def page(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_links_lead_to_files_and_headings(page: Path) -> None:
    broken = []
    for name, anchor in LINK.findall(page.read_text("utf-8")):
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{name}#{anchor}")
    assert broken == []


def test_paths_exist(page: Path) -> None:
    named = set(PATH.findall(page.read_text("utf-8"))) - NOT_YET
    assert [path for path in named if not (path.startswith("var/") or (ROOT / path).exists())] == []


def test_modules_hold_what_is_named(page: Path) -> None:
    named = MODULE.findall(page.read_text("utf-8"))
    others = {RUN_TASK, *rules.permissions.permissions}
    assert [n for n in named if not (n in others or is_defined(n) or (ROOT / n).exists())] == []


def test_commands_and_targets_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    commands = set(re.findall(r"manage\.py ([a-z_]+)", text))
    targets = set(re.findall(r"`?\bmake ([a-z]+)(?=`| PORT|\s+#)", text))
    there = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert (commands - set(get_commands()), targets - there) == (set(), set())


def test_settings_are_listed_with_what_they_do(page: Path) -> None:
    listed = "".join((ROOT / name).read_text("utf-8") for name in (".env.example", "compose.yaml"))
    named = set(re.findall(r"LOTSAWA_[A-Z_]+(?=[`=)])", page.read_text("utf-8")))
    named = {name.removesuffix("_FILE") for name in named}
    assert [name for name in named if name not in listed] == []


def test_every_decision_is_listed_by_number_with_its_title() -> None:
    folder = ROOT / "docs" / "adr"
    titles = [(path.name, path.read_text("utf-8").split("\n")[0]) for path in folder.glob("0*.md")]
    listed = re.findall(
        r"^- \[(\d+)\]\((.+)\): (.+)$", (folder / "README.md").read_text(), re.MULTILINE
    )
    assert [(name, f"# {number}: {title}") for number, name, title in listed] == sorted(titles)


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, made as GitHub makes them."""
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    }


def is_defined(name: str) -> bool:
    """Whether `name` is a module, or something that one of our modules defines."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        for path in module_files(ROOT.joinpath(*parts[:length])):
            rest = parts[length:]
            return not rest or bool(re.search(rf"\b{rest[0]}\b", path.read_text("utf-8")))
    return False


def module_files(base: Path) -> Iterator[Path]:
    yield from filter(Path.is_file, (base.with_suffix(".py"), base / "__init__.py"))

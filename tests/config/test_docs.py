"""What the documentation names is there: files, modules, commands, settings, and links to headings."""

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path

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


def test_links_lead_to_files_and_headings() -> None:
    assert faults_of(broken_links) == {}


def test_paths_exist() -> None:
    assert faults_of(missing_paths) == {}


def test_modules_hold_what_is_named() -> None:
    assert faults_of(missing_names) == {}


def test_commands_and_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = set(get_commands())

    def unknown(_page: Path, text: str) -> set[str]:
        named = set(re.findall(r"`?\bmake ([a-z-]+)(?=`| PORT|\s+#)", text))
        return (set(re.findall(r"manage\.py ([a-z_]+)", text)) - commands) | (named - targets)

    assert faults_of(unknown) == {}


def test_settings_are_listed_with_what_they_do() -> None:
    listed = "".join((ROOT / name).read_text("utf-8") for name in (".env.example", "compose.yaml"))

    def unlisted(_page: Path, text: str) -> set[str]:
        named = {
            name.removesuffix("_FILE") for name in re.findall(r"LOTSAWA_[A-Z_]+(?=[`=)])", text)
        }
        return {name for name in named if name not in listed}

    assert faults_of(unlisted) == {}


def test_every_decision_is_listed_by_number_with_its_title() -> None:
    folder = ROOT / "docs" / "adr"
    titles = [(path.name, path.read_text("utf-8").split("\n")[0]) for path in folder.glob("0*.md")]
    listed = re.findall(
        r"^- \[(\d+)\]\((.+)\): (.+)$", (folder / "README.md").read_text(), re.MULTILINE
    )
    assert [(name, f"# {number}: {title}") for number, name, title in listed] == sorted(titles)


def faults_of(find: Callable[[Path, str], Collection[str]]) -> dict[str, Collection[str]]:
    """What `find` objects to, by page; pages without a fault are left out."""
    found = {page: find(page, page.read_text("utf-8")) for page in PAGES}
    return {str(page.relative_to(ROOT)): faults for page, faults in found.items() if faults}


def broken_links(page: Path, text: str) -> list[str]:
    return [
        f"{name}#{anchor}"
        for name, anchor in LINK.findall(text)
        if not (target := page.parent / name if name else page).exists()
        or (anchor and anchor not in anchors(target))
    ]


def missing_paths(_page: Path, text: str) -> list[str]:
    named = set(PATH.findall(text)) - NOT_YET
    return [path for path in named if not (path.startswith("var/") or (ROOT / path).exists())]


def missing_names(_page: Path, text: str) -> list[str]:
    others = {RUN_TASK, *rules.permissions.permissions}
    named = MODULE.findall(text)
    return [n for n in named if not (n in others or is_defined(n) or (ROOT / n).exists())]


@cache
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

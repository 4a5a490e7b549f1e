"""What two databases may do differently is tested on both, and what asks for speed is not in `make test`."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARK = re.compile(r"^pytestmark = .*?\bboth_databases\b", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r"^\s*(?:from|import) ([\w.]+)(?: import ([\w, ]+))?", re.MULTILINE)
# Row locks, moves of a state, SQL of our own, COPY, kept statements, inserts that skip what is there.
SOURCE_DIFFERS = re.compile(
    r"\.cursor\(\)|\.raw\(|RawSQL|select_for_update|\bmove\(|common\.bulk_insert|common\.prepared"
    r"|ignore_conflicts|consistent_transaction|checking_keys_at_once"
)
# Constraints, two people at once, SQL of the test's own.
TEST_DIFFERS = re.compile(
    r"IntegrityError|tests\.races import|\.cursor\(\)|\.vendor\b|MigrationExecutor"
    r"|(?s:threading.*transaction=True|transaction=True.*threading)"
)
ITSELF = "tests/config/test_markers.py"
# Nothing imports these, and every request of a signed-in person runs them.
NAMED_IN_SETTINGS = {"accounts.backends", "accounts.sessions", "accounts.api.authentication"}


def files(*patterns: str) -> list[Path]:
    return [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imported(file: Path) -> frozenset[str]:
    found = set()
    for module, names in IMPORT.findall(file.read_text()):
        found |= {module, *(f"{module}.{name.strip()}" for name in names.split(","))}
    return frozenset(found)


def is_marked(file: Path) -> bool:
    return bool(MARK.search(file.read_text()))


def test_tests_of_what_databases_do_differently_run_on_both() -> None:
    forgotten = [
        name
        for file in files("tests/**/test_*.py")
        if (name := file.relative_to(ROOT).as_posix()) != ITSELF
        and TEST_DIFFERS.search(file.read_text())
        and not is_marked(file)
    ]
    assert not forgotten, "\n".join(forgotten)


def test_every_module_that_databases_run_differently_is_used_by_a_test_on_both() -> None:
    sources = {name_of(file): file for file in files("*/*.py", "*/**/*.py") if is_ours(file)}
    tested = {
        name for file in files("tests/**/test_*.py") if is_marked(file) for name in imported(file)
    }
    reached = tested.union(*(imported(sources[name]) for name in tested if name in sources))
    forgotten = [
        name
        for name, file in sources.items()
        if name not in reached | NAMED_IN_SETTINGS and SOURCE_DIFFERS.search(file.read_text())
    ]
    assert not forgotten, "\n".join(forgotten)


def test_a_bound_in_seconds_is_for_the_slow_tests_alone() -> None:
    timed = [
        name_of(file)
        for file in files("tests/**/test_*.py")
        if imported(file) & {"tests.timing", "tests.test_linear_patterns"}
    ]
    loose = [
        f"{name}.{test}"
        for name in timed
        for test, body in functions_of(name)
        if re.search(r"(least_cpu|is_too_slow)\(", body) and "pytest.mark.slow" not in body
    ]
    assert timed
    assert not loose, "\n".join(loose)


def functions_of(name: str) -> list[tuple[str, str]]:
    """(name, text with its decorators) of each test of a module."""
    text = (ROOT / f"{name.replace('.', '/')}.py").read_text()
    parts = re.split(r"\n\n\n(?=@|def )", text)
    return [
        (found[1], part)
        for part in parts
        if (found := re.search(r"^def (test_\w+)", part, re.MULTILINE))
    ]


def is_ours(file: Path) -> bool:
    """Whether it belongs to an app; migrations run on both before any test."""
    top = file.relative_to(ROOT).parts[0]
    return ((ROOT / top / "apps.py").exists() or top == "config") and "migrations" not in file.parts

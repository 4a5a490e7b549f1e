"""Every regular expression that may meet a user's text takes time in proportion to its length."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import regex

from tests import patterns_built
from tests.timing import least_cpu

APPS = (
    "common languages scoring accounts projects endpoints prompts annotation review releases evaluation config "
    "arena submissions leaderboards jobs notifications webhooks"
).split()
# To import a program changes the process: its umask, its logs. What is shipped runs elsewhere.
PROGRAMS = re.compile(r"\.(migrations|management|settings|shipped|wsgi|celery|worker_app)\b")
# One character in a row, and runs that end in what most patterns do not expect.
UNITS = {
    "letters": "a",
    "digits": "7",
    "blanks": " ",
    "line breaks": "\n",
    "open brackets": "(",
    "pairs of brackets": "()",
    "braces": "{",
    "dashes": "-",
    "pipes": "|",
    "pipes and dashes": "|-",
    "backslashes": "\\",
    "dollars": "$",
    "backticks": "`",
    "dots": ".",
    "commas and digits": "1,",
    "underscores": "_",
    "asterisks": "*",
    "ampersands": "&",
    "lesser": "<",
    "quotes": '"',
    "Tibetan stacks": "སྒྲ",
    "tshegs": "་",
    "ideographs": "一",
    "ideographic digits": "三",
    "label": "A. ",
    "formula": "\\frac{1",
    "tags": "<think>",
    "words": "Reasoning ",
    "comments": "/*",
    "inline formulas": "\\(",
    "displayed formulas": "\\[",
    "marks": "<x ",
    "spans": "<span ",
    "spans with a name": "<span id",
    "numbered spans": '<span id="p1" ',
    "marks without an end": '<x id="p1">',
}
END = "\u2603"
SHORT, LONG = 2_500, 10_000
AT_MOST = 6
MOST_OF_A_PLACE = 12
# Below this nobody waits, and a clock's noise would decide.
SECONDS = 0.002


def patterns() -> dict[str, re.Pattern[str]]:
    """Return every pattern of text that is kept by a module, written in a call or built by a function."""
    found: dict[str, tuple[str, Any]] = {}
    modules = list(_modules())
    for module in modules:
        for name, value in vars(module).items():
            for place, each in _inside(value, f"{module.__name__}.{name}"):
                if isinstance(each.pattern, str):
                    found.setdefault(each.pattern, (place, each))
    for file in source_files():
        for place, each in _written_in(file):
            found.setdefault(each.pattern, (place, each))
    for (name, line), built in patterns_built.built(modules).items():
        # Most differ by the words of the texts alone.
        for pattern in list(built.values())[:MOST_OF_A_PLACE]:
            found.setdefault(pattern.pattern, (f"{name}:{line}", pattern))
    return dict(found.values())


def source_files() -> list[Path]:
    return [
        file
        for app in APPS
        for file in (patterns_built.ROOT / app).rglob("*.py")
        if "migrations" not in file.parts
    ]


def _written_in(file: Path) -> Iterator[tuple[str, Any]]:
    """Yield the patterns that are written as texts in calls such as `re.sub(r"...", ...)`."""
    for call in patterns_built.calls(ast.parse(file.read_text("utf-8"))):
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=library), attr=name),
                args=[ast.Constant(value=str(written)), *rest],
            ):
                flags = [each.value for each in call.keywords if each.arg == "flags"]
                flags += rest[:1] if name == "compile" else []
                place = f"{file.relative_to(patterns_built.ROOT)}:{call.lineno}"
                compiled = patterns_built.LIBRARIES[library].compile
                yield place, compiled(written, _value_of(flags[0]) if flags else 0)


def _value_of(flags: ast.expr) -> Any:
    """The value of flags as they are written, such as `re.DOTALL | re.IGNORECASE`."""
    if isinstance(flags, ast.BinOp):
        return _value_of(flags.left) | _value_of(flags.right)
    assert isinstance(flags, ast.Attribute)
    return (
        getattr(regex, flags.attr)
        if ast.unparse(flags.value) == "regex"
        else getattr(re, flags.attr)
    )


def _modules() -> Iterator[ModuleType]:
    for app in APPS:
        package = importlib.import_module(app)
        yield package
        for info in pkgutil.walk_packages(package.__path__, f"{app}."):
            if not PROGRAMS.search(info.name):
                yield importlib.import_module(info.name)


def _inside(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, re.Pattern | regex.Pattern):
        yield place, value
    elif isinstance(value, type) and value.__module__.partition(".")[0] in APPS:
        yield from _inside(dict(vars(value)), place)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _inside(each, f"{place}[{key!r}]")
    elif isinstance(value, list | tuple | frozenset | set):
        for each in value:
            yield from _inside(each, place)


def is_too_slow(pattern: Any, unit: str) -> bool:
    """Return whether looking for all matches, or for one of the whole text, takes too long."""
    short, long = (unit * (size // len(unit)) + END for size in (SHORT, LONG))
    return any(
        all(_grows(use, short, long, runs) for runs in (1, 5))
        for use in (lambda text: sum(1 for _match in pattern.finditer(text)), pattern.fullmatch)
    )


def _grows(use: Callable[[str], object], short: str, long: str, runs: int) -> bool:
    seconds = least_cpu(lambda: use(long), runs)
    return seconds > SECONDS and seconds > AT_MOST * least_cpu(lambda: use(short), runs)


def test_the_patterns_of_every_app_are_found() -> None:
    places = patterns()
    assert len(places) > 60
    assert {place.split(".")[0] for place in places} >= {"annotation", "scoring", "languages"}


def test_every_place_that_builds_a_pattern_is_tried() -> None:
    files = source_files()
    tried = patterns_built.built(list(_modules()))
    places = patterns_built.places_of_built(files)
    assert {place: code for place, code in places.items() if place not in tried} == {}


def test_no_pattern_comes_in_by_a_way_that_is_not_looked_at() -> None:
    strange = [
        f"{file}: {use}"
        for file in source_files()
        for use in patterns_built.strange_uses(ast.parse(file.read_text("utf-8")))
    ]
    assert strange == []


def test_a_new_pattern_is_found_wherever_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "new.py"
    file.write_text(
        "import re, regex\nfrom re import sub\nimport regex as x\nfind = re.search\n"
        "def f(text, words):\n    return regex.sub('a+b', '', text) or re.findall(words, text)\n"
    )
    tree = ast.parse(file.read_text())
    assert [ast.unparse(call.func) for call in patterns_built.calls(tree)] == [
        "regex.sub",
        "re.findall",
    ]
    assert len(list(patterns_built.strange_uses(tree))) == 3
    assert patterns_built.places_of_built([file], tmp_path) == {
        ("new.py", 6): "re.findall(words, text)"
    }


@pytest.mark.slow
def test_no_pattern_takes_more_than_its_share_of_a_longer_text() -> None:
    slow = [
        f"{place}: {kind}"
        for place, pattern in patterns().items()
        for kind, unit in UNITS.items()
        if is_too_slow(pattern, unit)
    ]
    assert slow == []

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
# Below this nobody waits, and a clock's noise would decide.
SECONDS = 0.002


def patterns() -> dict[str, re.Pattern[str]]:
    """Return every compiled pattern of text that a module of ours keeps, by where it stands."""
    found: dict[str, tuple[str, Any]] = {}
    for module in _modules():
        for name, value in vars(module).items():
            for place, each in _inside(value, f"{module.__name__}.{name}"):
                if isinstance(each.pattern, str):
                    found.setdefault(each.pattern, (place, each))
        for place, each in _written_in(module):
            found.setdefault(each.pattern, (place, each))
    return dict(found.values())


def _written_in(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the patterns that are written as texts in calls such as `re.sub(r"...", ...)`."""
    assert module.__file__
    for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re" | "regex")),
                args=[ast.Constant(value=str(written)), *_],
            ):
                flags = re.DOTALL if "DOTALL" in ast.dump(node) else 0
                yield f"{module.__name__}:{node.lineno}", regex_of(node, written, flags)


def regex_of(node: ast.Call, written: str, flags: int) -> Any:
    library = re if "id='re'" in ast.dump(node.func) else regex
    return library.compile(written, flags)


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


@pytest.mark.slow
def test_no_pattern_takes_more_than_its_share_of_a_longer_text() -> None:
    slow = [
        f"{place}: {kind}"
        for place, pattern in patterns().items()
        for kind, unit in UNITS.items()
        if is_too_slow(pattern, unit)
    ]
    assert slow == []

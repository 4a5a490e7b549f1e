"""The regular expressions that functions build while they work: where each stands, and what was built there."""

import ast
import contextlib
import functools
import inspect
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import regex

from annotation.checks.catalogue import check_text
from annotation.checks.catalogue.base import CheckInput
from annotation.importers.options import parse_options
from annotation.imports.source_script import SourceScript
from annotation.translating.texts import ItemText, Source, Unusable, check_translation
from endpoints.providers.replies import _fault
from languages import LANGUAGES
from languages.base import Language
from languages.option_names import names_options
from languages.spoken_numbers import number_at_start, spoken_numbers
from leaderboards.queries import _is_size
from releases.files.exporters.shipped import scoring as shipped
from review.comments.mentions import split_mentions
from review.selection.degrading import FAULTS, Text, plant
from scoring.error_kinds import error_kind
from scoring.scorers import SCORERS, read_response
from scoring.scorers.base import AskedItem
from scoring.scorers.letters import OptionLetters

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = {"re": re, "regex": regex}
USES = ("compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")
# (source, target) of texts in which further checks look closer.
PAIRS = (
    ("牛肾和猪肾（）含量最高", "which"),
    ("the DNA of AIDS", "D\nNA A\nA. IDS"),
    ("若 x=-y 则 -x+1", "x=y x+1"),
    ("-x", "x"),
    (r"\alpha", "alpha"),
    ("3×4 3:5 ±3 零点五 三点五倍 打八折 三成 一刻钟 第三", "3 times 4 2:5 3 80% 5 སྐར་མ་༣ 5"),
    ("2万 3 m/s 3:5", "ཁྲི་༢ ༣ སྨི :5"),
    ("至少5人", "5"),
    ("下午3点30分 CO2 12月", "xCO2 15:30 7"),
)
MATHS = r"若 x=-y 且 $\frac{1}{2}$,-5 度,sin(x),ABCD-12,3 万 5 千,12 kg,100%,以下 不 正确 的 是"
# Functions that build what their module keeps, where it is found.
AT_IMPORT = {"_tag"}
Place = tuple[str, int]
"""A file below the root, and a line of it."""


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls of `re` and `regex` that take a pattern."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re" | "regex"), attr=name)):
                if name in USES:
                    yield node


def strange_uses(tree: ast.AST) -> Iterator[str]:
    """Yield what brings a pattern in by a way that `calls` does not see."""
    called = [call.func for call in calls(tree)]
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="re" | "regex"):
                yield f"line {node.lineno}: {ast.unparse(node)}"
            case ast.alias(name="re" | "regex", asname=str()):
                yield f"line {node.lineno}: {ast.unparse(node)}"
            case ast.Attribute(value=ast.Name(id="re" | "regex"), attr=name):
                if name in USES and node not in called:
                    yield f"line {node.lineno}: {ast.unparse(node)} without a call"


def places_of_built(files: Iterable[Path], root: Path = ROOT) -> dict[Place, str]:
    """Return where functions use a pattern that is not written out there, with the call."""
    found = {}
    for file in files:
        tree = ast.parse(file.read_text("utf-8"))
        lines = _lines_of_functions(tree)
        for call in calls(tree):
            is_written = not call.args or isinstance(call.args[0], ast.Constant)
            if not is_written and call.lineno in lines:
                found[str(file.relative_to(root)), call.lineno] = ast.unparse(call)
    return found


def _lines_of_functions(tree: ast.AST) -> set[int]:
    """The lines of functions, but for those that run once, while their module is imported."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        or (isinstance(node, ast.FunctionDef) and node.name not in AT_IMPORT)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }


def built(modules: Iterable[ModuleType]) -> dict[Place, dict[str, Any]]:
    """Let everything that reads people's texts work, in every language; return the patterns used, by place."""
    found: dict[Place, dict[str, Any]] = {}
    forget(modules)
    with pytest.MonkeyPatch.context() as patch:
        for library in LIBRARIES.values():
            for name in USES:
                patch.setattr(library, name, _spy(library, name, found))
        for language in LANGUAGES.values():
            _work(language)
        _work_once()
    forget(modules)
    return found


def forget(modules: Iterable[ModuleType]) -> None:
    """Empty what functions keep of earlier calls, so that they build their patterns anew."""
    for module in modules:
        for value in vars(module).values():
            if callable(clear := getattr(value, "cache_clear", None)):
                clear()


def _spy(library: Any, name: str, found: dict[Place, dict[str, Any]]) -> Callable[..., Any]:
    original = getattr(library, name)
    signature = inspect.signature(original)
    compile_ = library.compile

    @functools.wraps(original)
    def spy(*args: Any, **named: Any) -> Any:
        frame = sys._getframe(1)
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(ROOT):
            given = signature.bind(*args, **named).arguments
            pattern = given["pattern"]
            if isinstance(pattern, str):
                pattern = compile_(pattern, given.get("flags", 0))
            place = (str(file.relative_to(ROOT)), frame.f_lineno)
            found.setdefault(place, {}).setdefault(pattern.pattern, pattern)
        return original(*args, **named)

    return spy


def _work(language: Language) -> None:
    """Check, degrade, translate, divide and score a text that has something of everything."""
    words = " ".join((*language.negations, *(language.option_letters or ""), MATHS))
    options = (words, "x=y", "-y", "sin")
    for source in ("zh", "en", language.code):
        for target in (language.code, "zh", "bo"):
            for asked, said in ((words, MATHS), (MATHS, words), *PAIRS):
                check_text(CheckInput(asked, options, "A", said, options, "A", source, target))
    names_options(words, options, language.code)
    SourceScript(language.code)
    number_at_start(words, language)
    spoken_numbers(words, language)
    for fault in FAULTS:
        plant(fault, Text(words, options, 0, language, words, words), random.Random(1))
    parse_options(words, 4, script_letters=language.option_letters)
    text = ItemText(words, options)
    with contextlib.suppress(Unusable):
        check_translation(text, Source(text, "choice", "A", "zh", language.code))
    for count in (4, 10):
        script = language.option_letters if len(language.option_letters) >= count else ""
        asked = AskedItem(OptionLetters(count, script), options, words)
        for scorer in SCORERS.values():
            for said in (words, "A", f"{words} B", "12", "x=y"):
                with contextlib.suppress(ValueError, KeyError):
                    scorer.extract(read_response(said, asked))
    error_kind(words, outcome="no_answer", script=language.script)


def _work_once() -> None:
    split_mentions("@Pema", ["Pema"])
    for wanted in ("7", "B"):
        _is_size(wanted, "7B")
    _fault(frozenset(), "a message of an endpoint")
    shipped.direct("<think>a</think> A", 4)

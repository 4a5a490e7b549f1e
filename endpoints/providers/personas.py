"""What the stand-in endpoint answers: pretend models of set competence and their ways of answering."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from languages import get_language
from languages.letters import LETTERS, letters_of, position_of

TIBETAN = get_language("bo").option_letters
SCRIPT = dict(zip(TIBETAN, LETTERS, strict=True))
OPTION_LINE = re.compile(rf"^[ \t]*\(?([{LETTERS}{TIBETAN}])[.)、།་:]\s*(.*)$")

Known = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Persona:
    """A pretend model: chance to know a told key, and its ways of answering with their shares."""

    competence: float
    ways: tuple[tuple[float, str], ...]


PERSONAS = {
    "stand-in-strong": Persona(
        0.85, ((0.7, "letter"), (0.15, "letter-text"), (0.1, "script"), (0.05, "think"))
    ),
    "stand-in-weak": Persona(
        0.42, ((0.5, "letter"), (0.15, "sentence"), (0.12, "list"), (0.13, "two"), (0.1, "none"))
    ),
    "stand-in-chatty": Persona(
        0.65, ((0.3, "sentence"), (0.3, "think"), (0.2, "list"), (0.15, "script"), (0.05, "none"))
    ),
    "stand-in-judge": Persona(0.75, ((0.8, "letter"), (0.2, "letter-text"))),
}

WAYS: dict[str, Callable[[str, str, str], str]] = {
    "letter": lambda letter, text, letters: letter,
    "letter-text": lambda letter, text, letters: f"{letter}. {text}",
    "script": lambda letter, text, letters: f"ལན་ནི་{script_letter(letter)}།",
    "sentence": lambda letter, text, letters: f"I would say the answer is {letter}.",
    "list": lambda letter, text, letters: f"{', '.join(letters)}: {letter}",
    "think": lambda letter, text, letters: (
        f"<think>It could be {letters[0]} or {letters[-1]}, let me see.</think>\n\n{letter}"
    ),
    "two": lambda letter, text, letters: f"{letters[0]} / {letters[-1]}",
    "none": lambda letter, text, letters: "ངས་མི་ཤེས།",
}


def script_letter(letter: str) -> str:
    """Return the Tibetan letter that stands for the Latin option letter."""
    return TIBETAN[LETTERS.index(letter)]


def read_known(paths: Iterable[Path]) -> Known:
    """Read key files: question text → the right option's texts. Raises ValueError with file and line."""
    rows = [row for path in paths for row in _read_rows(path)]
    keys = {row["uid"]: row["key"] for row in rows if "uid" in row and "key" in row}
    known: Known = {}
    for row in rows:
        key = str(row.get("key") or keys.get(row.get("uid", ""), ""))
        options = row.get("options") or []
        position = position_of(key, len(options))
        if position is not None:
            known.setdefault(squeeze(str(row["question"])), []).append(squeeze(options[position]))
    return known


def _read_rows(path: Path) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            rows.append(row | {"question": row["question"]})
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} line {number}: not a row with a question") from error
    return rows


def squeeze(text: str) -> str:
    """Return `text` with each run of white space as one space."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Asked:
    """The last question of a prompt: its text and its options by Latin letter."""

    question: str
    options: dict[str, str]


def read_prompt(content: str) -> Asked:
    """Take the last run of option lines for the options, and the lines before it for the question."""
    lines = content.splitlines()
    marks = [(at, match) for at, line in enumerate(lines) if (match := OPTION_LINE.match(line))]
    options: dict[str, str] = {}
    first = len(lines)
    for at, match in reversed(marks):
        letter = SCRIPT.get(match[1], match[1])
        if letter in options:
            break
        options[letter] = squeeze(match[2])
        first = at
    return Asked(squeeze("\n".join(lines[:first])), dict(sorted(options.items())))


def find_answer(asked: Asked, known: Known) -> str:
    """Return the letter of the right option as told, or "" when this question was not told."""
    words = asked.question.split(" ")
    for start in range(len(words)):
        for answer in known.get(" ".join(words[start:]), ()):
            for letter, text in asked.options.items():
                if text == answer:
                    return letter
    return ""


def chance(*parts: object) -> float:
    """Return a number in [0, 1) that depends on `parts` alone."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def answer(model: str, content: str, *, seed: object, known: Known) -> str:
    """Return the pretend answer; raises KeyError for a model that is not offered."""
    persona = PERSONAS[model]
    asked = read_prompt(content)
    letters = "".join(asked.options) or letters_of(4)
    right = find_answer(asked, known)
    letter = pick_letter(persona, letters, right, (seed, model, asked.question))
    way = pick_way(persona, chance(seed, model, asked.question, "way"))
    return WAYS[way](letter, asked.options.get(letter, ""), letters)


def pick_letter(persona: Persona, letters: str, right: str, salt: tuple[object, ...]) -> str:
    """Return the right letter with the persona's competence, else any other; untold: any.

    Half of the luck is the question's own, so that the pretend models find the same items hard.
    """
    guess = letters[int(chance(*salt, "guess") * len(letters))]
    if not right:
        return guess
    hardness = 0.5 * chance("hardness", salt[-1]) + 0.5 * chance(*salt, "luck")
    if _triangular(hardness) < persona.competence:
        return right
    others = letters.replace(right, "") or letters
    return others[int(chance(*salt, "guess") * len(others))]


def _triangular(mean_of_two: float) -> float:
    """Return the rank in [0, 1] of a mean of two uniform numbers."""
    low = 0.5
    return 2 * mean_of_two**2 if mean_of_two < low else 1 - 2 * (1 - mean_of_two) ** 2


def pick_way(persona: Persona, luck: float) -> str:
    """Return the way of answering that the share `luck` falls on."""
    reached = 0.0
    for share, way in persona.ways:
        reached += share
        if luck < reached:
            return way
    return persona.ways[-1][1]

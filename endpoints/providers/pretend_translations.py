"""How the stand-in endpoint translates: words of no meaning in the target's letters, and twenty ways to misbehave.

Numbers, formulas and Latin terms stay, so that a text passes the checks of a translation. The same word
always becomes the same pretend word. A persona has its own share of calls in which it misbehaves.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from endpoints.providers.personas import chance
from endpoints.providers.pretend_judgements import explained, opinion, wrong_answers
from languages import get_language

MARK = "Reply with one JSON object of this shape only: "
MISCHIEF: Mapping[str, float] = {
    "stand-in-strong": 0.05,
    "stand-in-chatty": 0.5,
    "stand-in-weak": 0.8,
}
TARGET = re.compile(r"into [^\n]*?\((?:[^()\n]*, )?([a-z]{2,3}(?:-[A-Za-z]+)*)\)")
REVISION = re.compile(r"^(?:A translation of it|Translation \d+): ", re.MULTILINE)
KEPT = re.compile(r"\$[^$]*\$|\\[A-Za-z]+|°[CF]|[A-Za-z]+|[^\W\d_A-Za-z]+")
LATIN = re.compile(r"[A-Za-z]+")
SYLLABLES = 2

Answer = dict[str, Any]


def is_translation(content: str) -> bool:
    """Return whether the last message of a call asks for a step of a translation, or for an opinion of a screen."""
    return MARK in content


def pretend(model: str, messages: list[str], *, seed: object) -> str:
    """Return the pretend answer to a step of a translation or to a screen; now and then one that cannot be used."""
    shape = json.loads(messages[-1].rpartition(MARK)[2].splitlines()[0])
    answer = _answer(shape, messages, (seed, model, *messages))
    good = json.dumps(answer, ensure_ascii=False)
    if chance(seed, model, *messages, "mischief") >= MISCHIEF.get(model, 0.0):
        return good
    ways = list(WAYS.values())
    return ways[int(chance(seed, model, *messages, "way") * len(ways))](answer, good)


def _answer(shape: Answer, messages: list[str], salt: tuple[object, ...]) -> Answer:
    if "confidence" in shape:
        return opinion(shape, salt)
    if shape.keys() == {"answer", "explanation"}:
        return explained(salt)
    if "distractors" in shape:
        return {"distractors": wrong_answers(messages[0], salt)}
    if "scores" in shape or "specificity" in shape:
        return _scored(shape, salt)
    if "ranking" in shape:
        return {"ranking": sorted(shape["ranking"], key=lambda n: chance(*salt, n))}
    target = TARGET.search("\n".join(messages))
    found = translated(_item(messages), target[1] if target else "en")
    return _revised(found) if REVISION.search(messages[-1]) else found


def _scored(shape: Answer, salt: tuple[object, ...]) -> Answer:
    """Return scores of candidates from 1 to 10, or of a prompt by criterion from 1 to 5."""
    if "scores" in shape:
        return {"scores": [1 + int(chance(*salt, n) * 10) for n in shape["scores"]]}
    return {name: 1 + int(chance(*salt, name) * 5) for name in shape}


def _revised(item: Answer) -> Answer:
    """Return a text that a second step made of the first: other in its last sign, so that strategies differ."""
    return {**item, "question": f"{item['question'].rstrip('།?')}།"}


def _item(messages: list[str]) -> Answer:
    """Return the item that is to be translated: the last object on a line of its own of the first prompt."""
    for message in messages:
        lines = [line for line in message.splitlines() if line.startswith('{"question": ')]
        if lines:
            item: Answer = json.loads(lines[-1])
            return item
    return {"question": messages[-1]}


def translated(item: Answer, target: str) -> Answer:
    """Return an item with every text in pretend words of the target language."""
    return {
        name: [pretend_text(text, target) for text in value]
        if isinstance(value, list)
        else pretend_text(value, target)
        for name, value in item.items()
    }


def pretend_text(text: str, target: str) -> str:
    """Return a text with its words replaced; numbers, formulas and Latin terms stay."""
    keeps_latin = bool(re.search(r"[^\W\d_]", LATIN.sub("", text)))

    def word(match: re.Match[str]) -> str:
        found = match[0]
        is_word = found.isalpha() and not (keeps_latin and LATIN.fullmatch(found))
        return pretend_word(found, target) if is_word else found

    return KEPT.sub(word, text)


def pretend_word(word: str, target: str) -> str:
    """Return a word of the target's letters that depends on `word` alone."""
    language = get_language(target)
    own = "".join(char for char in language.name if char.isalpha())
    letters = language.option_letters or "".join(dict.fromkeys(own)) or "abcdefg"
    joint = "་" if language.segmentation == "tsheg" else ""
    count = SYLLABLES + len(word) // 4
    pairs = [
        "".join(letters[int(chance(word, n, side) * len(letters))] for side in "ab")
        for n in range(count)
    ]
    return joint.join(pairs)


def _changed(answer: Answer, **changes: Any) -> str:
    return json.dumps({**answer, **changes}, ensure_ascii=False)


def _first_options(answer: Answer, count: int) -> str:
    return _changed(answer, options=answer.get("options", [])[:count])


WAYS: Mapping[str, Callable[[Answer, str], str]] = {
    "fences": lambda answer, good: f"```json\n{good}\n```",
    "words before": lambda answer, good: f"Here is the JSON:\n{good}",
    "words after": lambda answer, good: f"{good}\nI hope that this helps.",
    "thoughts": lambda answer, good: f"<think>Let me see: {{}}</think>{good}",
    "single quotes": lambda answer, good: str(answer),
    "trailing comma": lambda answer, good: f"{good[:-1]},}}",
    "new lines": lambda answer, good: json.dumps(answer, ensure_ascii=False, indent=2),
    "no closing brace": lambda answer, good: good[:-1],
    "nothing": lambda answer, good: "",
    "refusal": lambda answer, good: "I cannot help with that.",
    "half": lambda answer, good: good[: len(good) // 2],
    "a list": lambda answer, good: json.dumps(list(answer.values()), ensure_ascii=False),
    "fewer options": lambda answer, good: _first_options(answer, 2),
    "no options": lambda answer, good: _first_options(answer, 0),
    "other names": lambda answer, good: json.dumps({"text": good}),
    "empty question": lambda answer, good: _changed(answer, question=" "),
    "labels": lambda answer, good: _changed(
        answer, options=[f"{'ABCDEFGHIJ'[n % 10]}. {o}" for n, o in enumerate(answer.get("options", []))]
    ),
    "other script": lambda answer, good: _changed(
        answer, question="This is the question", options=["in another", "script than", "was", "asked"]
    ),
    "a number too many": lambda answer, good: _changed(
        answer, question=f"{answer.get('question', '')} 4711"
    ),
    "numbers for texts": lambda answer, good: _changed(answer, question=None, scores="high"),
}  # fmt: skip

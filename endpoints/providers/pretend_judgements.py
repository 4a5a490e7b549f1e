"""What the stand-in endpoint writes where nothing is known: open answers, verdicts in an arena, opinions of screens.

An open answer says more the more competent its persona is, and judges mildly prefer answers that say more. So a
pretend arena has a ranking, without anything being known of the question.
"""

import json
import re
from typing import Any, Final

from endpoints.providers.personas import PERSONAS, chance, read_prompt

VERDICT_LINE: Final = "[[A>>B]] if answer A is much better"
COMPARISON_LINE: Final = "[[NOT_ATTEMPTED]]"
ANSWER: Final = re.compile(r"<answer ([AB])>\n(.*?)\n</answer \1>", re.DOTALL)
SENTENCE_END: Final = re.compile(r"[.།]\s*")
REMARKS: Final = (
    "It depends on when and where one asks.",
    "People who do it every day say that practice counts most.",
    "The usual reason is that it saves time and work.",
    "One example is not enough to be sure of it.",
    "On the other side, it costs something too.",
)
LONGEST_ECHO: Final = 60
PULL, LEAN = 0.25, 0.1
"""How much a sentence more is worth to a judge, and how much the first place is worth to a weak one."""
MUCH, SOME = 0.75, 0.2
DOUBTED: Final = 0.15


def is_open(turns: list[str]) -> bool:
    """Return whether a call asks an open-ended question: one message without options."""
    return len(turns) == 1 and not read_prompt(turns[0]).options


def open_answer(model: str, question: str, *, seed: object) -> str:
    """Return a few sentences of no meaning, more of them from a more competent persona."""
    salt = (seed, model, question)
    wanted = round(len(REMARKS) * (PERSONAS[model].competence + chance(*salt, "count") - 0.5))
    count = min(max(wanted, 1), len(REMARKS))
    order = sorted(REMARKS, key=lambda remark: chance(*salt, remark))
    return " ".join([f"This is a pretend answer to “{question[:LONGEST_ECHO]}”.", *order[:count]])


def is_battle(content: str) -> bool:
    """Return whether a message asks a judge for the verdict of a battle in an arena."""
    return VERDICT_LINE in content


def is_comparison(content: str) -> bool:
    """Return whether a message asks a judge to compare a response with a reference."""
    return COMPARISON_LINE in content


def agreement(content: str) -> str:
    """Return a judge's reply: whether a line of the reference stands in the response."""
    reference, response = (_part(content, name) for name in ("reference answer", "response"))
    is_there = any(line.strip() in response for line in reference.splitlines() if line.strip())
    return (
        f"A pretend judge looked for the reference.\n[[{'CORRECT' if is_there else 'INCORRECT'}]]"
    )


def verdict(model: str, content: str, *, seed: object) -> str:
    """Return a judgement that ends in one verdict, the same of a pair in both orders but for a lean to the first."""
    sides = [text for _letter, text in ANSWER.findall(content)[-2:]]
    first, second = [*sides, "", ""][:2]
    low, high = sorted((first, second))
    taste = 2 * chance(seed, model, low, high, "taste") - 1
    score = PULL * (_sentences(first) - _sentences(second))
    score += (taste if first == low else -taste) + LEAN * (1 - PERSONAS[model].competence)
    return f"A pretend judge compared the two answers.\n{_mark(score)}"


def opinion(shape: dict[str, Any], salt: tuple[object, ...]) -> dict[str, Any]:
    """Return an opinion in the shape that a screen asks for; most items are fine."""
    is_doubt = chance(*salt, "doubt") < DOUBTED
    confidence = round(0.5 + chance(*salt, "confidence") / 2, 2)
    rest = {"confidence": confidence, "reason": "A pretend opinion: nothing was read."}
    if "verdict" not in shape:
        letters = ["A", "B"] if is_doubt else ["AB"[int(chance(*salt, "letter") * 2)]]
        return {"options": letters, **rest}
    kinds = {"kinds": shape["kinds"][: 1 if is_doubt else 0]} if "kinds" in shape else {}
    return {"verdict": "problem" if is_doubt else "fine", **kinds, **rest}


def explained(salt: tuple[object, ...]) -> dict[str, Any]:
    """Return a letter and why, in words of no meaning."""
    letter = "AB"[int(chance(*salt, "letter") * 2)]
    return {"answer": letter, "explanation": "A pretend explanation: nothing was read."}


def wrong_answers(content: str, salt: tuple[object, ...]) -> list[str]:
    """Return three answers that are as long as the right one: its number changed, or its letters in another order."""
    line = content.rpartition("The pair: ")[2].splitlines()[0]
    answer: str = json.loads(line)["answer"]
    return [_wrong(answer, n, salt) for n in range(1, 4)]


def _wrong(answer: str, n: int, salt: tuple[object, ...]) -> str:
    if answer.isdecimal():
        return str(int(answer) + n)
    places = sorted(range(len(answer)), key=lambda place: chance(*salt, n, place))
    return f"{''.join(answer[place] for place in places)}{n}"


def _part(content: str, name: str) -> str:
    """Return what stands between the last tags of a name."""
    return content.rpartition(f"<{name}>\n")[2].partition(f"\n</{name}>")[0]


def _sentences(text: str) -> int:
    return sum(bool(part.strip()) for part in SENTENCE_END.split(text))


def _mark(score: float) -> str:
    if abs(score) < SOME:
        return "[[A=B]]"
    sign = ">>" if abs(score) > MUCH else ">"
    return f"[[A{sign}B]]" if score > 0 else f"[[B{sign}A]]"

"""TMLU's readings: worked cases of each rule, and any text against the rules said another way."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.scorers import AskedItem, extract
from scoring.scorers.letters import OptionLetters

FOUR = AskedItem(OptionLetters(4))
SIX = AskedItem(OptionLetters(6))
PIECES = [
    *"ABCDEFG)(\n。",
    "\n\n",
    "正確答案：(",
    "不是正確答案",
    "不正確",
    "正確",
    "問題：",
    " ",
    "因為",
    "DNA",
]
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def test_tmlu_direct_reads_the_first_paragraph_that_looks_like_an_answer() -> None:
    expected = {
        "B": "B",
        "B) 火星": "B",
        "正確答案：(B)": "B",
        "A star (B)": "B",
        "DNA": "D",
        "讓我想想。\n\n正確答案：(C)": "C",
        "正確答案：(C)\n\n問題：(A)": "C",
        "(A) 不正確\n\n第二段\n\n(D)": "D",
        "(A) 不是正確答案\n\n(B)": "B",
        "正確答案是木星\n\n(D)": None,
        "E)": None,
        "": None,
        "木星": None,
    }
    assert {text: extract("tmlu", text, FOUR).letter for text in expected} == expected


def test_tmlu_cot_reads_from_the_last_line_that_looks_like_an_answer() -> None:
    expected = {
        "(A) 太小\n(B) 太大\n正確答案：(C)": "C",
        "(A) 太小\n所以\n正確答案：\n(C)": "C",
        "(A) 對，正確答案：(D)": "D",
        "正確答案：(B)\n問題：下一題 正確答案：(C)": "B",
        "正確答案：(B)\n(C) 不正確": "B",
        "F)": None,
        "DNA B)": "B",
        "": None,
    }
    assert {text: extract("tmlu_cot", text, SIX).letter for text in expected} == expected


def looks(text: str) -> bool:
    for words, answer in (
        ("不是正確答案", False), ("正確答案", True), ("不正確", False), ("正確", True)
    ):  # fmt: skip
        if words in text:
            return answer
    return any(letter in text for letter in "ABCDE")


def first(text: str, count: int) -> str | None:
    candidates = re.findall(r"([A-F])\)", text) or re.findall(r"[A-F]", text)
    return candidates[0] if candidates and candidates[0] in "ABCDEF"[:count] else None


def restated(text: str, count: int, *, reasoned: bool) -> str | None:
    if not reasoned:
        parts = text.strip().split("\n\n")
        return first(parts[0] if looks(parts[0]) else parts[-1], count)
    lines = text.strip().split("問題：")[0].strip().split("\n")
    while lines and not looks(lines[-1]):
        lines.pop()
    whole = text.strip().split("問題：")[0].strip().split("\n")
    read = "".join(whole[len(lines) - 1 :]) if lines else ""
    _, mark, rest = read.partition("正確答案")
    return first(mark + rest if mark else read, count)


@settings(deadline=None, max_examples=1000)
@given(texts, st.integers(2, 8))
def test_tmlu_any_text_is_read_as_the_rules_say(text: str, count: int) -> None:
    item = AskedItem(OptionLetters(count))
    assert extract("tmlu", text, item).letter == restated(text, count, reasoned=False)
    assert extract("tmlu_cot", text, item).letter == restated(text, count, reasoned=True)

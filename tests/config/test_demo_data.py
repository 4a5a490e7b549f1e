"""The demo benchmark is consistent, and its planted faults are what `planted.jsonl` says."""

import json
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import regex

DEMO = Path(__file__).resolve().parents[2] / "config" / "demo"
LETTERS = "ABCDE"
FAULT_COUNTS = {
    "changed_number": 2,
    "lost_negation": 2,
    "spliced_letters": 2,
    "missing_option": 1,
    "empty_option": 1,
    "equal_options": 1,
    "untranslated": 1,
    "labels_inside": 1,
    "swapped_options": 1,
    "key_changed": 1,
    "empty_question": 1,
    "exact_duplicate": 2,
    "near_duplicate": 2,
    "duplicate_other_key": 1,
}


def rows(name: str) -> list[dict[str, Any]]:
    text = (DEMO / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def by_uid(name: str) -> dict[str, dict[str, Any]]:
    return {row["uid"]: row for row in rows(name)}


ITEMS = by_uid("items.jsonl")
TRANSLATIONS = by_uid("translations.jsonl")
CORRECTIONS = by_uid("corrections.jsonl")
PLANTED = by_uid("planted.jsonl")
TEXT_FAULTS = {uid for uid, row in PLANTED.items() if "of" not in row}


def digits(text: str) -> list[str]:
    plain = "".join(str(unicodedata.digit(c, c)) for c in text)
    return sorted(regex.findall(r"\d+(?:,\d{3})*", plain))


def fault_of(kind: str) -> list[str]:
    return [uid for uid, row in PLANTED.items() if row["kind"] == kind]


def right_text(uid: str) -> dict[str, Any]:
    return CORRECTIONS.get(uid, TRANSLATIONS[uid])


def test_items_have_the_promised_size() -> None:
    splits = Counter((row["subject"], row["split"]) for row in ITEMS.values())

    assert len(ITEMS) == len(rows("items.jsonl")) == 72
    assert len({subject for subject, _ in splits}) == 6
    assert set(splits.values()) == {10, 2}


def test_items_are_complete_and_their_keys_are_options(subtests: pytest.Subtests) -> None:
    for uid, item in ITEMS.items():
        with subtests.test(uid):
            assert list(item) == [
                "uid", "subject", "category", "dimension", "level", "year", "split", "question",
                "options", "key", "explanation",
            ]  # fmt: skip
            assert 2 <= len(item["options"]) <= 5
            assert item["key"] in LETTERS[: len(item["options"])]
            assert len(set(item["options"])) == len(item["options"])
            texts = (item["question"], *item["options"])
            assert all(text.strip() == text != "" for text in texts)
            assert bool(item["explanation"]) == (item["split"] == "dev")


def test_items_use_every_key_and_option_count() -> None:
    assert {len(row["options"]) for row in ITEMS.values()} == {2, 3, 4, 5}
    four = Counter(row["key"] for row in ITEMS.values() if len(row["options"]) == 4)
    assert min(four[letter] for letter in "ABCD") >= 5


def test_translations_cover_every_item_once() -> None:
    assert list(TRANSLATIONS) == list(ITEMS)
    assert len(rows("translations.jsonl")) == len(ITEMS)
    assert {row["system"] for row in TRANSLATIONS.values()} == {"demo-mt"}


def test_right_texts_keep_structure_and_numbers(subtests: pytest.Subtests) -> None:
    for uid, item in ITEMS.items():
        with subtests.test(uid):
            text = right_text(uid)
            assert len(text["options"]) == len(item["options"])
            assert len(set(text["options"])) == len(item["options"])
            assert digits(text["question"]) == digits(item["question"])
            assert [digits(o) for o in text["options"]] == [digits(o) for o in item["options"]]


def test_right_texts_are_well_formed_tibetan(subtests: pytest.Subtests) -> None:
    for uid in ITEMS:
        with subtests.test(uid):
            text = right_text(uid)
            question = text["question"]
            assert question.endswith("།")
            assert "་།" not in question.replace("ང་།", "")
            assert not regex.search(r"[A-Za-z]{4,}", question)
            assert not any(o.endswith(("་", "།")) for o in text["options"])
            for part in (question, *text["options"]):
                assert unicodedata.is_normalized("NFC", part)
                assert not regex.search(r"(?<![\u0F40-\u0FBC])[\u0F71-\u0F84\u0F90-\u0FBC]", part)
                assert "་་" not in part


def test_planted_faults_have_the_promised_kinds() -> None:
    assert Counter(row["kind"] for row in rows("planted.jsonl")) == FAULT_COUNTS
    assert set(PLANTED) <= set(ITEMS)


def test_corrections_are_of_exactly_the_faulty_texts() -> None:
    assert set(CORRECTIONS) == TEXT_FAULTS
    for uid, right in CORRECTIONS.items():
        faulty = TRANSLATIONS[uid]
        assert (right["question"], right["options"]) != (faulty["question"], faulty["options"])


def test_structural_faults_are_there() -> None:
    options = {uid: TRANSLATIONS[uid]["options"] for uid in TEXT_FAULTS}
    (missing,), (empty,) = fault_of("missing_option"), fault_of("empty_option")
    (equal,), (labels,) = fault_of("equal_options"), fault_of("labels_inside")
    (swapped,) = fault_of("swapped_options")

    assert len(options[missing]) == len(ITEMS[missing]["options"]) - 1
    assert "" in options[empty]
    assert len(set(options[equal])) < len(options[equal])
    assert [o[:3] for o in options[labels]] == ["A. ", "B. ", "C. ", "D. "]
    assert sorted(options[swapped]) == sorted(CORRECTIONS[swapped]["options"])
    assert "N\nA. \nD. H" in options["everyday_science/3"]


def test_faults_of_meaning_are_there() -> None:
    (empty,), (english,) = fault_of("empty_question"), fault_of("untranslated")

    assert TRANSLATIONS[empty]["question"] == ""
    assert TRANSLATIONS[english]["question"] == ITEMS[english]["question"]
    for uid in fault_of("changed_number"):
        shown = " ".join((TRANSLATIONS[uid]["question"], *TRANSLATIONS[uid]["options"]))
        asked = " ".join((ITEMS[uid]["question"], *ITEMS[uid]["options"]))
        assert digits(shown) != digits(asked)
    for uid in fault_of("lost_negation"):
        assert " not " in ITEMS[uid]["question"]
        assert len(TRANSLATIONS[uid]["question"]) < len(CORRECTIONS[uid]["question"])


def test_changed_key_touches_the_right_option_alone() -> None:
    (uid,) = fault_of("key_changed")
    at = LETTERS.index(ITEMS[uid]["key"])
    pairs = zip(TRANSLATIONS[uid]["options"], CORRECTIONS[uid]["options"], strict=True)

    assert [shown != right for shown, right in pairs] == [i == at for i in range(4)]


def test_duplicates_are_of_the_said_kind() -> None:
    for uid, row in PLANTED.items():
        if "of" not in row:
            continue
        mine, other = ITEMS[uid], ITEMS[row["of"]]
        is_equal = (mine["question"], mine["options"]) == (other["question"], other["options"])
        assert mine["options"] == other["options"]
        assert is_equal == (row["kind"] != "near_duplicate")
        assert (mine["key"] == other["key"]) == (row["kind"] != "duplicate_other_key")


def test_second_system_translates_sound_items_differently() -> None:
    second = rows("second_system.jsonl")

    assert 18 <= len(second) <= 30
    for row in second:
        assert row["system"] == "demo-mt-2"
        assert row["question"] != TRANSLATIONS[row["uid"]]["question"]
        assert len(row["options"]) == len(ITEMS[row["uid"]]["options"])


def test_guideline_explains_every_rating_verdict_and_tag() -> None:
    text = (DEMO / "guideline.md").read_text(encoding="utf-8")

    assert all(text.count(f"\n| {rating} | ") == 2 for rating in range(6))
    for word in ("approve", "revise", "reject"):
        assert f"| **{word}** |" in text
    for tag in ("accuracy", "terminology", "grammar", "register", "culture", "structure",
                "wrong key", "not answerable", "duplicate"):  # fmt: skip
        assert f"| {tag} |" in text

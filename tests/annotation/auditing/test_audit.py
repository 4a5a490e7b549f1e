"""What an audit says of rows, without Django and without a database."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.auditing.audit import AuditReport, audit, language_of
from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.labels import BESIDE_OTHERS
from annotation.checks.siblings import Siblings
from annotation.importers.base import RowError, RowRef, SourceRow, TranslationRow
from annotation.importers.formats import open_import
from tests.annotation.sibling_texts import sound_texts, swapped

REF = RowRef("file.jsonl", 1)
OPTIONS = ("red", "green", "blue", "white")
TIBETAN = ("དམར་པོ།", "ལྗང་ཁུ།", "སྔོན་པོ།", "དཀར་པོ།")


def source(uid: str = "colours/1", question: str = "What colour is snow?", **fields) -> SourceRow:
    given = {"subject": "colours", "options": OPTIONS, "key": "D", "split": "test"} | fields
    return SourceRow(ref=REF, uid=uid, question=question, **given)


def translation(
    uid: str = "colours/1", question: str = "ཁ་བའི་ཁ་དོག་གང་རེད།", **fields
) -> TranslationRow:
    given = {"options": TIBETAN, "key": "D", "system": "mt", "raw": ""} | fields
    return TranslationRow(ref=REF, uid=uid, question=question, **given)


def audited(*rows, source_rows=None, target_language="bo", **options) -> AuditReport:
    return audit(rows, source_rows=source_rows, target_language=target_language, **options)


def test_audit_translation_with_source_joins_and_finds_nothing():
    report = audited(translation(), source_rows=[source()])
    assert (report.read, report.items, report.joined) == (1, 1, 1)
    assert report.unjoined == report.left_out == report.findings == report.duplicates == ()
    assert (report.compared_keys, report.different_keys) == (1, ())


def test_audit_translation_of_unknown_item_is_unjoined_and_still_checked():
    report = audited(translation("colours/2", options=("", *TIBETAN[1:])), source_rows=[source()])
    assert [text.uid for text in report.unjoined] == ["colours/2"]
    assert report.left_out == ("colours/1",)
    assert report.by_code == {"empty_text": 1}


def test_audit_without_source_misses_no_source():
    report = audited(translation())
    assert (report.has_source, report.joined, report.unjoined) == (False, 0, ())
    assert report.findings == ()


def test_audit_refused_rows_are_read_and_kept_apart():
    bad = RowError(REF, "empty_text", {"column": "question"})
    report = audited(translation(), bad, source_rows=[source(), bad])
    assert (report.read, report.refused) == (2, (bad,))
    assert (report.source_read, report.source_refused) == (2, (bad,))


def test_audit_items_with_translations_are_their_own_source():
    report = audited(source(translation=translation()), source("colours/2", "What is the sky?"))
    assert (report.items, report.joined, report.has_source) == (1, 1, True)
    assert report.left_out == ("colours/2",)


def test_audit_items_of_a_translated_benchmark_join_the_source_by_uid():
    row = source(question="ཁ་བའི་ཁ་དོག་གང་རེད།", options=TIBETAN, key="A")
    report = audited(row, source_rows=[source()])
    assert report.joined == 1
    assert [(text.uid, text.key) for text in report.different_keys] == [("colours/1", "A")]
    assert report.by_code == {"key_changed": 1}


@pytest.mark.parametrize(
    ("fields", "broken", "empty"),
    [
        ({}, 0, 0),
        ({"options": TIBETAN[:3]}, 1, 0),
        ({"question": " "}, 0, 1),
        ({"options": (*TIBETAN[:3], " ")}, 0, 1),
    ],
)
def test_audit_broken_lists_and_empty_texts_are_counted_apart(fields, broken, empty):
    report = audited(translation(**fields), source_rows=[source()])
    assert (len(report.broken_options), len(report.empty)) == (broken, empty)


def test_audit_equal_options_without_source_are_found():
    report = audited(source(options=("red", "green", "red", "white")), target_language="en")
    assert report.by_code == {"equal_options": 1}
    assert report.by_severity == {"warning": 1}


def test_audit_subjects_count_texts_and_findings():
    rows = [translation(), translation("colours/2", options=TIBETAN[:3]), translation("other/1")]
    sources = [source(), source("colours/2", "Which is the flag?")]
    report = audited(*rows, source_rows=sources)
    found = {s.subject: (s.texts, s.broken_options, s.with_errors) for s in report.subjects}
    assert found == {"colours": (2, 1, 1), "other": (1, 0, 0)}


def test_audit_compares_each_text_with_the_others():
    rows = [
        (source(f"s/{n}", given.source_question, options=given.source_options, key="A"),
         translation(f"s/{n}", given.question, options=given.options, key="A"))
        for n, given in [(0, swapped(sound_texts()[0][1])), *sound_texts()[1:]]
    ]  # fmt: skip

    report = audited(
        *(row for _source, row in rows),
        source_rows=[row for row, _text in rows],
        source_language="en",
        target_language="mn",
    )

    assert [(found.text.uid, found.problem.code) for found in report.findings] == [
        ("s/0", "options_exchanged")
    ]


def pairs(report: AuditReport) -> list[tuple[str, str, str, str, bool | None, bool]]:
    return [
        (p.a.uid, p.b.uid, p.kind, p.side, p.has_same_key, p.crosses_splits)
        for p in report.duplicates
    ]


def test_audit_duplicates_are_found_on_both_sides_across_splits():
    sources = [source(), source("colours/dev/1", split="dev")]
    rows = [translation(), translation("colours/dev/1")]
    assert pairs(audited(*rows, source_rows=sources)) == [
        ("colours/1", "colours/dev/1", "exact", "source", True, True),
        ("colours/1", "colours/dev/1", "exact", "target", True, True),
    ]


def test_audit_duplicates_with_another_key_come_first():
    rows = [source("a/1"), source("a/2"), source("a/3", key="A")]
    found = pairs(audited(*rows, target_language="en"))
    assert [(a, b, same) for a, b, _kind, _side, same, _across in found] == [
        ("a/1", "a/3", False),
        ("a/2", "a/3", False),
        ("a/1", "a/2", True),
    ]


def test_audit_key_of_duplicates_is_compared_by_what_it_says():
    rows = [source(), source("colours/2", options=OPTIONS[::-1], key="A")]
    assert [pair[4] for pair in pairs(audited(*rows, target_language="en"))] == [True]


def test_audit_duplicates_without_keys_say_that_nothing_is_known():
    rows = [translation(key=None), translation("colours/2", key=None)]
    assert [pair[4] for pair in pairs(audited(*rows))] == [None]


def test_audit_two_systems_of_one_item_are_no_duplicates():
    report = audited(translation(), translation(system="other"), source_rows=[source()])
    assert (report.items, len(report.texts), report.duplicates) == (1, 2, ())


def test_audit_empty_texts_are_no_duplicates():
    rows = [translation(question="", options=()), translation("colours/2", question="", options=())]
    assert audited(*rows).duplicates == ()


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        ([], "und"),
        (["下列关于 DNA 的说法正确的是"], "zh"),
        (["Which of these is right?"], "en"),
        (["ཁ་བའི་ཁ་དོག་གང་རེད།"], "und"),
        (["1 + 1 = ?"], "und"),
    ],
)
def test_language_of_script_is_told(texts, language):
    assert language_of(texts) == language


def test_audit_named_source_language_wins_over_the_script():
    report = audited(translation(), source_rows=[source()], source_language="fr")
    assert report.source_language == "fr"


texts = st.text(max_size=40)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(texts, st.lists(texts, max_size=6)), max_size=6))
def test_audit_any_text_every_row_is_accounted_for(published):
    rows = [
        translation(f"colours/{at}", question=question, options=tuple(options))
        for at, (question, options) in enumerate(published)
    ]
    report = audited(*rows, source_rows=[source("colours/0"), source("colours/1")])
    assert report == audited(*rows, source_rows=[source("colours/0"), source("colours/1")])
    assert report.read == len(report.texts) == report.joined + len(report.unjoined)
    assert sum(counts.texts for counts in report.subjects) == report.read
    assert sum(report.by_severity.values()) == len(report.findings)


def test_audit_published_tibetan_benchmark_gives_the_known_figures(shared_data: Path):
    report = audit(
        open_import(shared_data / "ti_mmlu").rows,
        source_rows=open_import(shared_data / "cmmlu").rows,
        target_language="bo",
    )
    assert (report.read, report.joined, report.refused) == (340, 340, ())
    assert (report.compared_keys, report.different_keys) == (340, ())
    assert len(report.broken_options) == 29
    assert [text.uid for text in report.empty] == ["global_facts/2"]
    assert report.source_language == "zh"
    assert pairs(report) == [
        ("ancient_chinese/dev/4", "ancient_chinese/1", "near", "source", False, True),
        ("college_mathematics/dev/1", "college_mathematics/6", "exact", "source", True, True),
    ]


def test_exchanged_options_and_cut_questions_of_a_published_benchmark_are_found(shared_data: Path):
    published = audit(
        open_import(shared_data / "ti_mmlu").rows,
        source_rows=open_import(shared_data / "cmmlu").rows,
        target_language="bo",
    )
    texts = [
        CheckInput(
            each.source.question, each.source.options, "", each.question, each.options, None,
            "zh", "bo",
        )
        for each in published.texts
        if each.source and each.options
    ]  # fmt: skip
    siblings = Siblings(enumerate(texts))

    def found(code: str, change: Callable[[CheckInput], CheckInput]) -> float:
        some = list(enumerate(texts))[::3]
        problems = [siblings.problems(number, change(given)) for number, given in some]
        return sum(code in [each.code for each in several] for several in problems) / len(some)

    def halved(given: CheckInput) -> CheckInput:
        return replace(given, question=given.question[: len(given.question) // 2])

    alarms = [each.problem.code in BESIDE_OTHERS for each in published.findings]
    assert sum(alarms) / len(texts) < 0.01
    assert found("options_exchanged", swapped) > 0.6
    assert found("question_cut", halved) > 0.6


def test_held_key_without_a_published_one_is_the_sources():
    report = audited(
        translation(key=None), translation("other/1", key=None), source_rows=[source()]
    )
    assert [text.held_key for text in report.texts] == ["D", ""]

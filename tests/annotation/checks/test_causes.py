"""Findings with one cause are one, with the places of all."""

from annotation.checks.catalogue.base import Problem
from annotation.checks.causes import Cause, Span, causes_of

OPTIONS = ("གཅིག", "གཉིས", "", "")


def test_causes_of_the_same_fault_in_two_fields_are_one() -> None:
    found = [Problem("empty_text", "error", f"options.{n}") for n in (2, 3)]

    assert causes_of(found, "དྲིས་བ།", OPTIONS) == [
        Cause("empty_text", "error", {}, ("options.2", "options.3"), ())
    ]


def test_causes_of_labels_are_one_with_all_places() -> None:
    text = "དྲིས་བ།\nA. ཀ\nB. ཁ"
    found = [
        Problem("label_in_text", "error", "question", 8, 10, {"label": "A."}),
        Problem("label_in_text", "error", "question", 13, 15, {"label": "B."}),
        Problem("empty_text", "error", "options.2"),
    ]

    assert causes_of(found, text, OPTIONS) == [
        Cause(
            "label_in_text",
            "error",
            {"label": "A.”, “B."},
            ("question",),
            (Span("question", 8, 10), Span("question", 13, 15)),
        )
    ]


def test_causes_of_cut_words_explain_why_options_are_unreadable() -> None:
    found = [
        Problem("options_unreadable", "error", "question", 0, 9, {"reason": "repeated"}),
        Problem("letters_spliced", "error", "question", 0, 5, {"term": "NADH"}),
        Problem("letters_spliced", "error", "question", 6, 9, {"term": "FAD"}),
        Problem("letters_spliced", "error", "question", 6, 9, {"term": "FAD"}),
    ]

    [cause] = causes_of(found, "N\nA. \nD. H…", ())

    assert (cause.code, cause.data) == ("letters_spliced", {"term": "NADH”, “FAD"})


def test_causes_with_other_data_stay_apart() -> None:
    found = [
        Problem("numbers_differ", "warning", "options.0", data={"missing": "1", "added": ""}),
        Problem("numbers_differ", "warning", "options.1", data={"missing": "2", "added": ""}),
    ]

    assert len(causes_of(found, "", OPTIONS)) == 2


def test_causes_mark_numbers_that_came_in() -> None:
    data = {"missing": "", "added": "12, 7"}
    found = [Problem("numbers_differ", "warning", "question", 0, 12, data)]

    [cause] = causes_of(found, "ལོ་ ༡༢ 7 $7$ 8", ())

    assert [(s.start, s.end) for s in cause.spans] == [(4, 6), (7, 8)]


def test_causes_mark_nothing_where_the_whole_field_is_meant() -> None:
    found = [Problem("blanks_missing", "warning", "question", 0, 4, {"expected": 1, "found": 0})]

    assert causes_of(found, "abcd", ())[0].spans == ()


def test_causes_outside_of_the_text_are_not_marked() -> None:
    found = [Problem("brackets_unbalanced", "warning", "options.9", 3, 4, {"bracket": "("})]

    assert causes_of(found, "", ())[0].spans == ()

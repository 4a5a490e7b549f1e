"""Checks of shape: each speaks where it must and is silent beside it."""

import pytest

from annotation.checks.catalogue import first_problem, run_checks
from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.labels import describe
from annotation.importers.base import Mark

SOURCE = ("甲", "乙", "丙", "丁")
TARGET = ("ཀ་པ།", "ཁ་པ།", "ག་པ།", "ང་པ།")


def make(**changes: object) -> CheckInput:
    fields: dict[str, object] = {
        "source_question": "问题",
        "source_options": SOURCE,
        "source_key": "B",
        "question": "དྲི་བ།",
        "options": TARGET,
        "key": "B",
        "source_language": "zh",
        "target_language": "bo",
    }
    return CheckInput(**{**fields, **changes})  # type: ignore[arg-type]


def found(given: CheckInput) -> list[tuple[str, str, str]]:
    problems = run_checks(given)
    assert all(describe(problem.code, problem.data) for problem in problems)
    return [(problem.code, problem.severity, problem.field) for problem in problems]


def test_sound_revision_has_no_problem() -> None:
    assert run_checks(make()) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"options": TARGET[:3]}, ("option_count", "error", "item")),
        ({"options": (*TARGET, "ཅ།")}, ("option_count", "error", "item")),
        ({"options": ()}, ("option_count", "error", "item")),
        ({"options": (*TARGET[:3], " ")}, ("empty_text", "error", "options.3")),
        ({"question": "\n"}, ("empty_text", "error", "question")),
        ({"key": "C"}, ("key_changed", "error", "item")),
        ({"source_key": "E", "key": "E"}, ("key_out_of_range", "error", "item")),
        ({"options": ("ཀ་པ།", "ཁ་པ", "ག་པ།", "ཁ་པ །")}, ("equal_options", "error", "options.3")),
        ({"options": ("ཀ་པ།", "ཁ་པ", "ག་པ།", "ག་པ །")}, ("equal_options", "warning", "options.3")),
        (
            {"options": ("ཀ་པ།", "ཁ་པ", "ག་པ ང་།", "ག་པ  ང་།")},
            ("equal_options", "warning", "options.3"),
        ),
        (
            {"options": ("ཀ་པ།", "ཁ་པ།", "ག་པ།\nD. ཆུ།", "ང་པ།")},
            ("label_in_text", "error", "options.2"),
        ),
        ({"options": ("A. ཀ་པ།", *TARGET[1:])}, ("label_in_text", "error", "options.0")),
        ({"options": (*TARGET[:3], "A. ང་པ།")}, ("label_in_text", "warning", "options.3")),
    ],
)
def test_structure_problem_is_reported_with_its_field(
    changes: dict[str, object], expected: tuple[str, str, str]
) -> None:
    assert expected in found(make(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"key": None},
        {"source_options": ("甲", "乙", "甲", "丁"), "options": ("ཀ", "ཁ", "ཀ", "ང")},
        {"source_options": ("甲\nA. x", *SOURCE[1:]), "options": ("ཀ\nA. x", *TARGET[1:])},
        {"options": ("ATP ཡི།", "DNA", "C 1", "D-ཁ")},
    ],
)
def test_structure_is_silent_where_the_source_is_the_same(changes: dict[str, object]) -> None:
    errors = [code for code, severity, _ in found(make(**changes)) if severity == "error"]
    assert errors == []


def shifted(question: str, *texts: str, **changes: object) -> list[tuple[str, str, str]]:
    return found(make(question=question, options=texts, **changes))


def test_labels_after_their_texts_are_one_error() -> None:
    """`Q A-text (A) B-text (B) …` read as if each label stood before its text."""
    problems = run_checks(make(question="དྲི་བ། ཀ་པ། (", options=("ཁ་པ། (", "ག་པ། (", "ང་པ། (", ")")))
    assert [(p.code, p.severity, p.field, p.data) for p in problems] == [
        ("options_shifted", "error", "item", {"reason": "last_option_bare"})
    ]


def test_shift_is_seen_without_brackets_where_the_last_option_is_bare() -> None:
    sources = ("甲" * 3, "乙" * 9, "丙" * 4, "丁" * 8)
    syllables = "ཀ་ཁ་ག་ང་ཅ་ཆ་ཇ་ཉ་ཏ་ཐ་ད་ན་པ་ཕ་བ་མ་ཙ་ཚ་"
    texts = (syllables, syllables[:16], syllables[:32], "།")
    assert shifted("དྲི་བ་" + syllables[:12], *texts, source_options=sources) == [
        ("options_shifted", "error", "item")
    ]


def test_shift_is_seen_by_the_numbers_of_the_next_options() -> None:
    sources = ("10个", "20个", "30个", "40个")
    texts = ("20 ཡོད།", "30 ཡོད།", "40 ཡོད།", "ཡོད་པ་རེད།")
    assert shifted("དྲི་བ། 10 ཡོད།", *texts, source_options=sources) == [
        ("options_shifted", "error", "item")
    ]


SHARING = ("正相关关系", "负相关关系", "无线性的关系，但是有其他联系", "完全没有")
FITTING = ("འབྲེལ་བ་ལྡོག་པ།", "ཐད་ཀར་གྱི་འབྲེལ་བ་མེད་ཀྱང་འབྲེལ་བ་གཞན་ཞིག་ཡོད་པ་རེད།", "ཡོངས་སུ་མེད།")


def test_shift_is_seen_by_lengths_and_shared_words_where_the_last_option_has_words() -> None:
    question, first = "གཤམ་གསལ་ལས་གང་ཡིན། ", "འབྲེལ་བ་ཐད་ཀར།"
    problems = run_checks(
        make(
            source_question="下列哪一项正确",
            source_options=SHARING,
            question=question + first,
            options=(*FITTING, "ལན་ཡང་དག་པ་འདེམས་རོགས།"),
        )
    )
    assert [(p.code, p.severity, p.data) for p in problems] == [
        ("options_shifted", "warning", {"reason": "next_option_fits"})
    ]
    assert found(make(source_options=SHARING, question=question, options=(first, *FITTING))) == []


def test_one_sign_of_its_own_option_is_enough_against_a_shift() -> None:
    texts = (*FITTING[:2], "ཡོངས་སུ་མེད། pH", "ལན་ཡང་དག་པ་འདེམས་རོགས།")
    sources = (*SHARING[:2], f"{SHARING[2]}pH", SHARING[3])
    question = "གཤམ་གསལ་ལས་གང་ཡིན། འབྲེལ་བ་ཐད་ཀར།"
    assert "options_shifted" not in {
        code for code, *_ in shifted(question, *texts, source_options=sources)
    }


def test_brackets_that_labels_left_are_one_warning() -> None:
    """A real item: its labels were `(A)` before their texts and lost the bracket."""
    texts = ("ཀ་པ་ཡིན། (", "ཁ་པ་ཡིན། (", "ག་པ་ཡིན། (", "ང་པ་ཡིན།")
    assert shifted("དྲི་བ། (", *texts) == [("options_shifted", "warning", "item")]


def test_last_option_of_mere_marks_is_an_empty_text() -> None:
    assert shifted("དྲི་བ།", *TARGET[:3], "།") == [("empty_text", "error", "options.3")]


def test_order_changed_hides_what_it_explains() -> None:
    source = ("10个", "20个", "30个", "40个")
    moved = ("10 ཡོད།", "30 ཡོད།", "20 ཡོད།", "40 ཡོད།")
    assert found(make(source_options=source, options=moved)) == [("order_changed", "error", "item")]


def test_options_that_read_the_same_are_one_problem_a_group() -> None:
    (problem,) = run_checks(make(options=("ཀ་པ།", "ཁ་པ།", "ཀ་པ", "ཀ་པ།"), source_key="B"))
    assert (problem.code, problem.severity, problem.data) == (
        "equal_options",
        "warning",
        {"letter": "D", "other": "A, C"},
    )


def test_order_changed_needs_every_option_to_be_known_again() -> None:
    source = ("10个", "20个", "30个", "40个")
    moved = ("10 ཡོད།", "30 ཡོད།", "20 ཡོད།", "40 ཡོད།")
    (problem,) = [p for p in run_checks(make(source_options=source, options=moved)) if
                  p.code == "order_changed"]  # fmt: skip
    assert (problem.severity, problem.data) == ("error", {"order": "ACBD"})
    other = ("10 ཡོད།", "30 ཡོད།", "20 ཡོད།", "50 ཡོད།")
    assert "order_changed" not in [
        p.code for p in run_checks(make(source_options=source, options=other))
    ]


@pytest.mark.parametrize("changes", [
    {}, {"options": TARGET[:3]}, {"question": "དྲི་བ། 7"}, {"options": ("", *TARGET[1:])},
    {
        "source_options": ("10个", "20个", "30个", "40个"),
        "options": ("10 ཡོད།", "30 ཡོད།", "20 ཡོད།", "40 ཡོད།"),
    },
])  # fmt: skip
def test_first_problem_is_that_of_all_checks_also_where_options_have_moved(
    changes: dict[str, object],
) -> None:
    given, codes = make(**changes), {"empty_text", "option_count", "numbers_differ"}
    wanted = [problem for problem in run_checks(given) if problem.code in codes]
    assert first_problem(given, codes) == next(iter(wanted), None)


def test_order_within_options_is_grammar_not_another_order_of_options() -> None:
    given = make(
        source_options=("DNA先于RNA", "RNA先于DNA", "3比5", "5比3"),
        options=("RNA ལས་ DNA སྔ།", "DNA ལས་ RNA སྔ།", "5 ལས་ 3", "3 ལས་ 5"),
    )
    assert "order_changed" not in [problem.code for problem in run_checks(given)]


RAW = "N\nA. \nD. H ནི།\nA. ཞིབ་འཇུ \nC. \nB. 2\nC. 3\nD. 4"


def test_spliced_letters_are_named_with_their_place() -> None:
    mark = Mark("options_unreadable", "question", 5, 7, {"reason": "repeated", "found": "ADABCD"})
    given = make(source_question="NADH是", question=RAW, options=(), marks=(mark,))
    problems = {(p.code, p.data.get("term")): RAW[p.start : p.end] for p in run_checks(given)}
    assert problems == {
        ("options_unreadable", None): RAW[5:7],
        ("letters_spliced", "NADH"): "N\nA. \nD. H",
        ("letters_spliced", "འཇུག"): "འཇུ \nC.",
    }

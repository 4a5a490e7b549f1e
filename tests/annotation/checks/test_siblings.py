"""What shows only beside the other texts of a set: exchanged options, questions without their end."""

from dataclasses import replace

from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.labels import describe
from annotation.checks.siblings import FEWEST, Siblings, term_pairs
from annotation.checks.siblings.endings import Endings
from tests.annotation.sibling_texts import rendered, sound_texts, swapped

STRANGE = CheckInput("new?", ("aa bb", "cc dd"), "A", "шинэ?", ("ее фф", "гг хх"), None, "en", "mn")
"""Of words that no sound text has."""


def codes(siblings: Siblings, name: int, given: CheckInput) -> list[str]:
    return [problem.code for problem in siblings.problems(name, given)]


def test_sound_texts_have_no_finding_and_exchanged_options_are_named_with_their_words() -> None:
    sound = sound_texts()
    siblings = Siblings(sound)

    assert [codes(siblings, *each) for each in sound] == [[]] * 100
    found = [siblings.problems(name, swapped(given)) for name, given in sound]
    assert [[each.code for each in problems] for problems in found] == [["options_exchanged"]] * 100
    data = found[0][0].data
    assert (data["one"], data["other"]) == ("A", "B")
    for pair in str(data["terms"]).split("; "):
        source, _, target = pair.partition(" – ")
        assert rendered(source) == target
    assert describe("options_exchanged", data).startswith(
        "Options A and B may have changed places."
    )


def test_item_is_no_evidence_for_itself_and_neither_is_its_copy() -> None:
    siblings = Siblings([*sound_texts(), (100, STRANGE), (101, replace(STRANGE))])

    assert codes(siblings, 100, STRANGE) == codes(siblings, 101, STRANGE) == []
    assert codes(siblings, 100, swapped(STRANGE)) == []


def test_other_system_and_glossary_are_evidence() -> None:
    sound = sound_texts()
    other = replace(STRANGE, question="шинэ үү?")
    terms = term_pairs([("aa bb", "ее фф")], "en", "mn")

    for siblings in (
        Siblings([*sound, (100, swapped(STRANGE)), (101, other)]),
        Siblings([*sound, (100, swapped(STRANGE))], terms),
    ):
        assert codes(siblings, 100, swapped(STRANGE)) == ["options_exchanged"]


def test_exchange_that_only_lengths_show_says_so() -> None:
    long, short = "x " * 30, "y"
    odd = CheckInput(
        "q?", (long, short, "z"), "A", "а юу?", ("б", "в " * 30, "г"), None, "en", "mn"
    )

    [problem] = Siblings(sound_texts()).problems(100, odd)

    assert problem.data == {"one": "A", "other": "B", "terms": ""}
    assert "their lengths" in describe(problem.code, problem.data)


def test_question_that_was_cut_is_found_with_the_reason() -> None:
    sound = sound_texts()
    siblings = Siblings(sound)
    name, given = sound[0]
    words = given.question.split()

    def reasons(question: str) -> list[object]:
        cut = replace(given, question=question)
        return [each.data.get("reason") for each in siblings.problems(name, cut)]

    assert reasons(" ".join(words[:5])) == ["short_and_open"]
    assert reasons(" ".join(words[:-2])) == ["open"]
    assert reasons("") == []  # what `empty_text` says


def test_question_like_no_other_is_whole_where_questions_end_in_many_ways() -> None:
    open_ended = [
        replace(given, question=given.question.removesuffix(" юу?"))
        for _name, given in sound_texts()
    ]

    endings = Endings(open_ended)

    assert [list(endings.problems(given, given)) for given in open_ended] == [[]] * 100
    short = replace(open_ended[0], question=" ".join(open_ended[0].question.split()[:3]))
    assert [each.data["reason"] for each in endings.problems(short, open_ended[0])] == ["short"]


def test_few_texts_and_texts_of_one_language_show_nothing() -> None:
    few = sound_texts(FEWEST - 1)
    native = [
        (name, replace(given, source_language="mn", target_language="mn"))
        for name, given in sound_texts()
    ]

    for several in (few, native):
        siblings = Siblings(several)
        assert codes(siblings, 0, swapped(several[0][1])) == []


def test_question_of_an_open_ended_item_is_compared_too() -> None:
    given = replace(sound_texts()[0][1], source_options=(), options=(), kind="open")
    cut = replace(given, question=" ".join(given.question.split()[:5]))

    siblings = Siblings(sound_texts())

    assert (codes(siblings, 100, given), codes(siblings, 100, cut)) == ([], ["question_cut"])


def test_options_that_cannot_be_paired_are_left_to_other_checks() -> None:
    given = sound_texts()[0][1]

    assert codes(Siblings(sound_texts()), 0, replace(given, options=given.options[:3])) == []

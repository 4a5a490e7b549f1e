"""The outcome table: what every panel amounts to, and its tally."""

import itertools
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projects.criteria import DEFAULT_CRITERIA, DEFAULT_NAMES
from review import enums
from review.outcomes import (
    LETTERS,
    VERDICTS,
    Correction,
    Decision,
    PanelJudgement,
    Reason,
    ReasonCode,
    RuleWord,
    TallyEntry,
    decide,
    make_tally,
    parse_tally,
    tally_token,
)

TEXT = Correction("Which?", ("one", "two"))
THREES = {"domain": 3, "cultural": 3}
OTHER = Correction("Which one?", ("one", "three"))
WORDS = {"A": "approve", "E": "revise", "F": "revise", "R": "reject"}
SPLIT = Reason(ReasonCode.VERDICT_SPLIT)
KEY = Reason(ReasonCode.KEY_CHALLENGED)
DIFFERENT = Reason(ReasonCode.DIFFERENT_CORRECTIONS, fields=("question", "options.1"))


def judged(letter: str, *tags: str, domain: int = 4, cultural: int = 4) -> PanelJudgement:
    """A: approve, E: revise to TEXT, F: revise to OTHER, R: reject."""
    correction = {"E": TEXT, "F": OTHER}.get(letter)
    return PanelJudgement(
        WORDS[letter],  # type: ignore[arg-type]
        {"domain": domain, "cultural": cultural},
        frozenset(tags),
        correction,
    )


def decided(
    *judgements: PanelJudgement,
    rule: RuleWord = "unanimous",
    errors: str = "none",
    size: int | None = None,
    gap: int = 2,
) -> Decision:
    return decide(
        judgements,
        panel_size=size or len(judgements),
        verdict_rule=rule,
        score_gap=gap,
        has_open_errors=errors == "open",
    )


@pytest.mark.parametrize(
    ("letters", "unanimous", "majority"),
    [
        ("A", "approved", "approved"),
        ("E", "revised", "revised"),
        ("R", "rejected", "rejected"),
        ("AA", "approved", "approved"),
        ("EE", "revised", "revised"),
        ("EF", "disputed", "disputed"),
        ("RR", "rejected", "rejected"),
        ("AE", "disputed", "disputed"),
        ("AR", "disputed", "disputed"),
        ("ER", "disputed", "disputed"),
        ("AAA", "approved", "approved"),
        ("AAE", "disputed", "approved"),
        ("AAR", "disputed", "approved"),
        ("AEE", "disputed", "revised"),
        ("AEF", "disputed", "disputed"),
        ("EEE", "revised", "revised"),
        ("EEF", "disputed", "disputed"),
        ("EER", "disputed", "revised"),
        ("AER", "disputed", "disputed"),
        ("ARR", "disputed", "disputed"),
        ("ERR", "disputed", "disputed"),
        ("RRR", "rejected", "rejected"),
        ("AAEE", "disputed", "disputed"),
        ("AAAE", "disputed", "approved"),
        ("AAER", "disputed", "disputed"),
        ("AEEE", "disputed", "revised"),
        ("RRRA", "disputed", "disputed"),
        ("AAAEF", "disputed", "approved"),
        ("AAEER", "disputed", "disputed"),
        ("AAEEE", "disputed", "revised"),
        ("AAEEF", "disputed", "disputed"),
        ("RRRRE", "disputed", "disputed"),
        ("RRRRR", "rejected", "rejected"),
    ],
)
def test_decide_by_verdicts_follows_the_table(letters: str, unanimous: str, majority: str) -> None:
    panel = [judged(letter) for letter in letters]

    assert decided(*panel).outcome == unanimous
    assert decided(*panel, rule="majority").outcome == majority


@pytest.mark.parametrize("size", range(1, 6))
def test_decide_with_seats_open_has_no_outcome(size: int) -> None:
    panel = [judged("A")] * (size - 1)

    assert decided(*panel, size=size) == Decision(None)


def test_decide_with_a_further_seat_counts_every_judgement() -> None:
    panel = [judged("A"), judged("A"), judged("E")]

    assert decided(*panel, size=2) == Decision("disputed", (SPLIT,))


@pytest.mark.parametrize("criterion", ["domain", "cultural"])
@pytest.mark.parametrize(
    ("low", "gap", "is_disputed"), [(3, 2, False), (2, 2, True), (3, 1, True), (0, 5, False)]
)
def test_decide_disputes_an_approval_from_the_gap_on(
    criterion: str, low: int, gap: int, *, is_disputed: bool
) -> None:
    decision = decided(judged("A"), judged("A", **{criterion: low}), gap=gap)

    reason = Reason(ReasonCode.SCORE_GAP, criterion, low, 4)  # type: ignore[arg-type]
    expected = Decision("disputed", (reason,)) if is_disputed else Decision("approved")
    assert decision == expected


def test_decide_with_equal_ratings_and_gap_of_one_approves() -> None:
    assert decided(judged("A"), judged("A"), gap=1) == Decision("approved")


@pytest.mark.parametrize(
    ("tag", "errors", "approvals", "corrections", "rejections"),
    [
        ("terminology", "none", "approved", "revised", "rejected"),
        ("wrong_key", "none", "disputed", "disputed", "rejected"),
        ("duplicate", "none", "disputed", "disputed", "rejected"),
        ("not_answerable", "none", "disputed", "revised", "rejected"),
        ("terminology", "open", "disputed", "revised", "rejected"),
    ],
)
def test_decide_by_tags_and_open_errors_follows_the_table(
    tag: str, errors: str, approvals: str, corrections: str, rejections: str
) -> None:
    outcomes = [
        decided(judged(letter, tag), judged(letter), errors=errors).outcome for letter in "AER"
    ]

    assert outcomes == [approvals, corrections, rejections]


def test_decide_names_every_reason_in_fixed_order() -> None:
    decision = decided(
        judged("E", "not_answerable", domain=1),
        judged("F", "wrong_key", "duplicate", cultural=0),
        judged("A"),
        errors="open",
    )

    assert decision == Decision(
        "disputed",
        (
            SPLIT,
            Reason(ReasonCode.SCORE_GAP, "domain", 1, 4),
            Reason(ReasonCode.SCORE_GAP, "cultural", 0, 4),
            DIFFERENT,
            KEY,
            Reason(ReasonCode.FLAGGED, causes=("duplicate", "not_answerable")),
        ),
    )


def test_decide_on_approval_with_open_errors_names_them() -> None:
    decision = decided(judged("A", "duplicate"), judged("A"), errors="open")

    reason = Reason(ReasonCode.FLAGGED, causes=("duplicate", "open_errors"))
    assert decision == Decision("disputed", (reason,))


def test_decide_takes_corrections_that_differ_in_form_only_as_identical() -> None:
    composed, decomposed = "é", unicodedata.normalize("NFD", "é")
    first = PanelJudgement("revise", THREES, correction=Correction(f" {composed}\n", ("a ", "b")))
    second = PanelJudgement("revise", THREES, correction=Correction(decomposed, ("a", " b")))

    assert decided(first, second) == Decision(
        "revised", correction=Correction(composed, ("a", "b"))
    )


@pytest.mark.parametrize(
    ("other", "fields"),
    [
        (Correction("Who?", ("one", "two")), ("question",)),
        (Correction("Which?", ("One", "two")), ("options.0",)),
        (Correction("Which?", ("one", "two", "three")), ("options.2",)),
    ],
)
def test_decide_names_the_fields_in_which_corrections_differ(
    other: Correction, fields: tuple[str, ...]
) -> None:
    decision = decided(
        judged("E"), PanelJudgement("revise", {"domain": 4, "cultural": 4}, correction=other)
    )

    reason = Reason(ReasonCode.DIFFERENT_CORRECTIONS, fields=fields)
    assert decision == Decision("disputed", (reason,))


def test_decide_on_revision_with_a_score_gap_is_revised() -> None:
    decision = decided(judged("E", domain=0), judged("E", domain=5))

    assert decision == Decision("revised", correction=TEXT)


@pytest.mark.parametrize(("size", "gap"), [(0, 2), (2, 0)])
def test_decide_with_impossible_settings_refuses(size: int, gap: int) -> None:
    with pytest.raises(ValueError, match="start at 1"):
        decide([], panel_size=size, verdict_rule="majority", score_gap=gap, has_open_errors=False)


@st.composite
def judgements(draw: st.DrawFn) -> PanelJudgement:
    tags = draw(st.sets(st.sampled_from(["wrong_key", "duplicate", "not_answerable", "grammar"])))
    ratings = {name: draw(st.integers(0, 5)) for name in ("domain", "cultural")}
    return judged(draw(st.sampled_from("AEFR")), *tags, **ratings)


RULES = st.sampled_from(["unanimous", "majority"])
ERRORS = st.sampled_from(["none", "open"])


@given(st.lists(judgements(), min_size=1, max_size=5), RULES, ERRORS, st.data())
@settings(max_examples=100, deadline=None)
def test_decide_does_not_depend_on_the_order_of_judgements(
    panel: list[PanelJudgement],
    rule: RuleWord,
    errors: str,
    data: st.DataObject,
) -> None:
    shuffled = data.draw(st.permutations(panel))

    assert decided(*panel, rule=rule, errors=errors) == decided(*shuffled, rule=rule, errors=errors)


@given(st.lists(judgements(), min_size=1, max_size=5), RULES, ERRORS)
@settings(max_examples=100, deadline=None)
def test_decide_gives_reasons_exactly_to_disputes_and_text_exactly_to_revisions(
    panel: list[PanelJudgement],
    rule: RuleWord,
    errors: str,
) -> None:
    decision = decided(*panel, rule=rule, errors=errors)

    assert decision.outcome is not None
    assert bool(decision.reasons) == (decision.outcome == "disputed")
    assert (decision.correction is not None) == (decision.outcome == "revised")


@given(st.lists(judgements(), min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_decide_by_unanimity_settles_nothing_that_majority_would_not(
    panel: list[PanelJudgement],
) -> None:
    strict = decided(*panel)

    assert strict.outcome == "disputed" or strict == decided(*panel, rule="majority")


@pytest.mark.parametrize(
    ("verdict", "ratings", "correction", "message"),
    [
        ("maybe", THREES, None, "unknown verdict"),
        ("approve", THREES | {"domain": 6}, None, "rating for domain"),
        ("approve", THREES | {"cultural": -1}, None, "rating for cultural"),
        ("approve", {"domain": 3}, None, "rating for cultural"),
        ("revise", THREES, None, "correction"),
        ("approve", THREES, TEXT, "correction"),
    ],
)
def test_panel_judgement_with_impossible_values_refuses(
    verdict: str, ratings: dict[str, int], correction: Correction | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        PanelJudgement(verdict, ratings, correction=correction)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reason", "data"),
    [
        (SPLIT, {"code": "verdict_split"}),
        (
            Reason(ReasonCode.SCORE_GAP, "domain", 0, 4),
            {"code": "score_gap", "criterion": "domain", "low": 0, "high": 4},
        ),
        (DIFFERENT, {"code": "different_corrections", "fields": ["question", "options.1"]}),
        (
            Reason(ReasonCode.FLAGGED, causes=("open_errors",)),
            {"code": "flagged", "causes": ["open_errors"]},
        ),
    ],
)
def test_reason_as_json_holds_its_own_data_only(reason: Reason, data: dict[str, object]) -> None:
    assert reason.as_json() == data


def test_make_tally_is_sorted() -> None:
    tokens = [
        tally_token("revise", {"domain": 2, "cultural": 4}),
        tally_token("approve", {"domain": 4, "cultural": 5}),
    ]

    assert make_tally(tokens) == "A45 E24"


def test_parse_tally_reads_every_possible_judgement_back() -> None:
    scales = itertools.product(*(criterion.scale for criterion in DEFAULT_CRITERIA))
    entries = [TallyEntry(*each) for each in itertools.product(VERDICTS, scales)]

    tally = make_tally(
        tally_token(verdict, dict(zip(DEFAULT_NAMES, ratings, strict=True)))
        for verdict, ratings in entries
    )

    assert sorted(parse_tally(tally)) == sorted(entries)


def test_parse_tally_of_no_judgements_is_empty() -> None:
    assert parse_tally("") == ()


@pytest.mark.parametrize("text", ["A4", "X45", "A46", "A455", "A45,E24", "A4٥"])
def test_parse_tally_of_something_else_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="not a judgement"):
        parse_tally(text)


def test_words_of_outcomes_are_those_of_the_database() -> None:
    assert set(LETTERS) == set(enums.Verdict.values)
    assert {"wrong_key", "duplicate", "not_answerable"} <= set(enums.ErrorTag.values)
    assert {"approved", "revised", "rejected", "disputed"} == set(enums.Outcome.values)
    assert {"unanimous", "majority"} == set(enums.VerdictRule.values)

"""One text of question and options: what is written can be read, or is known to leave doubt."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.importers.options import (
    ParsedOptions,
    cut_at,
    join_options,
    parse_options,
    reads_back,
)

TEXTS = st.lists(
    st.sampled_from([*"ABDＡ.．、):། \n\t\r([x1$\u00a0\u3000", "བོད་", "E. "]), max_size=8
).map("".join)


@given(TEXTS, st.lists(TEXTS, min_size=4, max_size=4) | st.lists(TEXTS, min_size=10, max_size=10))
def test_reads_back_is_true_just_where_reading_gives_the_same_parts(
    question: str, options: list[str]
) -> None:
    read = parse_options(join_options(question, options), len(options))
    assert reads_back(question, options) == (read == ParsedOptions(question, tuple(options)))


@given(TEXTS, st.lists(TEXTS, min_size=4, max_size=4))
def test_text_is_cut_at_options_that_are_told(question: str, options: list[str]) -> None:
    is_whole = all(part.strip() for part in (question, *options))
    expected = ParsedOptions(question, tuple(options)) if is_whole else None
    assert cut_at(join_options(question, options), options) == expected


def test_text_is_not_cut_at_options_of_another_text() -> None:
    text = join_options("Q", ["1", "2", "3", "4"])
    assert cut_at(text, ["1", "2", "3", "5"]) is None
    assert cut_at("Q", []) is None

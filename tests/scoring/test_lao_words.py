"""Lao is cut as LaoNLP cuts it, and in a bounded time where LaoNLP has none."""

from importlib.metadata import version

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring import lao_words as cutting
from scoring.lao_words import CUTTING, lao_segmenter, lao_words

if lao_segmenter() is None:
    pytest.skip("LaoNLP is not installed (extra `lao`)", allow_module_level=True)

from laonlp.tokenize import word_tokenize

NEWS = (
    "ກອງປະຊຸມຄັ້ງນີ້, ເພື່ອເປັນການສະຫຼຸບຕີລາຄາໃນການຈັດຕັ້ງປະຕິບັດວຽກງານ ໃນໄລຍະ 1 ປີຜ່ານມາ ແລະ ທິດທາງແຜນວຽກ "
    "ຈຸດສຸມໃນຊຸມປີຕໍ່ໜ້າ (ສປປ ລາວ) “25 Years”."
)
WORDS = st.lists(
    st.sampled_from(["ລາວ", "ດີ", "ຮູບແບບ", "ບອ", "ບ", "ໆ", "ສະຫຼຸບ", "ການ", "ຂ", "໒໐", "ັ"]),
    max_size=12,
).map("".join)


def test_news_is_cut_as_laonlp_cuts_its_runs_and_marks_stand_alone() -> None:
    found = lao_words(NEWS)
    assert found[:5] == [*word_tokenize("ກອງປະຊຸມຄັ້ງນີ້"), ",", *word_tokenize("ເພື່ອເປັນການ")][:5]
    assert found[-7:] == [*word_tokenize("ລາວ"), ")", "“", "25", "Years", "”", "."]
    assert "".join(found) == NEWS.replace(" ", "")


@settings(max_examples=200, deadline=None)
@given(WORDS)
def test_run_of_words_is_cut_as_laonlp_cuts_it(run: str) -> None:
    """As long as no stretch of it has more than the ways that are handed over whole."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cutting, "_MOST_WAYS", 1_000_000)
        stretches = [*cutting._pieces(run)]
    assume(stretches == [*cutting._pieces(run)])
    assert lao_words(run) == word_tokenize(run, safe_mode=False)


@pytest.mark.parametrize("word", ["ບອ", "ດີ", "ຮູບແບບ", "ລາວ", "ບ"])
def test_word_that_is_repeated_without_end_is_cut_into_words(word: str) -> None:
    """LaoNLP alone takes 20 s for 18 times ບອ, and ends in a RecursionError with 2,500 times ດີ."""
    found = lao_words(word * 2_500)
    assert "".join(found) == word * 2_500
    assert len(found) < 3_000


def test_words_that_overlap_in_any_order_are_cut_too() -> None:
    found = lao_words("ບອບບອອບບບອ" * 300)
    assert 900 < len(found) < 3_000


def test_zero_width_space_parts_words_and_is_none() -> None:
    assert lao_words("ສະບາຍ\u200bດີ") == ["ສະບາຍ", "ດີ"]


def test_signature_names_the_version_of_laonlp() -> None:
    assert lao_segmenter() == f"lotsawa-lao-{CUTTING}-laonlp-{version('laonlp')}"

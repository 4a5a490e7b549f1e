"""BLEU and chrF++ against the numbers of sacrebleu 2.6.0, and their intervals."""

import numpy as np
import pytest

from languages import get_language
from review.overlap import (
    bleu,
    bleu_counts,
    bleu_signature,
    chrf,
    chrf_counts,
    corpus_score,
    tokens_of,
)

TIBETAN = (
    ["བོད་ཀྱི་རྒྱལ་ས་གང་ཡིན། ལྷ་ས།", "གངས་རིའི་མཐོ་ཚད་ག་ཚོད་ཡིན་ནམ། (མི་ཊར)", "ཆུ་ཚོད་གཅིག"],
    ["བོད་ཀྱི་རྒྱལ་ས་གང་རེད། ལྷ་ས།", "གངས་རིའི་མཐོ་ཚད་ག་ཚོད་རེད། (མི་ཊར)", "ཆུ་ཚོད་གཉིས་པ་"],
)
ENGLISH = (
    ["The cat sat on the mat.", "(He) reads books", "One two"],
    ["The cat is on the mat.", "(She) reads old books.", "three"],
)
CHINESE = (["我爱北京天安门", "今天天气好"], ["我爱天安门广场", "今天天气很好"])
SPARSE = (["a b c d e x"], ["a x b y c z"])


@pytest.mark.parametrize(
    ("texts", "language", "expected_bleu", "expected_chrf"),
    [
        (TIBETAN, "bo", 64.82472507087007, 65.99777988036881),
        (ENGLISH, "en", 31.753271446831523, 52.52970511009342),
        (CHINESE, "zh", 38.683102506800005, 26.070028309588196),
        (SPARSE, "en", 11.478744233307168, 16.666666666666664),
    ],
)
def test_scores_are_those_of_sacrebleu(
    texts: tuple[list[str], list[str]], language: str, expected_bleu: float, expected_chrf: float
) -> None:
    words, letters = _counts(*texts, language)

    assert bleu(words.sum(axis=0)) == pytest.approx(expected_bleu)
    assert chrf(letters.sum(axis=0)) == pytest.approx(expected_chrf)


@pytest.mark.parametrize("text", ["", " ", "།", "a"])
def test_scores_of_a_text_with_nothing_in_it_are_numbers(text: str) -> None:
    words, letters = _counts([text], ["ལྷ་ས།"], "bo")

    assert bleu(words.sum(axis=0)) == 0
    assert 0 <= chrf(letters.sum(axis=0)) <= 100


def test_the_same_text_scores_100() -> None:
    text = "བོད་ཀྱི་རྒྱལ་ས་གང་རེད།"
    words, letters = _counts([text], [text], "bo")

    assert bleu(words.sum(axis=0)) == pytest.approx(100)
    assert chrf(letters.sum(axis=0)) == pytest.approx(100)


def test_corpus_score_is_the_same_for_the_same_seed_and_holds_the_value() -> None:
    words, _letters = _counts(*ENGLISH, "en")

    first, again = corpus_score(words, bleu), corpus_score(words, bleu)

    assert first == again
    assert first is not None
    assert first.low <= first.value <= first.high


def test_corpus_score_of_nothing_is_none() -> None:
    assert corpus_score(np.array([]), bleu) is None


def test_signature_names_our_segmenter() -> None:
    assert "tok:lotsawa-tsheg-1" in bleu_signature(get_language("bo"))


def _counts(texts: list[str], references: list[str], code: str) -> tuple[np.ndarray, np.ndarray]:
    language = get_language(code)
    pairs = list(zip(texts, references, strict=True))
    words = [bleu_counts(tokens_of(a, language), tokens_of(b, language)) for a, b in pairs]
    return np.array(words), np.array([chrf_counts(a, b) for a, b in pairs])

"""BLEU and chrF++ from summed rows against sacrebleu's own scores of whole texts, and their intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from languages import get_language
from review.figures.overlap import (
    BLEU_COUNTS,
    bleu,
    bleu_counts,
    chrf,
    chrf_counts,
    corpus_score,
    signatures,
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
LAO = (["ລາວມີນະຄອນຫຼວງວຽງຈັນ"], ["ນະຄອນຫຼວງຂອງລາວແມ່ນວຽງຈັນ"])
SPARSE = (["a b c d e x"], ["a x b y c z"])
Texts = tuple[list[str], list[str]]
PAIRS = st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("texts", "language"),
    [(TIBETAN, "bo"), (ENGLISH, "en"), (CHINESE, "zh"), (LAO, "lo"), (SPARSE, "en")],
)
def test_summed_rows_score_what_sacrebleu_scores_for_all_texts(texts: Texts, language: str) -> None:
    assert _summed(texts, language) == pytest.approx(_by_sacrebleu(texts, language))


@settings(max_examples=50)
@given(PAIRS)
def test_summed_rows_of_any_texts_score_what_sacrebleu_scores(pairs: list[tuple[str, str]]) -> None:
    texts = ([a for a, _b in pairs], [b for _a, b in pairs])
    assert _summed(texts, "bo") == pytest.approx(_by_sacrebleu(texts, "bo"))


def test_the_same_text_scores_100() -> None:
    text = ["བོད་ཀྱི་རྒྱལ་ས་གང་རེད།"]
    assert _summed((text, text), "bo") == pytest.approx((100, 100))


def test_corpus_score_is_the_same_for_the_same_seed_and_holds_the_value() -> None:
    words, _letters = _counts(ENGLISH, "en")

    first, again = corpus_score(bleu(), words), corpus_score(bleu(), words)

    assert first == again
    assert first is not None
    assert first.low <= first.value <= first.high


def test_corpus_score_of_nothing_is_none() -> None:
    assert corpus_score(bleu(), np.array([])) is None


def test_signatures_name_our_segmenter_and_sacrebleu() -> None:
    from sacrebleu import __version__

    assert signatures(get_language("bo")) == {
        "bleu": f"nrefs:1|case:mixed|eff:no|tok:lotsawa-tsheg-1|smooth:exp|version:{__version__}",
        "chrf": f"nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:{__version__}",
    }


def _summed(texts: Texts, code: str) -> tuple[float, float]:
    words, letters = _counts(texts, code)
    assert words.shape[1] == BLEU_COUNTS
    found = corpus_score(bleu(), words, draws=0), corpus_score(chrf(), letters, draws=0)
    assert found[0]
    assert found[1]
    return found[0].value, found[1].value


def _by_sacrebleu(texts: Texts, code: str) -> tuple[float, float]:
    language = get_language(code)
    ours, theirs = ([" ".join(tokens_of(t, language)) for t in side] for side in texts)
    words = BLEU(tokenize="none", force=True).corpus_score(ours, [theirs])
    letters = CHRF(word_order=2).corpus_score(texts[0], [texts[1]])
    return words.score, letters.score


def _counts(texts: Texts, code: str) -> tuple[np.ndarray, np.ndarray]:
    pairs = list(zip(*texts, strict=True))
    words = [bleu_counts(a, b, get_language(code)) for a, b in pairs]
    return np.array(words), np.array([chrf_counts(a, b) for a, b in pairs])

"""BLEU and chrF++ from summed rows against sacrebleu's own scores of whole texts, and their intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from languages import get_language
from scoring.overlap import (
    BLEU_COUNTS,
    bleu,
    bleu_counts,
    chrf,
    chrf_counts,
    compare_scores,
    corpus_score,
    draw_scores,
    signatures,
    text_counts,
    text_scores,
)
from scoring.segmenters import tokens_of

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
Metric = BLEU | CHRF
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
        "bleu": f"nrefs:1|case:mixed|eff:no|tok:lotsawa-tsheg-2|smooth:exp|version:{__version__}",
        "chrf": f"nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:{__version__}",
    }


@pytest.mark.parametrize(
    ("texts", "language", "tokenize"),
    [
        (CHINESE, "zh-Hant", "zh"),
        ((["第3章讲DNA和RNA。"], ["第3章讲的是DNA。"]), "zh", "zh"),
        ((["東京は日本の首都です。 "], ["東京都は日本の首都。"]), "ja", "char"),
        (ENGLISH, "en", "13a"),
        ((["Улаанбаатар нь 1,5 сая хүнтэй."], ["Улаанбаатар хот 1,5 сая хүнтэй."]), "mn", "13a"),
    ],
)
def test_bleu_and_its_signature_are_those_of_the_tokenizer_of_sacrebleu(
    texts: Texts, language: str, tokenize: str
) -> None:
    words, _letters = _counts(texts, language)
    theirs = BLEU(tokenize=tokenize)
    expected = theirs.corpus_score(texts[0], [texts[1]])

    found = corpus_score(bleu(), words, draws=0)

    assert found is not None
    assert found.value == pytest.approx(expected.score)
    assert signatures(get_language(language))["bleu"] == str(theirs.get_signature())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(bleu(), BLEU(tokenize="none", force=True)), (chrf(), CHRF(word_order=2))],
    ids=["bleu", "chrf"],
)
def test_paired_bootstrap_is_that_of_sacrebleu(ours: Metric, theirs: Metric) -> None:
    references = [f"the cat {n} sat on a mat and slept all day long" for n in range(12)]
    first = [text.replace("mat", "rug" if n % 2 else "mat") for n, text in enumerate(references)]
    second = [text.replace("sat", "sits" if n % 3 else "sat") for n, text in enumerate(references)]
    systems = [("first", first), ("second", second)]
    names, results = PairedTest(
        systems, {"metric": theirs}, [references], test_type="bs", n_samples=200
    )()
    expected_first, expected_second = results[next(iter(names))]

    found = compare_scores(
        *(draw_scores(ours, _rows(ours, side, references), draws=200) for side in (first, second))
    )

    assert (found.first, found.second) == pytest.approx(
        (
            expected_first.score,
            expected_second.score,
        )
    )
    assert found.p == pytest.approx(expected_second.p_value)
    assert 0.02 < found.p < 0.98
    assert found.difference.low < found.difference.value < found.difference.high
    assert found.difference.value == pytest.approx(found.first - found.second)


def test_interval_holds_what_sacrebleu_draws() -> None:
    words, _letters = _counts(ENGLISH, "en")
    sides = ([" ".join(tokens_of(t, get_language("en"))) for t in side] for side in ENGLISH)
    ours, theirs = sides
    judge = BLEU(tokenize="none", force=True)
    bootstrap = judge.corpus_score(ours, [theirs], n_bootstrap=400)

    found = corpus_score(bleu(), words, draws=400)

    assert found is not None
    low, high = bootstrap._mean - bootstrap._ci, bootstrap._mean + bootstrap._ci
    assert (found.high - found.low) == pytest.approx(high - low, rel=0.05)


def test_paired_bootstrap_of_a_system_with_itself_finds_nothing() -> None:
    words, _letters = _counts(ENGLISH, "en")
    found = compare_scores(draw_scores(bleu(), words), draw_scores(bleu(), words))
    assert (found.difference, found.p) == ((0, 0, 0), 1)


def test_scores_of_whole_rows_are_those_of_their_parts() -> None:
    rows = [text_counts(a, b, get_language("en")) for a, b in zip(*ENGLISH, strict=True)]
    words, letters = _counts(ENGLISH, "en")
    found = text_scores(rows)
    assert found == (corpus_score(bleu(), words), corpus_score(chrf(), letters), 3)


def _rows(metric: Metric, texts: list[str], references: list[str]) -> np.ndarray:
    """Rows of texts that need no cutting."""
    return np.array(metric._extract_corpus_statistics(texts, [references]))


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

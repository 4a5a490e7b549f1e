"""Each language is cut as papers cut it, and no vowel sign is cut off its letter."""

import pytest

from languages import get_language
from scoring.lao_words import lao_segmenter
from scoring.segmenters import segmenter_of, tokens_of


@pytest.mark.parametrize(
    ("codes", "segmenter"),
    [
        ("en mn ar ug hi ru el ko de xx sr-Latn", "13a"),
        ("zh zh-Hant zh-TW yue wuu", "zh"),
        ("ja th km my", "char"),
        ("bo dz bo-CN", "lotsawa-tsheg-2"),
    ],
)
def test_segmenter_is_that_of_the_script(codes: str, segmenter: str) -> None:
    found = {code: segmenter_of(get_language(code)) for code in codes.split()}
    assert found == dict.fromkeys(codes.split(), segmenter)


@pytest.mark.parametrize(
    ("text", "language", "tokens"),
    [
        ("क्या हिन्दी है?", "hi", ["क्या", "हिन्दी", "है", "?"]),
        ("كِتَابٌ، قَلَم", "ar", ["كِتَابٌ،", "قَلَم"]),
        ("می‌روم 3.5", "fa", ["می‌روم", "3.5"]),
        ("e\u0301te\u0301 (x_1)", "fr", ["e\u0301te\u0301", "(", "x", "_", "1", ")"]),
        ("ཙ༹་བོད། हिन्दी", "bo", ["ཙ༹", "བོད", "།", "हिन्दी"]),
        ("བོད༌ཡིག", "bo", ["བོད", "ཡིག"]),
        ("สวย ดี", "th", ["ส", "ว", "ย", "ด", "ี"]),
    ],
)
def test_texts_are_cut_into_tokens(text: str, language: str, tokens: list[str]) -> None:
    assert tokens_of(text, get_language(language)) == tokens


def test_lao_is_cut_into_characters_where_laonlp_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scoring.segmenters.lao_segmenter", lambda: None)
    assert segmenter_of(get_language("lo")) == "char"
    assert tokens_of("ລາວ ດີ", get_language("lo")) == list("ລາວດີ")


@pytest.mark.skipif(lao_segmenter() is None, reason="LaoNLP is not installed (extra `lao`)")
def test_lao_is_cut_into_words_where_laonlp_is_installed() -> None:
    lao = get_language("lo-LA")
    assert segmenter_of(lao) == lao_segmenter()
    assert tokens_of("ພາສາລາວໃນປັດຈຸບັນ.", lao) == ["ພາສາລາວ", "ໃນ", "ປັດຈຸບັນ", "."]

"""Makes items that ask for the word of a gap, from sentences and a vocabulary with parts of speech.

The wrong words are of the kind of the right one, so that grammar does not give it away. None of them
shares its stem, which would make a form of it that may fit as well, and none stands in the sentence.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from annotation.making.base import (
    OPTION_COUNT,
    Made,
    MadeItem,
    dice_of,
    make_each,
    uid_of,
    with_key,
)
from annotation.making.words import BAR, bare, sentence_of, words_of
from languages.base import Language

WAY: Final = "cloze"
VERSION: Final = 2
GAP: Final = "____"
KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {"pronoun": "noun", "propernoun": "noun", "adverb": "adjective"}
)
"""Parts of speech that stand for another: nouns go with pronouns, adjectives with adverbs."""
_LEAST_STEM: Final = 3
_STEM_SHARE: Final = 0.6


def make_cloze(
    sentences: Sequence[str],
    vocabulary: Mapping[str, str],
    language: Language,
    *,
    question: str,
    seed: int,
) -> Made:
    """Return an item for each sentence that has one; `vocabulary` has a part of speech for each word.

    `question` has “%s” where the sentence with its gap goes.
    """
    kinds = {
        compared: (word, kind_of(speech))
        for word, speech in vocabulary.items()
        if (compared := bare(word))
    }
    return make_each(sentences, lambda text: _made(text, kinds, language, question, seed))


def kind_of(part_of_speech: str) -> str:
    """Return the kind of words that a part of speech goes with."""
    speech = part_of_speech.strip().casefold()
    return KINDS.get(speech, speech)


def shares_stem(word: str, other: str, language: Language) -> bool:
    """Return whether two bare words may be forms of one: equal without an ending, or with a long common beginning.

    Common beginnings count from 3 characters and 60 % of the shorter word.
    """
    if _stems(word, language) & _stems(other, language):
        return True
    common = 0
    for ours, theirs in zip(word, other, strict=False):
        if ours != theirs:
            break
        common += 1
    return common >= max(_LEAST_STEM, _STEM_SHARE * min(len(word), len(other)))


def _stems(word: str, language: Language) -> set[str]:
    endings = (bare(ending) for ending in language.word_endings)
    return {word} | {
        word.removesuffix(ending) for ending in endings if ending and len(word) > len(ending)
    }


def _made(
    text: str,
    kinds: Mapping[str, tuple[str, str]],
    language: Language,
    question: str,
    seed: int,
) -> MadeItem | str:
    """Return the item of a sentence, or the code of the reason why there is none."""
    if not language.is_spaced and BAR not in text:
        return "words_not_parted"
    words = words_of(text, language)
    compared = [bare(word) for word in words]
    sentence = sentence_of(words, language)
    dice = dice_of(WAY, sentence, seed)
    # A word that stands twice would be given by its other place.
    known = [p for p, word in enumerate(compared) if word in kinds and compared.count(word) == 1]
    if not known:
        return "no_word_known"
    for place in dice.sample(known, len(known)):
        wrong = _distractors(compared[place], compared, kinds, language)
        if len(wrong) < OPTION_COUNT - 1:
            continue
        right = kinds[compared[place]][0]
        options, key = with_key(right, dice.sample(wrong, OPTION_COUNT - 1), dice)
        gap = sentence_of([*words[:place], _gapped(words[place]), *words[place + 1 :]], language)
        recipe = f"{WAY} {VERSION}, seed {seed}"
        return MadeItem(uid_of(WAY, sentence), question % gap, options, key, recipe)
    return "too_few_distractors"


def _distractors(
    key: str,
    sentence: Sequence[str],
    kinds: Mapping[str, tuple[str, str]],
    language: Language,
) -> list[str]:
    """Return the words of the vocabulary that may stand beside a key, in the vocabulary's order."""
    kind = kinds[key][1]
    return [
        word
        for compared, (word, other_kind) in kinds.items()
        if other_kind == kind
        and compared not in sentence
        and not shares_stem(key, compared, language)
    ]


def _gapped(word: str) -> str:
    """Return the gap with the marks that stood at a word."""
    start = next(place for place, sign in enumerate(word) if bare(sign))
    end = next(place for place in range(len(word), 0, -1) if bare(word[place - 1]))
    return f"{word[:start]}{GAP}{word[end:]}"

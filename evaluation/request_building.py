"""Converts rows to the plain values that prompts and scorers use."""

from collections.abc import Mapping, Sequence

from annotation.enums import ItemKind
from annotation.translating.briefs import language_title
from endpoints.providers.base import CONTENT_FILTER
from evaluation.models import ModelResponse, Run
from languages import get_language
from languages.letters import DIGITS, MIN_OPTIONS, letter_of, position_of
from prompts.models import PromptTemplate
from prompts.rendering import NUMBERS, PromptItem
from releases.models import ReleaseItem
from scoring.batch import ScoredExtraction, score_response
from scoring.error_kinds import Ending, Shots, error_kind
from scoring.metrics import Outcome
from scoring.scorers import GRADED_METHODS, RUN_METHODS, SCORERS, AskedItem, Scorer
from scoring.scorers.base import Extraction, KeyKind
from scoring.scorers.letters import OptionLetters
from scoring.scorers.reasoning import answer_text

KIND_OF_KEY: Mapping[KeyKind, ItemKind] = {
    "option": ItemKind.CHOICE,
    "number": ItemKind.NUMBER,
    "text": ItemKind.OPEN,
    "translation": ItemKind.TRANSLATION,
}
"""The kind of items that methods for each kind of key score."""

ShotsBySubject = Mapping[tuple[int, str], Sequence[PromptItem]]
OWN_CAUSES: Mapping[Outcome, str] = {"correct": "", "knowledge_error": "knowledge"}
"""The outcomes that say all; the text need not be looked at."""


def turned(placed: ReleaseItem, rotation: int) -> tuple[str, ...]:
    """The options from the one at `rotation` on, then those before it."""
    options = tuple(placed.options)
    start = rotation % len(options) if options else 0
    return options[start:] + options[:start]


def letter_shown(letter: str, count: int, rotation: int) -> str:
    """The letter that an option of `count` has in a prompt; with -`rotation`, the other way round."""
    place = position_of(letter, count)
    return letter if place is None else letter_of((place - rotation) % count)


def prompt_item(placed: ReleaseItem, rotation: int = 0) -> PromptItem:
    """Convert a released item for a prompt, as the release froze it, or with its options rotated.

    An explanation is one in the target language: the source's would change the language of the
    answer without a word.
    """
    return PromptItem(
        question=placed.revision.question,
        options=turned(placed, rotation),
        subject=placed.subject.slug,
        key=_key_shown(placed, rotation),
        explanation=placed.revision.explanation,
        has_number=placed.kind == ItemKind.NUMBER,
        is_open=placed.kind == ItemKind.OPEN,
        languages=languages_named(placed) if placed.kind == ItemKind.TRANSLATION else None,
    )


def languages_named(placed: ReleaseItem) -> tuple[str, str]:
    """Return the names of the two languages of an item that asks for a translation."""
    return language_title(placed.source_language), language_title(placed.target_language)


def answer_language(run: Run, placed: ReleaseItem) -> str:
    """Return the language that an answer should be in: that of the prompt, or of a translation."""
    if placed.kind == ItemKind.TRANSLATION:
        return placed.target_language
    return run.prompt_template.language


def asked_item(placed: ReleaseItem, script: str, rotation: int = 0) -> AskedItem:
    """Convert a released item for scorers; those of numbers read no letters.

    An item with more options than `script` names was asked with Latin letters, see `labels_of`.
    """
    options = turned(placed, rotation)
    count = len(options) or MIN_OPTIONS
    letters = OptionLetters(count, script if len(script) >= count else "")
    return AskedItem(letters, options, placed.revision.question.strip())


def score_one(
    response: ModelResponse,
    scorers: Sequence[Scorer],
    script: str,
    *,
    is_published: bool,
    rotation: int,
) -> tuple[ScoredExtraction, ...]:
    """Score a response by the methods for its item; the item and revision must be loaded.

    The letters of the result are those of the release, whatever `rotation` the prompt had.
    """
    placed = response.release_item
    if placed.kind == ItemKind.OPEN and not placed.reference:
        return ()  # nothing to compare with
    scorers = [each for each in scorers if KIND_OF_KEY[each.key_kind] == placed.kind]
    scored = score_response(
        response.text,
        key=_key_shown(placed, rotation),
        asked=asked_item(placed, script, rotation),
        scorers=scorers,
        is_published=is_published,
    )
    if not rotation or placed.kind != ItemKind.CHOICE:
        return scored
    count = len(placed.options)
    return tuple(
        each._replace(extraction=_turned_back(each.extraction, count, rotation)) for each in scored
    )


def _key_shown(placed: ReleaseItem, rotation: int) -> str:
    if placed.kind != ItemKind.CHOICE:
        return placed.reference
    if not rotation:
        return placed.key
    return letter_shown(placed.key, len(placed.options), rotation)


def _turned_back(extraction: Extraction, count: int, rotation: int) -> Extraction:
    letter = extraction.letter
    seen = (letter_shown(each, count, -rotation) for each in extraction.letters_seen)
    return extraction._replace(
        letter=None if letter is None else letter_shown(letter, count, -rotation),
        letters_seen=tuple(sorted(seen)),
    )


def cause_of(
    response: ModelResponse, scored: ScoredExtraction, run: Run, shots: ShotsBySubject
) -> str:
    """Return the kind of error of a scored response, empty if it is right."""
    if scored.outcome in OWN_CAUSES:
        return OWN_CAUSES[scored.outcome]
    if SCORERS[scored.method].reads == "likelihoods":
        return scored.outcome
    placed = response.release_item
    is_open = placed.kind == ItemKind.OPEN  # asked without examples
    of_item = () if is_open else shots.get((placed.subject_id, placed.kind), ())
    is_refused = bool(response.refusal) or response.error == CONTENT_FILTER
    kind = error_kind(
        answer_text(response.text, is_published=run.is_published),
        outcome=scored.outcome,
        ending=Ending(response.finish_reason, is_refused),
        question=placed.revision.question.strip(),
        shots=Shots(
            tuple(shot.question.strip() for shot in of_item),
            tuple(shot.key for shot in of_item),
        ),
        script=get_language(run.prompt_template.language).script,
    )
    return kind or ""


def scorers_of(run: Run) -> tuple[Scorer, ...]:
    """Return the methods of a run that grade an answer by themselves, the headline method first."""
    names = (name for name in RUN_METHODS if name in GRADED_METHODS)
    return tuple(SCORERS[name] for name in names if name in run.methods)


def script_letters(run: Run) -> str:
    """Return what names the options in the run's prompt besides the Latin letters, if anything.

    These are the numbers of a prompt with numbers, or else the letters of its language.
    """
    return letters_of_prompt(run.prompt_template)


def letters_of_prompt(prompt: PromptTemplate) -> str:
    """Return what names the options in a prompt besides the Latin letters, if anything."""
    if prompt.labels == NUMBERS:
        return DIGITS
    return get_language(prompt.language).option_letters

"""Converts rows to the plain values that prompts and scorers use."""

from collections.abc import Mapping, Sequence

from annotation.enums import ItemKind
from evaluation.models import ModelResponse, PromptTemplate, Run
from evaluation.prompts import PromptItem, Template
from evaluation.scorers import SCORERS, AskedItem, Scorer
from evaluation.scorers.base import KeyKind
from evaluation.scorers.batch import ScoredExtraction, score_response
from evaluation.scorers.letters import OptionLetters
from languages import get_language
from languages.letters import MIN_OPTIONS
from releases.models import ReleaseItem

KIND_OF_KEY: Mapping[KeyKind, ItemKind] = {"option": ItemKind.CHOICE, "number": ItemKind.NUMBER}
"""The kind of items that methods for each kind of key score."""


def template_of(prompt: PromptTemplate) -> Template:
    """Convert a prompt template for `prompts.render`."""
    return Template(prompt.language, prompt.style, prompt.system, prompt.frame)


def prompt_item(placed: ReleaseItem) -> PromptItem:
    """Convert a released item for a prompt, as the release froze it."""
    return PromptItem(
        question=placed.revision.question,
        options=tuple(placed.options),
        subject=placed.subject.slug,
        key=placed.key,
        explanation=placed.revision.explanation or placed.explanation,
        has_number=placed.kind == ItemKind.NUMBER,
    )


def asked_item(placed: ReleaseItem, script: str) -> AskedItem:
    """Convert a released item for scorers; those of numbers read no letters."""
    options = tuple(placed.options)
    letters = OptionLetters(len(options) or MIN_OPTIONS, script)
    return AskedItem(letters, options, placed.revision.question.strip())


def score_one(
    response: ModelResponse, scorers: Sequence[Scorer], script: str
) -> tuple[ScoredExtraction, ...]:
    """Score a response by the methods for its item; the item and revision must be loaded."""
    placed = response.release_item
    scorers = [each for each in scorers if KIND_OF_KEY[each.key_kind] == placed.kind]
    asked = asked_item(placed, script)
    return score_response(response.text, key=placed.key, asked=asked, scorers=scorers)


def scorers_of(run: Run) -> tuple[Scorer, ...]:
    """Return the methods of a run, the headline method first."""
    return tuple(scorer for name, scorer in SCORERS.items() if name in run.methods)


def script_letters(run: Run) -> str:
    """Return the option letters of the run's language besides the Latin ones, if it has any."""
    return get_language(run.prompt_template.language).option_letters

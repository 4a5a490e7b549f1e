"""Converts rows to the plain values that prompts and scorers use."""

from collections.abc import Sequence

from evaluation.models import ModelResponse, PromptTemplate, Run
from evaluation.prompts import PromptItem, Template
from evaluation.scorers import SCORERS, AskedItem, Scorer
from evaluation.scorers.batch import ScoredExtraction, score_response
from evaluation.scorers.letters import OptionLetters
from languages import get_language
from releases.models import ReleaseItem


def template_of(prompt: PromptTemplate) -> Template:
    """Convert a prompt template for `prompts.render`."""
    return Template(prompt.language, prompt.style, prompt.system, prompt.frame)


def prompt_item(placed: ReleaseItem) -> PromptItem:
    """Convert a released item for a prompt, as the release froze it."""
    return PromptItem(
        question=placed.revision.question,
        options=tuple(placed.revision.options),
        subject=placed.subject.slug,
        key=placed.key,
        explanation=placed.explanation,
    )


def asked_item(placed: ReleaseItem, script: str) -> AskedItem:
    """Convert a released item for scorers."""
    options = tuple(placed.revision.options)
    letters = OptionLetters(len(options), script)
    return AskedItem(letters, options, placed.revision.question.strip())


def score_one(
    response: ModelResponse, scorers: Sequence[Scorer], script: str
) -> tuple[ScoredExtraction, ...]:
    """Score a response, which must have its item and revision loaded."""
    placed = response.release_item
    asked = asked_item(placed, script)
    return score_response(response.text, key=placed.key, asked=asked, scorers=scorers)


def scorers_of(run: Run) -> tuple[Scorer, ...]:
    """Return the methods of a run, the headline method first."""
    return tuple(scorer for name, scorer in SCORERS.items() if name in run.methods)


def script_letters(run: Run) -> str:
    """Return the option letters of the run's language besides the Latin ones, if it has any."""
    return get_language(run.prompt_template.language).option_letters

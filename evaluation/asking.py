"""From rows to the plain values that prompts and scorers take."""

from collections.abc import Sequence

from evaluation.models import ModelResponse, PromptTemplate, Run
from evaluation.prompts import PromptItem, Template
from evaluation.scorers import SCORERS, AskedItem, Scorer
from evaluation.scorers.batch import ScoredExtraction, score_response
from evaluation.scorers.letters import SCRIPT_LETTERS, OptionLetters
from releases.models import ReleaseItem


def template_of(prompt: PromptTemplate) -> Template:
    """A prompt template as `prompts.render` takes it."""
    return Template(prompt.language, prompt.style, prompt.system, prompt.frame)


def prompt_item(placed: ReleaseItem) -> PromptItem:
    """A released item as a prompt shows it: the text of the release, the key of the item."""
    return PromptItem(
        question=placed.revision.question,
        options=tuple(placed.revision.options),
        subject=placed.item.subject.slug,
        key=placed.item.key,
        explanation=placed.item.explanation,
    )


def asked_item(placed: ReleaseItem, script: str) -> AskedItem:
    """A released item as scorers know it."""
    options = tuple(placed.revision.options)
    letters = OptionLetters(len(options), script)
    return AskedItem(letters, options, placed.revision.question.strip())


def score_one(
    response: ModelResponse, scorers: Sequence[Scorer], script: str
) -> tuple[ScoredExtraction, ...]:
    """What `scorers` take from one response (with its item and revision) and what it is worth."""
    placed = response.release_item
    asked = asked_item(placed, script)
    return score_response(response.text, key=placed.item.key, asked=asked, scorers=scorers)


def scorers_of(run: Run) -> tuple[Scorer, ...]:
    """The methods of a run, in its order."""
    return tuple(SCORERS[name] for name in run.methods)


def script_letters(run: Run) -> str:
    """The option letters of the run's language besides the Latin ones; empty where none are known."""
    language = run.prompt_template.language.split("-")[0].lower()
    return SCRIPT_LETTERS.get(language, "")

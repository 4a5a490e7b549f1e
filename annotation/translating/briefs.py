"""Fills the prompt of an item: its glossary terms, similar approved items, and the target's conventions."""

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Final

from babel import Locale, UnknownLocaleError

from annotation.enums import SplitName, TranslationState
from annotation.glossary.queries import terms_in_source
from annotation.items.other_sources import other_sources
from annotation.items.queries import current_revision
from annotation.memory.queries import items_like
from annotation.models import Item, Revision
from annotation.style_notes import style_notes
from annotation.translating.prompting import Brief
from annotation.translating.texts import ItemText, Source
from languages import get_language
from projects.models import Project
from prompts.models import PromptTemplate
from prompts.translation import fill

EXAMPLES: Final = 3


def brief_of(item: Item, prompt: PromptTemplate, *, without: Collection[int]) -> Brief:
    """Return what a model is told of an item. `without` are items that must not be its examples."""
    project, source, frame = item.project, source_of(item), prompt.frame
    shared = slots_of(project)
    values = shared | {
        "item": source.text.as_json(),
        "subject": item.subject.name,
        "terms": _terms(project, item),
        "examples": _examples(project, item, without),
        "other_sources": _other_sources(item),
        "dev_examples": _dev_examples(project, item, without) if "{dev_examples}" in frame else "",
        "guideline": style_notes(project.pk) if "{guideline}" in frame else "",
    }
    return Brief(source, fill(prompt.system, shared), fill(frame, values))


def engine_brief_of(item: Item, engine: str) -> Brief:
    """Return what a plain engine is told of an item: its texts."""
    return Brief(source_of(item), "", "", engine)


def source_of(item: Item) -> Source:
    """Return an item as a text to translate."""
    project = item.project
    return Source(
        text_of(item), item.kind, item.key, project.source_language, project.target_language
    )


def text_of(row: Item | Revision) -> ItemText:
    """Return the text of an item or of a translation as a model reads it."""
    return ItemText(row.question, tuple(row.options), row.answer, row.explanation)


def slots_of(project: Project) -> dict[str, str]:
    """Return the slots that are the same for all items: names of the languages, script, conventions."""
    target = get_language(project.target_language)
    return {
        "source_language": language_title(project.source_language),
        "target_language": language_title(project.target_language),
        "script": "" if target.script == "Zyyy" else target.script,
        "conventions": _conventions(project.target_language),
    }


def language_title(code: str) -> str:
    """Return the English name of a language with its own name and tag: Tibetan (བོད་ཡིག, bo)."""
    language = get_language(code)
    try:
        title = Locale.parse(code, sep="-").get_display_name("en") or code
    except (UnknownLocaleError, ValueError):
        title = code
    own = f"{language.name}, " if language.name and language.name != code else ""
    return f"{title} ({own}{code})"


def _conventions(code: str) -> str:
    language = get_language(code)
    marks = " ".join(language.sentence_marks)
    said = [
        f"Its sentence marks are {marks} ." if marks else "",
        f"Its own digits are {language.digits}; keep the digits of the source."
        if language.digits
        else "",
    ]
    return " ".join(filter(None, said))


def _terms(project: Project, item: Item) -> str:
    """Return the glossary terms of an item, each once, with what to write and what not to."""
    hits = {hit.term: None for hit in terms_in_source(project, item.question, item.options)}
    lines = [line for term in hits if (line := _term(term.source, term.preferred, term.forbidden))]
    return "\n".join(["Use these terms:", *lines]) if lines else ""


def _other_sources(item: Item) -> str:
    """Return the item in its further source languages, for what the first leaves open."""
    found = [
        f"{language_title(other.language)}: {ItemText(other.question, other.options).as_json()}"
        for other in other_sources(item, item.project)
    ]
    return "\n".join(["The same item in other languages:", *found]) if found else ""


def _term(source: str, preferred: Sequence[str], forbidden: Sequence[str]) -> str:
    wanted = f"write {' or '.join(preferred)}" if preferred else ""
    unwanted = f"do not write {' or '.join(forbidden)}" if forbidden else ""
    rule = "; ".join(filter(None, (wanted, unwanted)))
    return f"- {source}: {rule}" if rule else ""


def _examples(project: Project, item: Item, without: Collection[int]) -> str:
    """Return approved translations of items like this one, of the same subject first."""
    matches = [match.item for match in items_like(project, item) if match.item.pk not in without]
    matches.sort(key=lambda other: other.subject_id != item.subject_id)
    return _shown("Approved translations of similar items:", matches)


def _dev_examples(project: Project, item: Item, without: Collection[int]) -> str:
    """Return approved translations of dev items of the same subject, the first ones."""
    rows = Item.objects.filter(project=project, split=SplitName.DEV, subject=item.subject_id)
    approved = rows.filter(working_translation__state=TranslationState.APPROVED)
    others = approved.exclude(pk__in=[item.pk, *without]).order_by("uid_order", "pk")
    wanted = others.select_related("working_translation__current_revision")
    return _shown("Approved translations of items of this subject:", wanted[:EXAMPLES])


def _shown(title: str, items: Iterable[Item]) -> str:
    texts = [(other, current_revision(other)) for other in islice(items, EXAMPLES)]
    pairs = [
        f"{text_of(other).as_json()}\n→ {text_of(text).as_json()}" for other, text in texts if text
    ]
    return "\n".join([title, *pairs]) if pairs else ""

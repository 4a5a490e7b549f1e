"""Builds the chat messages for an item and its shots; every language has built-in prompts."""

import string
from collections.abc import Sequence
from dataclasses import dataclass

from endpoints.providers.base import Message
from languages import PromptFrames, get_language
from languages.letters import MAX_OPTIONS, letters_of, position_of

REQUIRED = frozenset({"question", "options"})
ALLOWED = frozenset({"question", "options", "letters", "subject"})
DIRECT = "direct"
CHAIN_OF_THOUGHT = "chain-of-thought"


class TemplateError(ValueError):
    """A template is not valid.

    code: stable name of the reason
    placeholder: the one at fault, if any
    """

    def __init__(self, code: str, detail: str, placeholder: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.placeholder = placeholder


class PromptError(ValueError):
    """An item or a shot does not fit into a prompt."""


@dataclass(frozen=True, slots=True)
class PromptItem:
    """An item as a prompt shows it; a number answers it if it `has_number`.

    Only shots need a `key`, which is a Latin option letter or the number.
    """

    question: str
    options: tuple[str, ...]
    subject: str = ""
    key: str = ""
    explanation: str = ""
    has_number: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt template with the placeholders {question}, {options}, {letters} and {subject}.

    Write {{ and }} for braces. `system` may be empty. `language` determines how the answer of a
    shot is phrased.
    """

    language: str
    style: str
    system: str
    frame: str


def frames_of(language: str) -> PromptFrames:
    """Return the built-in prompts for a language tag such as `bo`, in English if it has none."""
    frames = get_language(language).frames or get_language("en").frames
    if frames is None:
        raise LookupError("There are no built-in prompts in English.")
    return frames


def number_template(template: Template) -> Template:
    """Return the built-in template for items that a number answers, in a template's language and style.

    Its system message is left out where that of `template` is. The frame of `template` cannot be
    used, because it shows options.
    """
    frames = number_frames_of(template.language)
    frame = frames.direct if template.style == DIRECT else frames.reasoned
    system = frames.system if template.system.strip() else ""
    return Template(template.language, template.style, system, frame)


def number_frames_of(language: str) -> PromptFrames:
    """Return the built-in prompts for numbers of a language, in English if it has none."""
    frames = get_language(language).number_frames or get_language("en").number_frames
    if frames is None:
        raise LookupError("There are no built-in prompts for numbers in English.")
    return frames


def default_template(language: str, style: str) -> Template:
    """Return the built-in template for a style. Raises TemplateError for an unknown style."""
    frames = frames_of(language)
    texts = {DIRECT: frames.direct, CHAIN_OF_THOUGHT: frames.reasoned}
    if style not in texts:
        raise TemplateError("style", f"There is no style {style!r}.")
    return Template(language, style, frames.system, texts[style])


def check_template(template: Template) -> None:
    """Raise TemplateError for an unknown, formatted or missing placeholder, or unmatched braces."""
    _placeholders(template.system)
    missing = sorted(REQUIRED - _placeholders(template.frame))
    if missing:
        raise TemplateError("missing", f"The frame must contain {{{missing[0]}}}.", missing[0])


def _placeholders(text: str) -> set[str]:
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise TemplateError("braces", f"Write a brace as {{{{ or }}}}: {error}.") from error
    names: set[str] = set()
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if name not in ALLOWED or spec or conversion:
            raise TemplateError("unknown", f"There is no placeholder {{{name}}}.", name)
        names.add(name)
    return names


def render(
    item: PromptItem,
    *,
    template: Template,
    shots: Sequence[PromptItem] = (),
) -> tuple[Message, ...]:
    """Return the system message, each shot as a user and an assistant message, and the item.

    The same input always gives the same messages. Braces in the text of an item have no special
    meaning. Items that a number answers are asked with `number_template`. Raises TemplateError, and
    PromptError if an item has no options or more than there are letters, or if the key of a shot is
    not one of its options.
    """
    check_template(template)
    if item.has_number:
        template = number_template(template)
    system = _fill(template.system, item) if template.system.strip() else ""
    turns = [Message("system", system)] if system else []
    for shot in shots:
        turns.append(Message("user", _fill(template.frame, shot)))
        turns.append(Message("assistant", _shot_answer(shot, template)))
    turns.append(Message("user", _fill(template.frame, item)))
    return tuple(turns)


def _fill(text: str, item: PromptItem) -> str:
    if item.has_number:
        return text.format_map({"question": item.question.strip()})
    if not 0 < len(item.options) <= MAX_OPTIONS:
        raise PromptError(f"An item has {len(item.options)} options instead of 1 to {MAX_OPTIONS}.")
    own = letters_of(len(item.options))
    lines = (f"{letter}. {option}" for letter, option in zip(own, item.options, strict=True))
    return text.format_map(
        {
            "question": item.question.strip(),
            "options": "\n".join(lines),
            "letters": " / ".join(own),
            "subject": item.subject.replace("_", " "),
        }
    )


def _shot_answer(shot: PromptItem, template: Template) -> str:
    if not shot.has_number and position_of(shot.key, len(shot.options)) is None:
        raise PromptError(f"The key {shot.key!r} of a shot is not one of its options.")
    if template.style == DIRECT:
        return shot.key
    frames = (number_frames_of if shot.has_number else frames_of)(template.language)
    statement = frames.answer.format(letter=shot.key)
    return "\n".join(part for part in (shot.explanation.strip(), statement) if part)

"""Builds the chat messages for an item and its shots; every language has built-in prompts."""

import string
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from endpoints.providers.base import Message
from languages import get_language
from languages.base import PromptFrames
from languages.letters import DIGITS, MAX_OPTIONS, letters_of, position_of

REQUIRED = frozenset({"question", "options"})
ALLOWED = frozenset({"question", "options", "letters", "subject"})
DIRECT = "direct"
CHAIN_OF_THOUGHT = "chain-of-thought"
TURNS, ONE_TEXT = "turns", "text"
LATIN, SCRIPT, NUMBERS = "latin", "script", "numbers"
OPTION_LINE: Final = "{letter}. {option}"
EXAMPLES: Final = "{examples}"


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
    """An item as a prompt shows it; a number answers it if it `has_number`, free text if it `is_open`.

    Only shots need a `key`, which is a Latin option letter, the number, or the reference translation.
    `languages` are the names of the two languages of an item that asks for a translation.
    """

    question: str
    options: tuple[str, ...]
    subject: str = ""
    key: str = ""
    explanation: str = ""
    has_number: bool = False
    is_open: bool = False
    languages: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt template with the placeholders {question}, {options}, {letters} and {subject}.

    Write {{ and }} for braces. `system` may be empty. `language` determines how the answer of a
    shot is phrased.

    layout: shots are earlier TURNS of the conversation, or ONE_TEXT with the question; then they
        stand at {examples} in the frame, or before it
    labels: what names the options: LATIN letters, the letters of the language (SCRIPT), or NUMBERS
    option_line: one option, with {letter} and {option}
    shot_frame: how a shot is asked, where it differs from `frame`; in ONE_TEXT it has {answer}
    shot_seed: None takes the first dev items as shots, a number draws them at random with that seed
    prefill: the beginning of the model's answer, sent as its last turn
    number_system, number_frame: for items that a number answers; if `number_frame` is empty, the
        built-in ones of the language
    translation_frame: for items that ask for a translation, with {source_language} and
        {target_language}; empty for the built-in one of the language
    """

    language: str
    style: str
    system: str
    frame: str
    layout: str = TURNS
    labels: str = LATIN
    option_line: str = OPTION_LINE
    shot_frame: str = ""
    shot_seed: int | None = None
    prefill: str = ""
    number_system: str = ""
    number_frame: str = ""
    translation_frame: str = ""


def frames_of(language: str) -> PromptFrames:
    """Return the built-in prompts for a language tag such as `bo`, in English if it has none."""
    frames = get_language(language).frames or get_language("en").frames
    if frames is None:
        raise LookupError("There are no built-in prompts in English.")
    return frames


def number_template(template: Template) -> Template:
    """Return the template for items that a number answers: the template's own, or the built-in one.

    The built-in one is in its language and style, and its system message is left out where that of
    `template` is. The frame of `template` cannot be used, because it shows options.
    """
    if template.number_frame.strip():
        system, frame = template.number_system, template.number_frame
    else:
        frames = number_frames_of(template.language)
        frame = frames.direct if template.style == DIRECT else frames.reasoned
        system = frames.system if template.system.strip() else ""
    return replace(template, system=system, frame=frame, shot_frame="")


def labels_of(labels: str, language: str, count: int) -> str:
    """Return the letters that name `count` options; numbers name at most nine, Latin letters more."""
    own = {SCRIPT: get_language(language).option_letters, NUMBERS: DIGITS}.get(labels, "")
    return own[:count] if len(own) >= count else letters_of(count)


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
    """Raise TemplateError for a fault of the texts, or of what they are used for.

    That is an unknown, formatted or missing placeholder, unmatched braces, a language without
    letters of its own, or an answer in the frame of shots that are turns.
    """
    placeholders(template.system, ALLOWED)
    further = {"examples"} if template.layout == ONE_TEXT else set()
    answer = {"answer"} if template.layout == ONE_TEXT else set()
    line = {"letter", "option"}
    _check_frame("frame", template.frame, REQUIRED, ALLOWED | further)
    _check_frame("option_line", template.option_line, line, line)
    if template.shot_frame.strip():
        _check_frame("shot_frame", template.shot_frame, REQUIRED | answer, ALLOWED | answer)
    _check_numbers(template, further)
    if template.translation_frame.strip():
        allowed = {"question", "subject", "source_language", "target_language"}
        _check_frame("translation_frame", template.translation_frame, {"question"}, allowed)
    if template.labels == SCRIPT and not get_language(template.language).option_letters:
        words = f"The language “{template.language}” has no letters of its own for options."
        raise TemplateError("labels", words)


def _check_frame(
    field: str, text: str, required: Collection[str], allowed: Collection[str]
) -> None:
    missing = sorted(set(required) - placeholders(text, allowed))
    if missing:
        words = f"The {field.replace('_', ' ')} must contain {{{missing[0]}}}."
        raise TemplateError("missing", words, missing[0])


def _check_numbers(template: Template, further: set[str]) -> None:
    placeholders(template.number_system, {"subject"})
    if template.number_frame.strip():
        allowed = {"question", "subject"} | further
        if "question" not in placeholders(template.number_frame, allowed):
            raise TemplateError("missing", "The number frame must contain {question}.", "question")


def placeholders(text: str, allowed: Collection[str]) -> set[str]:
    """Return the placeholders of a text. Raises TemplateError for one that is not allowed."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise TemplateError("braces", f"Write a brace as {{{{ or }}}}: {error}.") from error
    names: set[str] = set()
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if name not in allowed or spec or conversion:
            raise TemplateError("unknown", f"There is no placeholder {{{name}}}.", name)
        names.add(name)
    return names


def render(
    item: PromptItem,
    *,
    template: Template,
    shots: Sequence[PromptItem] = (),
) -> tuple[Message, ...]:
    """Return the messages that ask an item: system, shots, item and prefill, as far as there are any.

    Shots are a user and an assistant message each, or all stand in the text that asks the item. The
    same input always gives the same messages. Braces in the text of an item have no special meaning.
    Items that a number answers are asked with `number_template`, open-ended ones by their question
    alone: the words of a template are about options. Those that ask for a translation have a frame of
    their own, and shots are always earlier turns. Raises TemplateError, and
    PromptError if an item has no options or more than there are letters, or if the key of a shot is
    not one of its options.
    """
    check_template(template)
    if item.is_open:
        return (Message("user", item.question.strip()),)
    if item.languages:
        return tuple(_translation_turns(item, shots, template))
    if item.has_number:
        template = number_template(template)
    system = _fill(template.system, item, template) if template.system.strip() else ""
    turns = [Message("system", system)] if system else []
    if template.layout == ONE_TEXT:
        turns.append(Message("user", _one_text(item, shots, template)))
    else:
        turns += _turns(item, shots, template)
    if template.prefill.strip():
        turns.append(Message("assistant", template.prefill))
    return tuple(turns)


def _turns(item: PromptItem, shots: Sequence[PromptItem], template: Template) -> list[Message]:
    shown = template.shot_frame if template.shot_frame.strip() else template.frame
    turns = []
    for shot in shots:
        turns.append(Message("user", _fill(shown, shot, template)))
        turns.append(Message("assistant", _shot_answer(shot, template)))
    return [*turns, Message("user", _fill(template.frame, item, template))]


def _translation_turns(
    item: PromptItem, shots: Sequence[PromptItem], template: Template
) -> Iterator[Message]:
    for shot in shots:
        yield Message("user", _translation_text(shot, template))
        yield Message("assistant", shot.key)
    yield Message("user", _translation_text(item, template))


def _translation_text(item: PromptItem, template: Template) -> str:
    source, target = item.languages or ("", "")
    values = {
        "question": item.question.strip(),
        "subject": item.subject.replace("_", " "),
        "source_language": source,
        "target_language": target,
    }
    frame = template.translation_frame.strip() or _translation_frame_of(template.language)
    return frame.format_map(values)


def _translation_frame_of(language: str) -> str:
    """Return the built-in words of a language, in English if it has none."""
    return get_language(language).translation_frame or get_language("en").translation_frame


def _one_text(item: PromptItem, shots: Sequence[PromptItem], template: Template) -> str:
    """Return the text with the shots at {examples}; a paragraph that held only them may be empty."""
    bare = "\n\n".join(each for each in template.frame.split("\n\n") if each.strip() != EXAMPLES)
    if not shots:
        return _fill(bare, item, template)
    shown = template.shot_frame if template.shot_frame.strip() else f"{bare}\n{{answer}}"
    examples = "\n\n".join(
        _fill(shown, shot, template, answer=_shot_answer(shot, template)) for shot in shots
    )
    frame = template.frame if EXAMPLES in template.frame else f"{EXAMPLES}\n\n{template.frame}"
    return _fill(frame, item, template, examples=examples)


def _fill(
    text: str, item: PromptItem, template: Template, *, examples: str = "", answer: str = ""
) -> str:
    values = {
        "question": item.question.strip(),
        "subject": item.subject.replace("_", " "),
        "examples": examples,
        "answer": answer,
    }
    if not item.has_number:
        values |= _option_values(item, template)
    return text.format_map(values)


def _option_values(item: PromptItem, template: Template) -> dict[str, str]:
    count = len(item.options)
    if not 0 < count <= MAX_OPTIONS:
        raise PromptError(f"An item has {count} options instead of 1 to {MAX_OPTIONS}.")
    own = labels_of(template.labels, template.language, count)
    return {"options": "\n".join(_option_lines(item, template)), "letters": " / ".join(own)}


def _option_lines(item: PromptItem, template: Template) -> list[str]:
    own = labels_of(template.labels, template.language, len(item.options))
    return [
        template.option_line.format_map({"letter": letter, "option": option})
        for letter, option in zip(own, item.options, strict=True)
    ]


def continuations(item: PromptItem, template: Template) -> tuple[str, ...]:
    """Return how the answer would begin with each option: its letter and text, as options are shown."""
    return tuple(f" {line}" for line in _option_lines(item, template))


def _shot_answer(shot: PromptItem, template: Template) -> str:
    named = shot.key if shot.has_number else _label_of(shot, template)
    if template.style == DIRECT:
        return named
    frames = (number_frames_of if shot.has_number else frames_of)(template.language)
    statement = frames.answer.format(letter=named)
    return "\n".join(part for part in (shot.explanation.strip(), statement) if part)


def _label_of(shot: PromptItem, template: Template) -> str:
    position = position_of(shot.key, len(shot.options))
    if position is None:
        raise PromptError(f"The key {shot.key!r} of a shot is not one of its options.")
    return labels_of(template.labels, template.language, len(shot.options))[position]

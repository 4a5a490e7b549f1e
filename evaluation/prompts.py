"""Renders an item and its shots to chat messages; the frames of each language are data."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.providers.base import Message

LATIN_LETTERS = ("A", "B", "C", "D", "E", "F")
REQUIRED = frozenset({"question", "options"})
ALLOWED = frozenset({"question", "options", "letters", "subject"})
DIRECT = "direct"
CHAIN_OF_THOUGHT = "chain-of-thought"


class TemplateError(ValueError):
    """A template that can't be used; `code` is stable, `placeholder` the one at fault, if any."""

    def __init__(self, code: str, detail: str, placeholder: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.placeholder = placeholder


class PromptError(ValueError):
    """An item or shot that a prompt can't be made of."""


@dataclass(frozen=True, slots=True)
class PromptItem:
    """An item as it is shown; `key` is a Latin option letter, needed of shots only."""

    question: str
    options: tuple[str, ...]
    subject: str = ""
    key: str = ""
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Template:
    """Texts with the placeholders {question} {options} {letters} {subject}; a brace is {{ or }}.

    `system` may be empty. `language` chooses how a shot's answer is worded.
    """

    language: str
    style: str
    system: str
    frame: str


@dataclass(frozen=True, slots=True)
class LanguageFrames:
    """The texts of one language; `answer` words the answer of a reasoned shot."""

    system: str
    direct: str
    reasoned: str
    answer: str


FRAMES: Mapping[str, LanguageFrames] = {
    "bo": LanguageFrames(
        system="ཁྱེད་ནི་བོད་ཡིག་གི་འདེམས་དྲིས་ལ་ལན་འདེབས་མཁན་ཞིག་ཡིན། དྲི་བ་རེ་རེར་ལན་ཡང་དག་པ་གཅིག་ལས་མེད།",
        direct="{question}\n\n{options}\n\nལན་ཡང་དག་པའི་ཡི་གེ་ {letters} ལས་གཅིག་ཁོ་ན་འབྲི་རོགས།",
        reasoned=(
            "{question}\n\n{options}\n\nཐོག་མར་རིམ་པ་བཞིན་བསམ་བློ་གཏོང་རོགས། "
            "དེ་རྗེས་ཡིག་ཕྲེང་མཐའ་མར་ “ལན་ནི་X” ཞེས་འབྲི་རོགས། X ནི་ {letters} ལས་གཅིག་ཡིན།"
        ),
        answer="ལན་ནི་{letter}",
    ),
    "zh": LanguageFrames(
        system="你要回答选择题。每道题只有一个正确选项。",
        direct="{question}\n\n{options}\n\n只写出正确选项的字母（{letters} 之一）。",
        reasoned=(
            "{question}\n\n{options}\n\n先一步一步地思考，"
            "然后在最后一行写“答案：X”，X 是 {letters} 之一。"
        ),
        answer="答案：{letter}",
    ),
    "en": LanguageFrames(
        system="You answer multiple-choice questions. Exactly one option of each is right.",
        direct="{question}\n\n{options}\n\nReply with the letter of the right option only: {letters}.",
        reasoned=(
            "{question}\n\n{options}\n\nThink step by step first. "
            "Then end with a line “The answer is X”, where X is one of {letters}."
        ),
        answer="The answer is {letter}",
    ),
    "lo": LanguageFrames(
        system="ເຈົ້າຕອບຄຳຖາມແບບເລືອກຕອບ. ແຕ່ລະຄຳຖາມມີຄຳຕອບທີ່ຖືກຕ້ອງພຽງຂໍ້ດຽວ.",
        direct="{question}\n\n{options}\n\nຂຽນພຽງແຕ່ຕົວອັກສອນຂອງຂໍ້ທີ່ຖືກຕ້ອງ: {letters}.",
        reasoned=(
            "{question}\n\n{options}\n\nຄິດເປັນຂັ້ນຕອນກ່ອນ. "
            "ແລ້ວຂຽນແຖວສຸດທ້າຍວ່າ “ຄຳຕອບ: X”, X ແມ່ນໜຶ່ງໃນ {letters}."
        ),
        answer="ຄຳຕອບ: {letter}",
    ),
    "mn": LanguageFrames(
        system="Та сонгох хариулттай асуултад хариулна. Асуулт бүрд зөв хариулт ганц байна.",
        direct="{question}\n\n{options}\n\nЗөвхөн зөв хариултын үсгийг бич: {letters}.",
        reasoned=(
            "{question}\n\n{options}\n\nЭхлээд алхам алхмаар бод. "
            "Дараа нь сүүлийн мөрөнд “Хариулт: X” гэж бич, X нь {letters}-ийн нэг."
        ),
        answer="Хариулт: {letter}",
    ),
}


def frames_of(language: str) -> LanguageFrames:
    """Return the frames of a language tag such as `bo` or `zh-Hant`; English where there are none."""
    return FRAMES.get(language.split("-", maxsplit=1)[0].lower(), FRAMES["en"])


def default_template(language: str, style: str) -> Template:
    """Return the built-in template; raises TemplateError for an unknown style."""
    frames = frames_of(language)
    texts = {DIRECT: frames.direct, CHAIN_OF_THOUGHT: frames.reasoned}
    if style not in texts:
        raise TemplateError("style", f"There is no style {style!r}.")
    return Template(language, style, frames.system, texts[style])


def check_template(template: Template) -> None:
    """Raise TemplateError when a placeholder is unknown, decorated or missing, or braces don't match."""
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
    """Return system, shots as user and assistant turns, and the item; equal input, equal output.

    Texts of items are put in as they are: braces in them mean nothing. Raises TemplateError, and
    PromptError for an item with no options, more options than letters, or a shot without its key.
    """
    check_template(template)
    system = _fill(template.system, item) if template.system.strip() else ""
    turns = [Message("system", system)] if system else []
    for shot in shots:
        turns.append(Message("user", _fill(template.frame, shot)))
        turns.append(Message("assistant", _shot_answer(shot, template)))
    turns.append(Message("user", _fill(template.frame, item)))
    return tuple(turns)


def _fill(text: str, item: PromptItem) -> str:
    if not 0 < len(item.options) <= len(LATIN_LETTERS):
        raise PromptError(f"{len(item.options)} options and {len(LATIN_LETTERS)} letters")
    own = LATIN_LETTERS[: len(item.options)]
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
    position = LATIN_LETTERS.index(shot.key) if shot.key in LATIN_LETTERS else len(shot.options)
    if position >= len(shot.options):
        raise PromptError(f"the shot's key {shot.key!r} is none of its options")
    if template.style == DIRECT:
        return shot.key
    statement = frames_of(template.language).answer.format(letter=shot.key)
    return "\n".join(part for part in (shot.explanation.strip(), statement) if part)

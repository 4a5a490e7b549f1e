"""What the rest of the software asks of a language, as plain data: one `Language` a file."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Direction = Literal["ltr", "rtl"]
Segmentation = Literal["space", "tsheg", "character"]


@dataclass(frozen=True, slots=True)
class DuplicateLimits:
    """How alike two texts must be to be shown as duplicates; measured per language.

    `gram`: size of the n-grams compared, two where one character is a syllable or a word.
    `candidate`: least cosine of the hashed n-gram vectors before the overlap is computed at all.
    `near`: least overlap (multiset Jaccard) of a near pair. `semantic`: least cosine of a semantic
    pair. `letters`: shortest text that is compared. `run`: most letters in a row that may be
    replaced in the question, which is a long word of the language.
    """

    gram: int = 3
    candidate: float = 0.7
    near: float = 0.6
    semantic: float = 0.85
    letters: int = 12
    run: int = 12


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """Words for "answer" and for "is": a noun, a link and an option letter state an answer.

    A colon or an equals sign links in every language. Letter case does not matter.
    """

    nouns: tuple[str, ...]
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptFrames:
    """The built-in prompts; placeholders are {question} {options} {letters}, in `answer` {letter}.

    `answer` is the last line of a worked example that explains its reasoning. The frames for questions
    that a number answers have no options and no letters; {letter} stands for the number.
    """

    system: str
    direct: str
    reasoned: str
    answer: str


@dataclass(frozen=True, slots=True)
class WebFont:
    """A font that can be served: names of free font files, best first, and the characters taken."""

    files: tuple[str, ...]
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Typography:
    """How a text of the language is set on a page.

    `fonts` is a CSS font-family list (a variable of tokens.css where we bundle or tune fonts),
    '' for the fonts of the interface. `size` multiplies the size of the surrounding text, and
    Latin letters within keep theirs. `web_font` comes first where `subset_fonts` has made it.
    """

    fonts: str = ""
    size: float = 1.0
    line_height: float | None = None
    is_vertical: bool = False
    web_font: WebFont | None = None


@dataclass(frozen=True, eq=False)
class Language:
    """One language; a field left out means that nothing is known, and what needs it stays silent.

    - `code` is the usual BCP 47 tag, `aliases` are other tags for the same language.
    - `name` is the language's name for itself, written in `name_tag` where that is another script.
    - `script` is a Unicode script name.
    - `option_letters` are the ten letters of its own lists, '' where those are A to J.
    - `digits` are its own ten digits from 0 to 9, '' where it uses 0-9 only.
    - `sentence_marks` end a sentence or part words, and mean nothing at the end of an option.
    - `special_characters` are what its keyboards lack, each with its name: marks, joiners, spaces.
    - `negations` and `negation_exceptions` are literal strings; an exception is a longer string
      that holds a negation without denying anything.
    - `question_words` ask for what a blank would hold.
    - `number_words` are the words for 0 to 10, alternatives parted by a space; `big_numbers` are
      words found in larger numbers.
    - `number_units` are written after digits and multiply them: 20万 is 200000.
    - `word_endings` are what a word of a glossary may have behind it in a text: case endings, plurals.
    - `segmentation` says what parts the units of a text, see `units.units_of`: spaces between words,
      tshegs between syllables, or nothing, so that each character is one.
    """

    code: str
    script: str
    name: str = ""
    name_tag: str = ""
    aliases: tuple[str, ...] = ()
    direction: Direction = "ltr"
    segmentation: Segmentation = "space"
    typography: Typography = Typography()
    option_letters: str = ""
    digits: str = ""
    sentence_marks: str = ""
    special_characters: tuple[tuple[str, str], ...] = ()
    negations: tuple[str, ...] = ()
    negation_exceptions: tuple[str, ...] = ()
    question_words: tuple[str, ...] = ()
    number_words: tuple[str, ...] = ()
    big_numbers: tuple[str, ...] = ()
    number_units: tuple[tuple[str, int], ...] = ()
    duplicate_limits: DuplicateLimits = DuplicateLimits()
    statement: Statement | None = None
    frames: PromptFrames | None = None
    number_frames: PromptFrames | None = None
    word_endings: tuple[str, ...] = ()

    @property
    def is_spaced(self) -> bool:
        """Whether words are parted by spaces."""
        return self.segmentation == "space"

    @cached_property
    def idle_ending(self) -> str:
        """The characters that mean nothing at the end of an option, for `str.rstrip`."""
        return f" .。{self.sentence_marks}"

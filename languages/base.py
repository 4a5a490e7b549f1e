"""A language as plain data, for the rest of the software: one `Language` a file."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Direction = Literal["ltr", "rtl"]
Segmentation = Literal["space", "tsheg", "character"]


@dataclass(frozen=True, slots=True)
class DuplicateLimits:
    """Limits from which two texts are shown as duplicates; measured per language.

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
    """The words with which an answer is stated, for the scorer `anchored`; case does not matter.

    - `nouns` and `links` are words for "answer" and for "is". A noun, a link and an option letter
      state an answer. A colon or an equals sign links in every language.
    - `verbs` stand before the letter and need no link: "I choose". `rights` stand after it: "is
      correct", "B is correct".
    - `names` are words for "option" that may stand before the letter.
    - `joins` are words for "or" and "and": two joined letters are no answer.
    - `denials_before` and `denials_after` deny the letter beside them: "not B", "B is wrong".
    - `finals` say that what follows replaces what was said before: "wait", "finally".
    - `followers` may follow a letter of a script that joins its words: ཁ་ཡིན.
    """

    nouns: tuple[str, ...]
    links: tuple[str, ...]
    verbs: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    denials_before: tuple[str, ...] = ()
    denials_after: tuple[str, ...] = ()
    finals: tuple[str, ...] = ()
    followers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Calendar:
    """The words with which times, months and years are said.

    - `hour_words`, `minute_words` and `month_words` stand beside their number, before or behind it.
    - `half_words` and `quarter_words` say half an hour and a quarter of one.
    - `day_parts` stand beside an hour up to 12, each with the first and last hour of the day that it
      can mean; those after midnight count on, so 25 is one o'clock.
    - `months` are the names of the twelve months, alternatives parted by "|".
    - `century_words` stand beside the number of a century, before that of a decade.
    - `eras` stand beside the number of a year, each with what is added to it for the common era;
      `lunar_eras` count in years of the moon from the Hijra.
    """

    hour_words: tuple[str, ...] = ()
    minute_words: tuple[str, ...] = ()
    half_words: tuple[str, ...] = ()
    quarter_words: tuple[str, ...] = ()
    day_parts: tuple[tuple[str, int, int], ...] = ()
    month_words: tuple[str, ...] = ()
    months: tuple[str, ...] = ()
    century_words: tuple[str, ...] = ()
    eras: tuple[tuple[str, int], ...] = ()
    lunar_eras: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """The words that bound a number, as regular expressions with `#` for the number: 至少#, #以上.

    - `at_least` and `at_most` include the number, `more` and `less` do not, and `upwards` and
      `downwards` may or may not.
    - `stems` are parts of these words in small letters, at least one of each, to look for them fast.
    - `hints` are further words that bound a number perhaps: where one of them or a stem is near, no
      bound is called lost.
    """

    at_least: tuple[str, ...]
    at_most: tuple[str, ...]
    more: tuple[str, ...]
    less: tuple[str, ...]
    stems: tuple[str, ...]
    upwards: tuple[str, ...] = ()
    downwards: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


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
    """The setting of the language's texts on a page.

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
      `clear_negation` is a regular expression of those that deny the sentence at whose end they
      stand; `other_denials` are words that another language may render with a negation.
      `negation_endings` deny at the end of a word, with a case ending of up to six letters.
    - `question_words` ask for what a blank would hold.
    - `number_words` are the words for 0 to 10, alternatives parted by a space; `larger_numbers`
      are the words of which larger ones are made, each with its value; `number_endings` make
      ordinal numbers of them.
    - `calendar` holds the words for times, months and years, `bounds` those for ≤, ≥, < and >.
    - `half_words` say one half; `minus_words`, `power_words`, `percent_words` and `per_mille_words`
      stand for -, ², % and ‰.
    - `below_zero_words` are minus words that may also follow their number; `minus_exceptions` are
      longer words that hold a minus word and deny nothing of a number: 肩负5 is 5.
      `plus_minus_words` stand for ±.
    - `fraction_marks` stand between the two numbers of a fraction in words, the lower one first
      (三分之二) unless `is_numerator_first`.
    - `share_words` are regular expressions of words that make percent of the number before them,
      each with "%" or, for a price of so many tenths, "off": 三成 is 30%, 八折 is 80%.
      `multiple_words` multiply it by a number: 一打 is 12. `point_word` is the word for a decimal
      point. `discount_words` say that a percentage is taken off.
    - `currency_words` follow an amount, each with its sign; ＄ is the dollar, as $ encloses formulas.
    - `has_decimal_comma` is true where 1.000 may be a thousand.
    - `unit_words` are units of measure as they follow digits, each with its symbol: 千克 is kg.
    - `number_units` are written after digits and multiply them: 20万 is 200000.
    - `frames`, `number_frames` and `translation_frame` are the built-in prompts; the last asks for the
      translation of {question} from {source_language} into {target_language}, which may be any.
    - `option_names` are regular expressions of phrases by which an option speaks of other options,
      and `whole_option_names` those that do so only as a whole option ("both"); `#` stands for the
      letter of an option, `@` for a number of options, see `option_names`. `option_ends` are words
      for the first of them and for the last.
    - `word_endings` are what a word of a glossary may have behind it in a text: case endings, plurals.
    - `sentence_question` asks which of several sentences is right; empty if nobody has written it.
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
    negation_endings: tuple[str, ...] = ()
    clear_negation: str = ""
    other_denials: tuple[str, ...] = ()
    question_words: tuple[str, ...] = ()
    number_words: tuple[str, ...] = ()
    larger_numbers: tuple[tuple[str, int], ...] = ()
    number_endings: tuple[str, ...] = ()
    calendar: Calendar | None = None
    bounds: Bounds | None = None
    half_words: tuple[str, ...] = ()
    minus_words: tuple[str, ...] = ()
    below_zero_words: tuple[str, ...] = ()
    minus_exceptions: tuple[str, ...] = ()
    plus_minus_words: tuple[str, ...] = ()
    fraction_marks: tuple[str, ...] = ()
    is_numerator_first: bool = False
    share_words: tuple[tuple[str, str], ...] = ()
    multiple_words: tuple[tuple[str, int], ...] = ()
    point_word: str = ""
    discount_words: tuple[str, ...] = ()
    currency_words: tuple[tuple[str, str], ...] = ()
    has_decimal_comma: bool = False
    power_words: tuple[str, ...] = ()
    percent_words: tuple[str, ...] = ()
    per_mille_words: tuple[str, ...] = ()
    unit_words: tuple[tuple[str, str], ...] = ()
    number_units: tuple[tuple[str, int], ...] = ()
    duplicate_limits: DuplicateLimits = DuplicateLimits()
    statement: Statement | None = None
    frames: PromptFrames | None = None
    number_frames: PromptFrames | None = None
    translation_frame: str = ""
    option_names: tuple[str, ...] = ()
    whole_option_names: tuple[str, ...] = ()
    option_ends: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    word_endings: tuple[str, ...] = ()
    sentence_question: str = ""

    @property
    def is_spaced(self) -> bool:
        """True where spaces part words."""
        return self.segmentation == "space"

    @cached_property
    def idle_ending(self) -> str:
        """The characters that mean nothing at the end of an option, for `str.rstrip`."""
        return f" .。{self.sentence_marks}"

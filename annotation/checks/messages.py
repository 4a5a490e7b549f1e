"""The words of every finding: a short title and a sentence; marked for translation."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from annotation.importers.messages import gettext_noop


class Message(NamedTuple):
    """A title for lists and filters, and a sentence that the data of a problem completes."""

    title: str
    sentence: str


MESSAGES: Final[Mapping[str, Message]] = MappingProxyType(
    {
        "empty_text": Message(gettext_noop("Empty text"), gettext_noop("There is no text here.")),
        "options_unreadable": Message(
            gettext_noop("Options can't be told apart"),
            gettext_noop("The options can't be told apart: %(why)s. Labels found: %(found)s."),
        ),
        "option_count": Message(
            gettext_noop("Another number of options"),
            gettext_noop("There are %(found)s options; the source has %(expected)s."),
        ),
        "letters_spliced": Message(
            gettext_noop("Letters cut out as labels"),
            gettext_noop(
                "“%(term)s” was torn apart: one of its letters was taken for an option label."
            ),
        ),
        "label_in_text": Message(
            gettext_noop("Label left in the text"),
            gettext_noop("The option label “%(label)s” stands inside the text."),
        ),
        "equal_options": Message(
            gettext_noop("Equal options"),
            gettext_noop(
                "Options %(other)s and %(letter)s read the same; in the source they differ."
            ),
        ),
        "key_out_of_range": Message(
            gettext_noop("Key without an option"),
            gettext_noop("The key is “%(key)s”; the options end at %(last)s."),
        ),
        "key_changed": Message(
            gettext_noop("Another key"),
            gettext_noop(
                "The translation was published with the key %(key)s; the source has %(source)s."
            ),
        ),
        "order_changed": Message(
            gettext_noop("Another order of options"),
            gettext_noop("The options stand in the order %(order)s of the source."),
        ),
        "numbers_differ": Message(
            gettext_noop("Numbers differ"),
            gettext_noop("Numbers missing: %(missing)s. Numbers added: %(added)s."),
        ),
        "formulas_differ": Message(
            gettext_noop("Formulas differ"),
            gettext_noop("Missing or altered formulas: %(missing)s."),
        ),
        "latin_terms_missing": Message(
            gettext_noop("Latin terms missing"),
            gettext_noop("Terms of the source not found here: %(missing)s."),
        ),
        "brackets_unbalanced": Message(
            gettext_noop("Bracket without partner"),
            gettext_noop("The bracket “%(bracket)s” has no partner."),
        ),
        "blanks_missing": Message(
            gettext_noop("Blank missing"),
            gettext_noop(
                "The source has %(expected)s blanks to fill in, the translation %(found)s."
            ),
        ),
        "negation_missing": Message(
            gettext_noop("Negation missing"),
            gettext_noop("The source denies something (“%(word)s”); no negation is found here."),
        ),
    }
)

REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ambiguous": gettext_noop("two ways of dividing the text are possible"),
        "count": gettext_noop("there are more or fewer labels than options in the source"),
        "empty_option": gettext_noop("a label has no text after it"),
        "empty_question": gettext_noop("there is no question before the first label"),
        "empty_text": gettext_noop("the text is empty"),
        "missing": gettext_noop("a label is missing"),
        "no_labels": gettext_noop("there are no labels"),
        "out_of_order": gettext_noop("the labels are out of order"),
        "repeated": gettext_noop("a label is there more than once"),
        "stray": gettext_noop("a further label stands at the start of a line"),
    }
)
_NOTHING: Final = "–"


def describe(
    code: str,
    data: Mapping[str, str | int],
    translate: Callable[[str], str] = lambda message: message,
) -> str:
    """Return the sentence of a problem; `translate` is gettext where there is a language."""
    shown = {name: _NOTHING if value == "" else value for name, value in data.items()}
    reason = str(data.get("reason", ""))
    if reason:
        shown["why"] = translate(REASONS[reason])
    return translate(MESSAGES[code].sentence) % shown


def title(code: str, translate: Callable[[str], str] = lambda message: message) -> str:
    """Return the short title of a code."""
    return translate(MESSAGES[code].title)

"""The words of every finding: a short title and a sentence; marked for translation."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from annotation.imports.importers.labels import gettext_noop

REPORTED: Final = "reported"
"""What readers found; no check finds it, so no check takes it away."""


class Message(NamedTuple):
    """A title for lists and filters, and a sentence that the data of a problem completes.

    `without` has another sentence for a value that is empty.
    """

    title: str
    sentence: str
    without: Mapping[str, str] = MappingProxyType({})


MESSAGES: Final[Mapping[str, Message]] = MappingProxyType(
    {
        "empty_text": Message(gettext_noop("Empty text"), gettext_noop("This field has no text.")),
        "options_unreadable": Message(
            gettext_noop("Options cannot be separated"),
            gettext_noop("The options cannot be separated: %(why)s. Labels found: %(found)s."),
            without={
                "found": gettext_noop("The options cannot be separated: %(why)s."),
            },
        ),
        "options_shifted": Message(
            gettext_noop("Options shifted by one"),
            gettext_noop("The options may be shifted by one: %(why)s."),
        ),
        "option_count": Message(
            gettext_noop("Number of options differs"),
            gettext_noop("The translation has %(found)s options, the source has %(expected)s."),
        ),
        "letters_spliced": Message(
            gettext_noop("Word split by option labels"),
            gettext_noop("Split where a letter was taken for an option label: “%(term)s”."),
        ),
        "label_in_text": Message(
            gettext_noop("Option label in the text"),
            gettext_noop("Option labels stand in the text: “%(label)s”."),
        ),
        "equal_options": Message(
            gettext_noop("Identical options"),
            gettext_noop(
                "Options %(other)s and %(letter)s are identical here but different in the source."
            ),
        ),
        "key_out_of_range": Message(
            gettext_noop("Key has no option"),
            gettext_noop("The key is “%(key)s”, but the last option is %(last)s."),
        ),
        "key_changed": Message(
            gettext_noop("Key differs from the source"),
            gettext_noop(
                "The translation was published with the key %(key)s, but the key of the source is %(source)s."
            ),
        ),
        "number_unreadable": Message(
            gettext_noop("Answer is not a number"),
            gettext_noop("The item asks for a number, but its answer is “%(key)s”."),
        ),
        "explanation_missing": Message(
            gettext_noop("Explanation not translated"),
            gettext_noop("The source has an explanation, this text has none."),
        ),
        "order_changed": Message(
            gettext_noop("Options in a different order"),
            gettext_noop("Compared with the source, the options are in the order %(order)s."),
        ),
        "numbers_differ": Message(
            gettext_noop("Numbers differ"),
            gettext_noop(
                "Missing numbers: %(missing)s. Numbers that are not in the source: %(added)s."
            ),
            without={
                "missing": gettext_noop("Numbers that are not in the source: %(added)s."),
                "added": gettext_noop("Missing numbers: %(missing)s."),
            },
        ),
        "formulas_differ": Message(
            gettext_noop("Formulas differ"),
            gettext_noop("Missing or changed formulas: %(missing)s."),
        ),
        "latin_terms_missing": Message(
            gettext_noop("Latin terms missing"),
            gettext_noop("Missing terms of the source: %(missing)s."),
        ),
        "brackets_unbalanced": Message(
            gettext_noop("Unmatched bracket"),
            gettext_noop("The bracket “%(bracket)s” has no counterpart."),
        ),
        "blanks_missing": Message(
            gettext_noop("Blank missing"),
            gettext_noop(
                "Blanks to fill in: the source has %(expected)s, the translation has %(found)s."
            ),
        ),
        "negation_missing": Message(
            gettext_noop("Negation missing"),
            gettext_noop("The source has a negation (“%(word)s”), but none was found here."),
        ),
        "term_forbidden": Message(
            gettext_noop("Forbidden rendering"),
            gettext_noop(
                "“%(found)s” is a rendering of “%(term)s” that the glossary forbids. It prefers: %(preferred)s."
            ),
        ),
        "term_missing": Message(
            gettext_noop("Preferred rendering missing"),
            gettext_noop("The glossary prefers other renderings: %(terms)s."),
        ),
        REPORTED: Message(
            gettext_noop("Reported by a reader"),
            gettext_noop("A reader of a release reports: %(why)s."),
        ),
    }
)

REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ambiguous": gettext_noop("the text can be split in more than one way"),
        "count": gettext_noop(
            "the number of labels differs from the number of options in the source"
        ),
        "empty_option": gettext_noop(
            "a label has no text after it; perhaps the labels stand after their options"
        ),
        "empty_question": gettext_noop("there is no question before the first label"),
        "empty_text": gettext_noop("the text is empty"),
        "label_brackets": gettext_noop("each text ends with the opening bracket of the next label"),
        "last_option_bare": gettext_noop(
            "the last option has no words, so the labels probably stand after their options"
        ),
        "lengths_shifted": gettext_noop(
            "each text ends with the opening bracket of the next label, and its length fits the "
            "next option"
        ),
        "missing": gettext_noop("a label is missing"),
        "next_option_fits": gettext_noop(
            "lengths and shared words fit the next option of the source better, so compare option "
            "A with the source"
        ),
        "next_option_kept": gettext_noop(
            "each option has the numbers, formulas or terms of the next option in the source"
        ),
        "no_labels": gettext_noop("there are no labels"),
        "out_of_order": gettext_noop("the labels are not in order"),
        "repeated": gettext_noop("a label appears more than once"),
        "stray": gettext_noop("another label stands at the start of a line"),
        "reported_broken": gettext_noop("the item is broken"),
        "reported_offensive": gettext_noop("the item is offensive"),
        "reported_other": gettext_noop("something else is wrong"),
        "reported_translation": gettext_noop("the translation is wrong"),
        "reported_wrong_key": gettext_noop("the key is wrong"),
    }
)


def describe(
    code: str,
    data: Mapping[str, str | int],
    translate: Callable[[str], str] = lambda message: message,
) -> str:
    """Return the sentence of a problem; `translate` is gettext where there is a language."""
    message = MESSAGES[code]
    empty = [name for name in message.without if data.get(name) == ""]
    sentence = message.without[empty[0]] if empty else message.sentence
    shown = dict(data)
    reason = str(data.get("reason", ""))
    if reason:
        shown["why"] = translate(REASONS[reason])
    return translate(sentence) % shown


def title(code: str, translate: Callable[[str], str] = lambda message: message) -> str:
    """Return the short title of a code."""
    return translate(MESSAGES[code].title)

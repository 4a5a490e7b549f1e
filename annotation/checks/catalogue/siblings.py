"""What shows only beside the other texts of a set: exchanged options, a question without its end.

`annotation.checks.siblings` looks for these. Only jobs and commands do that, since it needs all texts.
"""

from types import MappingProxyType
from typing import Final

from annotation.checks.catalogue.base import FindingKind
from annotation.importers.labels import gettext_noop as _


class OptionsExchanged(FindingKind):
    """Two options of the translation stand in each other's places."""

    code = "options_exchanged"
    severity = "warning"
    family = "parity"
    title = _("Options may have changed places")
    sentence = _(
        "Options %(one)s and %(other)s may have changed places. In other items, these belong "
        "together: %(terms)s."
    )
    without = MappingProxyType(
        {
            "terms": _(
                "Options %(one)s and %(other)s may have changed places: their lengths and the words "
                "that options share fit better the other way round."
            )
        }
    )
    why = _(
        "If two options change places, the key points to a wrong one, and every sentence still "
        "reads well. From the other texts of the project and from the glossary, the check learns "
        "which words of the source and of the translation belong together. Then it exchanges each "
        "two options in turn and looks whether they fit the source much better: by these words, by "
        "numbers and Latin words, by lengths, and by the words that options share. A text is never "
        "evidence for itself; another system’s text of the same item is.\n\nThe check needs 80 "
        "texts. It runs when a manager has all texts checked again, in `check_items` and in "
        "`audit_benchmark`, and not while somebody types."
    )
    faulty = _("Lawyer, judge, witness, clerk were rendered: judge, lawyer, witness, clerk.")
    sound = _("Each option says what the source’s option at its place says.")
    fix = _(
        "Compare the two options with the source. If they have changed places, exchange them; no "
        "repair does this by itself."
    )
    when_wrong = _(
        "Words that are translated unlike anywhere else in the project can mislead it. Look at the "
        "words that the finding names, and dismiss it if the options are in place. Of 474 published "
        "items with two options exchanged, this finds about 330; as they were published, it reports "
        "one."
    )


class QuestionCut(FindingKind):
    """The question stops before its end."""

    code = "question_cut"
    severity = "warning"
    family = "parity"
    title = _("Question may lack its end")
    sentence = _("The question may stop before its end: %(why)s.")
    reasons = MappingProxyType(
        {
            "short": _("beside its source, it is much shorter than other questions"),
            "open": _("it does not end as other questions do"),
            "short_and_open": _(
                "beside its source, it is shorter than other questions, and it does not end as they do"
            ),
        }
    )
    why = _(
        "A model that reaches its limit stops in the middle of a sentence, and what is asked is "
        "lost. From the other texts of the project, the check learns how long a question is beside "
        "its source, whether questions end with a mark, and with which words they end.\n\nThe check "
        "needs 80 texts. It runs when a manager has all texts checked again, in `check_items` and "
        "in `audit_benchmark`, and not while somebody types."
    )
    faulty = _("`Which of these rivers, which rise in the` for the whole sentence of the source.")
    sound = _("`Which of these rivers, which rise in the mountains, is the longest?`")
    fix = _("Compare the end of the question with the source, and translate what is missing.")
    when_wrong = _(
        "Questions that the options complete end in many ways. Dismiss the finding where nothing "
        "is missing. Of 335 longer published questions that were cut in half, this finds about 300; "
        "as they were published, it reports one at most."
    )


SIBLING_KINDS: Final = (OptionsExchanged(), QuestionCut())

"""The guideline that a project starts with until its managers write their own."""

DEFAULT_TEXT = """\
# How to judge

Read the source first, then the translation, then each option beside its source.

- **Approve** when you would sign the text as it stands: meaning, terms, numbers and the key are right, and it reads as a native speaker would write it.
- **Revise** when you can put it right. Change the question and the options in place; keep the number of options and which one is correct.
- **Reject** when no translation can make it a good item: the question depends on the source language itself, is not answerable, or its key is wrong.

Mark what was wrong with the error tags, and use the comment for what the next reader needs to know.
"""

DEFAULT_RUBRIC = {
    "domain": [
        "Another subject matter altogether; the question cannot be recognised.",
        "Key terms are wrong; an expert would be misled.",
        "Several terms are wrong or invented; the sense can be guessed.",
        "The main terms are right; some are loose, mixed or unusual.",
        "Terms are right and in use; one is less usual than it could be.",
        "Exactly the terms that an expert of the field would use.",
    ],
    "cultural": [
        "Offends, or makes no sense to a speaker of the language.",
        "Foreign throughout: names, units and customs are carried over unexplained.",
        "Understandable but plainly translated; several turns do not exist in the language.",
        "Natural in the main; a few turns or references are foreign.",
        "Natural; one turn of phrase gives the translation away.",
        "Reads as if first written in the language.",
    ],
}

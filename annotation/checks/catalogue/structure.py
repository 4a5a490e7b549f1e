"""Checks whether a revision still has the shape of its item: options, labels, key and order."""

import re
from collections import Counter
from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from annotation.checks.catalogue import splices
from annotation.checks.catalogue.base import Check, CheckInput, Problem, Severity, shorten
from annotation.checks.catalogue.shift import is_hollow, is_placeholder, is_shifted
from annotation.checks.catalogue.tokens import kept
from annotation.importers.labels import gettext_noop as _
from annotation.text_fields import option_field
from languages import get_language
from languages.folding import fold
from languages.letters import COMMON_LETTERS, letter_of, position_of
from languages.numerals import read_number

_LABEL: Final = re.compile(r"(?m)^[ \t\u3000]*([A-F])[.．、](?!\d)")
_FURTHER_LABEL: Final = re.compile(r"(?m)^[ \t\u3000]*([A-J])[.．、](?!\d)")
_LABEL_MARKS: Final = ".．、"
_LABEL_SIGN: Final = re.compile(r"[A-J][.．、]")
SPECIES: Final = re.compile(r"[ \u00a0]?[a-z]{3}")


class OptionsUnreadable(Check):
    """The importer could not tell the options apart."""

    code = "options_unreadable"
    severity = "error"
    family = "structure"
    title = _("Options cannot be separated")
    sentence = _("The options cannot be separated: %(why)s. Labels found: %(found)s.")
    without = MappingProxyType(
        {
            "found": _("The options cannot be separated: %(why)s."),
        }
    )
    reasons = MappingProxyType(
        {
            "ambiguous": _("the text can be split in more than one way"),
            "count": _("the number of labels differs from the number of options in the source"),
            "empty_option": _(
                "a label has no text after it; perhaps the labels stand after their options"
            ),
            "empty_question": _("there is no question before the first label"),
            "empty_text": _("the text is empty"),
            "missing": _("a label is missing"),
            "no_labels": _("there are no labels"),
            "out_of_order": _("the labels are not in order"),
            "repeated": _("a label appears more than once"),
            "stray": _("another label stands at the start of a line"),
        }
    )
    needs_source = False
    explains = frozenset({"option_count", "label_in_text"})
    why = _(
        "Some benchmarks publish the question and its options in one string. The importer "
        "divides it only where the labels A, B, C … stand once each and in order, because a "
        "wrong division makes another item of it. Otherwise it keeps the whole text as the "
        "question, without options. The finding names the reason and the labels that were "
        "found."
    )
    faulty = _(
        "`…is  ⏎A. 36°⏎C. ⏎B. 37.8°⏎C. …`: the C of °C looks like a label, so C is there "
        "more than once."
    )
    sound = _(
        "`…is⏎A. 36 °C⏎B. 37.8 °C⏎C. 39 °C`: each label stands once, at the start of its line."
    )
    fix = _(
        "Open the item, restore the words that were cut (the finding “Word split by option "
        "labels” often names them), and enter each option in its own field."
    )
    when_wrong = _("It is right as long as the options have no fields of their own.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Repeat the importer's mark with its reason."""
        for mark in given.marks:
            if mark.code == self.code and given.question.strip():
                yield Problem(self.code, self.severity, mark.field, mark.start, mark.end, mark.data)


class OptionCount(Check):
    """The revision has another number of options than the source."""

    code = "option_count"
    severity = "error"
    family = "structure"
    title = _("Number of options differs")
    sentence = _("The translation has %(found)s options, the source has %(expected)s.")
    why = _(
        "If the translation has more or fewer options than the source, the letter of the key "
        "no longer means the same option."
    )
    faulty = _("The source has A–D, the translation three options: B and C were merged into one.")
    sound = _("The source and the translation both have A–D.")
    fix = _("Give the translation the options of the source.")
    when_wrong = _(
        "If the source itself is wrong, exclude the item and import a correct one under "
        "another uid."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare the counts; silent where the importer already gave the reason."""
        expected, found = len(given.source_options), len(given.options)
        if expected == found or any(mark.code == "options_unreadable" for mark in given.marks):
            return
        yield Problem(self.code, self.severity, "item", data={"expected": expected, "found": found})


class EmptyText(Check):
    """The question, an option or the reference answer holds nothing."""

    code = "empty_text"
    severity = "error"
    family = "structure"
    title = _("Empty text")
    sentence = _("This field has no text.")
    needs_source = False
    why = _(
        "A question or an option without text cannot be answered or judged. A response "
        "cannot be compared with a reference answer that is not there."
    )
    faulty = _("Option C is a single space.")
    sound = _("Option C has a text, however short.")
    fix = _(
        "Write the text from the source, or exclude the item. Nothing is filled in automatically."
    )
    when_wrong = _(
        "An option that holds only punctuation counts as empty if the source option has "
        "words. Dismiss the finding where punctuation is all that the option needs."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for fields of white space, and for options of mere marks that the source fills.

        An item that asks nothing, because its options say all, needs no question.
        """
        if not given.question.strip() and given.source_question.strip():
            yield Problem(self.code, self.severity, "question", 0, len(given.question))
        for position, option in enumerate(given.options):
            is_empty = not option.strip() or is_placeholder(given, position)
            if is_empty or (is_hollow(given, position) and not is_shifted(given)):
                yield Problem(self.code, self.severity, option_field(position), 0, len(option))
        (answer, _explanation), (wanted, _source) = given.further, given.source_further
        if not answer.strip() and (wanted.strip() or given.kind == "translation"):
            yield Problem(self.code, self.severity, "answer", 0, len(answer))


class NumberUnreadable(Check):
    """The answer of an item that asks for a number is no number."""

    code = "number_unreadable"
    severity = "error"
    family = "structure"
    title = _("Answer is not a number")
    sentence = _("The item asks for a number, but its answer is “%(key)s”.")
    needs_source = False
    why = _(
        "An item of the kind *number* is scored by the value of its answer. An answer that "
        "cannot be read as one number makes every response wrong."
    )
    faulty = _("The answer of an item was imported as `about 12`.")
    sound = _(
        "`12`, `1,200`, `-0.5`, `2/3`: digits of every script, with a sign, commas between "
        "thousands, a decimal point or a fraction."
    )
    fix = _("Correct the answer on the item’s page, under Key.")
    when_wrong = _("If the answer is a text, import the item with the kind `open` instead.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        if given.kind == "number" and read_number(given.source_key) is None:
            data = {"key": shorten(given.source_key)}
            yield Problem(self.code, self.severity, "item", data=data)


class ExplanationMissing(Check):
    """The source explains its answer, the translation doesn't."""

    code = "explanation_missing"
    severity = "warning"
    family = "structure"
    title = _("Explanation not translated")
    sentence = _("The source has an explanation, but this text has none.")
    why = _(
        "Explanations are used as worked examples in few-shot prompts. Without a translation "
        "a release has no explanation in the target language for the item."
    )
    faulty = _(
        "The item was imported with `explanation`, its translation without "
        "`translation_explanation`."
    )
    sound = _("Both columns have a text.")
    fix = _("Write the explanation from the source.")
    when_wrong = _(
        "If the benchmark does without explanations in the target language, dismiss the "
        "finding with that reason."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        (_answer, explanation), (_reference, source) = given.further, given.source_further
        if source.strip() and not explanation.strip():
            yield Problem(self.code, self.severity, "explanation", 0, len(explanation))


class EqualOptions(Check):
    """Two options read the same although those of the source differ.

    An error where one of them is the key: nobody can choose the right one.
    """

    code = "equal_options"
    severity = "warning"
    family = "structure"
    title = _("Identical options")
    sentence = _("Options %(other)s and %(letter)s are identical here but different in the source.")
    needs_source = False
    why = _(
        "If two options read the same and one is the key, nobody can choose the right one; "
        "then it is an error. Options that look the same are identical, whatever characters they "
        "are made of. Outer spaces and closing marks do not count. Several identical options are "
        "one finding."
    )
    faulty = _("真实假虚 and 虚实夹杂 were both rendered with the same words.")
    sound = _("Each of the two options says something of its own.")
    fix = _("Render the difference that the source makes.")
    when_wrong = _("Options that are identical in the source as well are not reported.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare options without outer white space and closing marks; a group is one problem."""
        ending = get_language(given.target_language).idle_ending
        alike: dict[str, list[int]] = {}
        for position, option in enumerate(given.options):
            alike.setdefault(_spaced_once(option).rstrip(ending), []).append(position)
        if len(alike) == len(given.options):
            return
        for plain, positions in alike.items():
            group = _differing_in_source(given, positions) if plain else []
            if len(group) > 1:
                yield self._problem(given, group)

    def _problem(self, given: CheckInput, positions: list[int]) -> Problem:
        letters = list(map(letter_of, positions))
        severity: Severity = "error" if given.source_key in letters else self.severity
        data = {"letter": letters[-1], "other": ", ".join(letters[:-1])}
        field = option_field(positions[1])
        return Problem(self.code, severity, field, 0, len(given.options[positions[1]]), data)


def _differing_in_source(given: CheckInput, positions: list[int]) -> list[int]:
    """Return the first position and those whose source is another text than the first one's."""
    first = positions[0]
    return [first, *(at for at in positions[1:] if not _source_repeats(given, first, at))]


def _source_repeats(given: CheckInput, one: int, other: int) -> bool:
    options = given.source_options
    if max(one, other) >= len(options):
        return False
    return _spaced_once(options[one]) == _spaced_once(options[other])


def _spaced_once(option: str) -> str:
    return fold(" ".join(option.split())).strip()


class KeyOutOfRange(Check):
    """The key names an option that is not there."""

    code = "key_out_of_range"
    severity = "error"
    family = "structure"
    title = _("Key has no option")
    sentence = _("The key is “%(key)s”, but the last option is %(last)s.")
    needs_source = False
    why = _("A key that names no option can never be answered.")
    faulty = _("The key is D, there are three options.")
    sound = _("The key is C, there are three options.")
    fix = _("Restore the missing option or correct the key of the item.")
    when_wrong = _("Never: the key of an item is the letter of one of its options.")

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for the key among the letters of the options."""
        key = given.source_key if given.key is None else given.key
        if given.options and position_of(key, len(given.options)) is None:
            data = {"key": shorten(key), "last": letter_of(len(given.options) - 1)}
            yield Problem(self.code, self.severity, "item", data=data)


class KeyChanged(Check):
    """The key published beside the translation is not the source's."""

    code = "key_changed"
    severity = "error"
    family = "structure"
    title = _("Key differs from the source")
    sentence = _(
        "The translation was published with the key %(key)s, but the key of the source is "
        "%(source)s."
    )
    why = _(
        "The key published with a translation must be the key of the source. If it is not, "
        "the options were moved or one of the keys is wrong."
    )
    faulty = _("The source says B, the translation was published with C.")
    sound = _("Both say B.")
    fix = _("Compare the options one by one. If their order was changed, put it back.")
    when_wrong = _(
        "If the key of the source is wrong, say so in review. A key that the item had before "
        "somebody corrected it is no finding."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare the two letters."""
        if given.key is not None and given.key != given.source_key:
            data = {"key": shorten(given.key), "source": shorten(given.source_key)}
            yield Problem(self.code, self.severity, "item", data=data)


class OrderChanged(Check):
    """The options stand in another order than in the source.

    Certain only where every option carries numbers, formulas or Latin terms of its own and all
    of them turn up again elsewhere; words of two languages can't be compared this way. Within an
    option their order says nothing, since a translation may have to turn it round.
    """

    code = "order_changed"
    severity = "error"
    family = "structure"
    title = _("Options in a different order")
    sentence = _("Compared with the source, the options are in the order %(order)s.")
    moves_options = True
    explains = frozenset({"options_exchanged"})
    why = _(
        "Options in another order make the key point to a wrong one. The check reports this "
        "only if every option has its own numbers, formulas or Latin terms and all of them "
        "appear again in other places."
    )
    faulty = _("Source 10, 20, 30, 40; translation 10, 30, 20, 40: order ACBD.")
    sound = _("Source 10, 20, 30, 40; translation 10, 20, 30, 40.")
    fix = _("Put the options in the order of the source.")
    when_wrong = _(
        "Where each option of the translation says the same as its source in other numbers."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Compare the options by what no translation changes."""
        if not given.is_readable:
            return
        source: list[tuple[str, ...]] = []
        for option in given.source_options:
            signs = kept(option)
            if not signs or signs in source:
                return
            source.append(signs)
        target = [kept(option) for option in given.options]
        if source != target and sorted(source) == sorted(target):
            order = "".join(letter_of(source.index(found)) for found in target)
            yield Problem(self.code, self.severity, "item", data={"order": order})


class LabelInText(Check):
    """An option label stands inside the question or an option."""

    code = "label_in_text"
    severity = "error"
    family = "structure"
    title = _("Option label in the text")
    sentence = _("The text contains option labels: “%(label)s”.")
    needs_source = False
    explains = frozenset({"empty_text"})
    joined_value = "label"
    why = _(
        "A label within an option means that two options run together, or that the label was "
        "not removed, so that a model would see it twice."
    )
    faulty = _("Option C reads `Chlorine⏎D. Iron`.")
    sound = _("Option C reads `Chlorine`, option D reads `Iron`.")
    fix = _("Remove the label, and move what follows it to its own option.")
    when_wrong = _(
        "A label that the source has in the same field is no finding. A label at the very "
        "start of a text may be an initial, as in “A. Einstein”, so there it is a warning."
    )

    def run(self, given: CheckInput) -> Iterator[Problem]:
        """Look for labels at line starts that the source doesn't have there as well."""
        text = given.target_text
        if not any(mark in text for mark in _LABEL_MARKS) or not _LABEL_SIGN.search(text):
            return
        has_further = max(len(given.options), len(given.source_options)) > COMMON_LETTERS
        label = _FURTHER_LABEL if has_further else _LABEL
        for field, source, target in given.pairs:
            if field == "explanation":  # it may go through the options one by one
                continue
            matches = list(label.finditer(target))
            known = Counter(label.findall(source)) if matches else Counter[str]()
            for match in matches:
                if _is_of_species(target, match, given):
                    continue
                known[match[1]] -= 1
                if known[match[1]] < 0:
                    severity = self._severity(field, match)
                    data = {"label": match[0].strip()}
                    yield Problem(self.code, severity, field, match.start(), match.end(), data)

    def _severity(self, field: str, match: re.Match[str]) -> Severity:
        """Doubt a label at the very start, which may be an initial, unless it is the option's."""
        if match.start() or field == option_field(position_of(match[1]) or 0):
            return self.severity
        return "warning"


def _is_of_species(text: str, match: re.Match[str], given: CheckInput) -> bool:
    """Return whether a letter at the very start begins a name as C. elegans, within another script."""
    if match.start() or get_language(given.target_language).script == "Latin":
        return False
    return SPECIES.match(text, match.end()) is not None


CHECKS: Final = (
    EmptyText(),
    OptionsUnreadable(),
    OptionCount(),
    splices.LettersSpliced(),
    LabelInText(),
    EqualOptions(),
    KeyOutOfRange(),
    KeyChanged(),
    OrderChanged(),
    NumberUnreadable(),
    ExplanationMissing(),
)

"""Plants faults of many kinds in the texts of a benchmark, and counts how many the checks find.

    python -m benchmarks.planted_faults PATH --format F --source SOURCE --target-language L

with the files of a published benchmark. Each kind of fault is planted once in every sound text that
has a place for it; a text is sound if no check finds an error in it as it was published. A fault is
found if the text has a finding that it did not have before. Checks that compare a text with others
learn from the published texts. A second table says in how many published texts each check finds
something: among these are all false alarms. The same seed gives the same tables, in Markdown.
"""

import argparse
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotation.checks.catalogue.base import CheckInput

Texts = list[str]
Plant = Callable[[Texts, "CheckInput", random.Random], Texts | None]
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
SMALLER_OR_LARGER = "mm>cm cm>m km>m m>km mg>g kg>g g>kg ℃>℉ °C>°F kW>W W>kW kV>V V>kV mL>L ml>l L>mL s>ms h>min Hz>kHz"
UNITS = dict(each.split(">") for each in SMALLER_OR_LARGER.split())
WITH_UNIT = re.compile(
    rf"(?<=\d)( ?)({'|'.join(sorted(UNITS, key=len, reverse=True))})(?![A-Za-z0-9/])"
)
PLANTS: dict[str, tuple[str, Plant]] = {}


def plant(family: str, kind: str) -> Callable[[Plant], Plant]:
    def keep(function: Plant) -> Plant:
        PLANTS[kind] = (family, function)
        return function

    return keep


def somewhere(
    texts: Texts,
    pattern: re.Pattern[str],
    change: Callable[[re.Match[str]], str],
    rng: random.Random,
) -> Texts | None:
    """Change one match of a pattern in one of the texts; None where nothing can be changed."""
    found = [(n, match) for n, text in enumerate(texts) for match in pattern.finditer(text)]
    rng.shuffle(found)
    for n, match in found:
        new = f"{texts[n][: match.start()]}{change(match)}{texts[n][match.end() :]}"
        if new != texts[n]:
            return [*texts[:n], new, *texts[n + 1 :]]
    return None


def in_number(kind: str, change: Callable[[str, random.Random], str]) -> None:
    def planted(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
        return somewhere(texts, NUMBER, lambda match: change(match[0], rng), rng)

    plant("numbers", kind)(planted)


def by_pattern(
    family: str, kind: str, pattern: str, change: Callable[[re.Match[str]], str]
) -> None:
    compiled = re.compile(pattern)

    def planted(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
        return somewhere(texts, compiled, change, rng)

    plant(family, kind)(planted)


def drop_digit(number: str, rng: random.Random) -> str:
    at = rng.randrange(len(number))
    left = number[:at] + number[at + 1 :]
    return left if number[at].isdecimal() and left and not left.startswith(("0", "༠")) else number


def change_digit(number: str, rng: random.Random) -> str:
    at = rng.randrange(len(number))
    if not number[at].isdecimal():
        return number
    moved = (int(number[at]) + rng.randrange(1, 9)) % 10
    return number[:at] + chr(ord(number[at]) - int(number[at]) + moved) + number[at + 1 :]


def swap_digits(number: str, rng: random.Random) -> str:
    at = rng.randrange(len(number))
    pair = number[at : at + 2]
    return number[:at] + pair[::-1] + number[at + 2 :] if pair.isdecimal() and at else number


def zero_of(number: str) -> str:
    """Return the zero of the number's script; nothing where it would not change the value."""
    is_whole = number.isdecimal() and int(number) > 0
    return chr(ord(number[-1]) - int(number[-1])) if is_whole else ""


def turned_bound(words: str) -> str:
    """Return Tibetan words that bound a number from the other side, or from the same without a "not"."""
    if "མི་" in words:
        return words.replace("མི་", "")
    pairs = ("ཉུང མང", "ཆེ ཆུང", "མཐོ དམའ", "ཡན མན")
    turned = dict(side for pair in pairs for side in (pair.split(), pair.split()[::-1]))
    return next(words.replace(word, turned[word]) for word in turned if word in words)


in_number("a digit dropped", drop_digit)
in_number("a digit changed", change_digit)
in_number("two digits swapped", swap_digits)
in_number("a number lost", lambda number, rng: "")
in_number("a zero added", lambda number, rng: f"{number}{zero_of(number)}")
by_pattern(
    "numbers", "a sign flipped", r"(?<![\w)\]}.,/:~-])[-−]?(?=\d)", lambda m: "" if m[0] else "-"
)
by_pattern(
    "numbers",
    "a power lowered",
    r"(?<=\d)\^\{?(\d+)\}?|[²³⁴⁵]",
    lambda m: m[1] or str("⁰¹²³⁴⁵".index(m[0])),
)
by_pattern(
    "numbers", "a fraction or ratio turned", r"(\d+)([/:：])(\d+)", lambda m: f"{m[3]}{m[2]}{m[1]}"
)
by_pattern("numbers", "a range turned", r"(\d+)([-~–～])(\d+)", lambda m: f"{m[3]}{m[2]}{m[1]}")
by_pattern(
    "numbers",
    "a relation turned",
    "[<>≤≥＜＞]",
    lambda m: dict(zip("<>≤≥＜＞", "><≥≤＞＜", strict=True))[m[0]],
)
by_pattern(
    "numbers",
    "a bound turned",
    r"(?<=[0-9༠-༩])[^0-9༠-༩།\s]{0,12}?(ལས་(?:མི་)?(?:ཉུང|མང|ཆེ|ཆུང|མཐོ|དམའ)|ཡན|མན)",
    lambda m: m[0].replace(m[1], turned_bound(m[1])),
)
by_pattern(
    "numbers",
    "a bound lost",
    r"(?<=[0-9༠-༩])([^0-9༠-༩།\s]{0,12}?)(?:ལས་མི་(?:ཉུང|མང)|ལས་(?:ཆེ|ཆུང|མཐོ|དམའ)་བ|ཡན|མན)",
    lambda m: m[1],
)
by_pattern("numbers", "percent to per mille", "[%％]", lambda m: "‰")
by_pattern("numbers", "percent lost", r"(?<=\d) ?[%％]", lambda m: "")
by_pattern("numbers", "a unit swapped", WITH_UNIT.pattern, lambda m: f"{m[1]}{UNITS[m[2]]}")
by_pattern(
    "numbers", "a point for a thousands comma", r"(?<=\d),(?=\d{3}(?![\d.,]))", lambda m: "."
)
by_pattern("numbers", "degrees of an angle to Celsius", r"(?<=\d)°(?![CF\d])", lambda m: "℃")
by_pattern(
    "numbers", "a sign before a letter lost", r"(?<=[=(,])[-−](?=[a-z](?![a-z]))", lambda m: ""
)
by_pattern(
    "numbers",
    "an operator changed",
    r"(?<=[0-9A-Za-z)])( ?)[+×±](?= ?[0-9A-Za-z(])",
    lambda m: f"{m[1]}-",
)
by_pattern(
    "numbers",
    "a currency swapped",
    "[¥￥€£]",
    lambda m: dict(zip("¥￥€£", "€€£¥", strict=True))[m[0]],
)
by_pattern("formulas", "a backslash stripped", r"(?<!\\)\\(?=[A-Za-z]{2})", lambda m: "")
by_pattern("formulas", "a backslash doubled", r"(?<!\\)\\(?=[A-Za-z]{2})", lambda m: "\\\\")
by_pattern(
    "formulas", "a command eaten by JSON", r"\\(?:beta|theta|times|text|frac|nu|neq|rho|right)(?![a-z])",
    lambda m: m[0].encode().decode("unicode_escape"),
)  # fmt: skip
by_pattern("formulas", "a formula lost", r"\$[^$]+\$", lambda m: "")
by_pattern("terms", "a Latin term lost", r"[A-Z]{2,}[A-Za-z0-9]*", lambda m: "")
by_pattern("marks", "a bracket lost", r"[)）]", lambda m: "")
by_pattern("marks", "a bracket emptied", r"(?<=《)[^《》]+(?=》)", lambda m: "")
by_pattern("damage", "U+FFFD for a letter", r"[^\W\d_]", lambda m: "\ufffd")
by_pattern("damage", "a direction mark", r"(?<=[^\W\d_])(?=[^\W\d_])", lambda m: "\u202e")
by_pattern("damage", "a private character", r"[^\W\d_]", lambda m: "\ue042")
by_pattern("damage", "an HTML entity", r" ", lambda m: "&nbsp;")
by_pattern("damage", "HTML tags", r"[^\W\d_]{2,}", lambda m: f"<b>{m[0]}</b>")
by_pattern("damage", "escaped quotes", r"[^\W\d_]{2,}", lambda m: f'\\"{m[0]}\\"')
by_pattern("damage", "a number of a character", r"[^\W\d_]", lambda m: f"\\u{ord(m[0]):04x}")
by_pattern("damage", "a mark of a tokenizer", r"(?<=[་ ])(?=[^\W\d_])", lambda m: "[UNK]")
by_pattern("script", "a word of another script", r"(?<=[་ ])(?=[^\W\d_])", lambda m: "सही ")


@plant("numbers", "one number for another")
def one_number_for_another(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    for n, text in enumerate(texts):
        found = list(NUMBER.finditer(text))
        if len(found) > 1 and found[0][0] != found[1][0]:
            first, last = found[:2]
            new = text[: first.start()] + last[0] + text[first.end() :]
            return [*texts[:n], new, *texts[n + 1 :]]
    return None


@plant("negation", "a negation lost")
def negation_lost(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    from annotation.checks.catalogue.denials import find_negation
    from languages import get_language

    target = get_language(given.target_language)
    if find_negation(given.source_question, get_language(given.source_language)) is None:
        return None
    text = texts[0]
    while word := find_negation(text, target):
        text = text.replace(word, "", 1)
    return [text, *texts[1:]] if text != texts[0] else None


@plant("negation", "a negation added")
def negation_added(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    """Turn the word for "is" at the end of a Tibetan question whose source denies nothing."""
    from annotation.checks.catalogue.denials import find_negation
    from languages import get_language

    if find_negation(given.source_question, get_language(given.source_language)):
        return None
    text = re.sub(r"(?<=་)(?:ཡིན|རེད)(?=(?:་?ནམ|་པ)?[།་ ]*\Z)", "མིན", texts[0])
    return [text, *texts[1:]] if text != texts[0] else None


@plant("options", "two options swapped")
def options_swapped(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    at = rng.randrange(1, len(texts) - 1)
    return [*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]]


@plant("options", "a name of other options lost")
def option_name_lost(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return in_named(texts, given, lambda text: "ཡིན།")


@plant("options", "a name of other options changed")
def option_name_changed(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return in_named(texts, given, lambda text: rng.choice(("སྔ་མ་གཉིས་མིན་པ།", "ལན་ཡང་དག་པ།", "A")))


def in_named(texts: Texts, given: "CheckInput", change: Callable[[str], str]) -> Texts | None:
    """Change the translation of an option that is nothing but a Chinese name of others."""
    named = re.compile(
        r"(?:所有)?(?:以上|上述)(?:说法|选项)?(?:全部|都?不?(?:是|对)|均|都不是)?|[前后][两三]项.{0,4}"
    )
    for at, source in enumerate(given.source_options, 1):
        if named.fullmatch(source):
            return [*texts[:at], change(texts[at]), *texts[at + 1 :]]
    return None


@plant("options", "an option repeated")
def option_repeated(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [*texts[:2], texts[1], *texts[3:]] if texts[1] != texts[2] else None


@plant("options", "an option lost")
def option_lost(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return texts[:-1]


@plant("options", "an option emptied")
def option_emptied(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [*texts[:-1], " "]


@plant("options", "a word for no text")
def option_undefined(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [*texts[:-1], rng.choice(("null", "N/A", "undefined", "None"))]


@plant("text", "the second half cut off")
def cut_off(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [texts[0][: len(texts[0]) // 2], *texts[1:]] if len(texts[0]) > 60 else None


@plant("text", "the last third cut off")
def end_cut_off(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [texts[0][: len(texts[0]) * 2 // 3], *texts[1:]] if len(texts[0]) > 60 else None


@plant("text", "the second half of an option cut off")
def option_cut_off(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    long = [at for at, text in enumerate(texts) if at and len(text) > 30]
    if not long:
        return None
    at = rng.choice(long)
    return [*texts[:at], texts[at][: len(texts[at]) // 2], *texts[at + 1 :]]


@plant("text", "a loop at the end")
def loop(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [texts[0] + texts[0][-12:] * 20, *texts[1:]]


by_pattern(
    "text",
    "a short piece three times",
    r"(?<=[་ ])(?:[^\s་།()$]{2,}[་ ]){2,4}(?=[^\s།])",
    lambda m: m[0] * 3,
)


@plant("text", "the question twice")
def question_twice(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [f"{texts[0]} {texts[0]}", *texts[1:]]


@plant("script", "the source for a question")
def question_untranslated(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [given.source_question, *texts[1:]]


@plant("script", "the source for an option")
def option_untranslated(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    source = given.source_options[0]
    return [texts[0], source, *texts[2:]] if re.search("[\u4e00-\u9fff]", source) else None


@plant("damage", "mojibake")
def mojibake(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [texts[0].encode().decode("latin-1"), *texts[1:]]


@plant("damage", "Markdown fences")
def fenced(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    return [f"```\n{texts[0]}\n```", *texts[1:]]


def before_question(kind: str, choices: Sequence[str]) -> None:
    def planted(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
        return [f"{rng.choice(choices)}{texts[0]}", *texts[1:]]

    plant("chatter", kind)(planted)


before_question(
    "a model's opening",
    ("Here is the translation:\n\n", "Sure! Here's the Tibetan version: ", "Certainly! Here is the translated text:\n",
     "好的，以下是翻译：\n", "以下是藏文翻译：\n"),
)  # fmt: skip
before_question(
    "a label of a prompt", ("Question: ", "Translation: ", "问题：", "དྲི་བ། ", "Q: ", "དྲི་བ་ : ")
)


@plant("chatter", "a note behind the question")
def note_behind(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    said = ("\n\nExplanation: the name is kept.", "\n(Note: the name is kept.)", "\n注：保留原名。")
    return [f"{texts[0]}{rng.choice(said)}", *texts[1:]]


@plant("chatter", "a refusal for an option")
def refusal(texts: Texts, given: "CheckInput", rng: random.Random) -> Texts | None:
    said = (
        "I'm sorry, but I can't assist with that.",
        "抱歉，我无法翻译。",
        "As an AI language model, I cannot do this.",
    )
    return [texts[0], rng.choice(said), *texts[2:]]


@dataclass(slots=True)
class Tally:
    planted: int = 0
    found: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("path", type=Path, metavar="PATH")
    parser.add_argument("--format", required=True)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--source-format", default="")
    parser.add_argument("--source-language", default="zh")
    parser.add_argument("--target-language", required=True)
    parser.add_argument("--family", default="", help="plant faults of this family only")
    parser.add_argument("--size", type=int, help="take only so many texts, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="print each fault that was not found")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")
    import django

    django.setup()
    texts = list(read(options))
    size = min(options.size or len(texts), len(texts))
    report(random.Random(options.seed).sample(texts, size), options)


def read(options: argparse.Namespace) -> Iterator[tuple[str, "CheckInput"]]:
    """Yield every published text beside its source, with its uid."""
    from annotation.auditing.audit import audit
    from annotation.checks.catalogue.base import CheckInput
    from annotation.imports.opening import ImportOptions, open_file
    from annotation.management.commands.audit_benchmark import source_rows

    with open_file(options.path, ImportOptions(format=options.format)) as opened:
        audited = audit(
            opened.rows,
            source_rows=source_rows(options.source, ImportOptions(format=options.source_format)),
            source_language=options.source_language,
            target_language=options.target_language,
        )
    for text in audited.texts:
        source = text.source
        if source and text.options:
            yield text.uid, CheckInput(
                source.question, source.options, source.key, text.question, text.options, None,
                options.source_language, options.target_language,
            )  # fmt: skip


def report(texts: Sequence[tuple[str, "CheckInput"]], options: argparse.Namespace) -> None:
    from annotation.checks.catalogue import check_text
    from annotation.checks.siblings import Siblings

    siblings = Siblings(texts)

    def found(uid: str, given: "CheckInput") -> frozenset[tuple[str, ...]]:
        return found_in([*check_text(given), *siblings.problems(uid, given)])

    before = {uid: found(uid, given) for uid, given in texts}
    wanted = {k: p for k, p in PLANTS.items() if options.family in ("", p[0])}
    tallies = {kind: Tally() for kind in wanted}
    for uid, given in texts:
        if not any(each[0] == "error" for each in before[uid]):
            for kind, (_family, planted) in wanted.items():
                new = planted_in(planted, f"{options.seed} {kind} {uid}", given)
                if new:
                    is_found = bool(found(uid, new) - before[uid])
                    tallies[kind].planted += 1
                    tallies[kind].found += is_found
                    if options.missed and not is_found:
                        say_missed(kind, uid, given, new)
    say(tallies)
    levels = Counter(level for found in before.values() for level in {each[0] for each in found})
    print(
        f"\nOf {len(texts)} published texts {sum(not found for found in before.values())} are without"
    )
    print(f"a finding; {levels['error']} have an error, {levels['warning']} a warning.\n")
    say_published(
        Counter(code for found in before.values() for code in {each[1] for each in found}),
        len(texts),
    )


def planted_in(planted: Plant, seed: str, given: "CheckInput") -> "CheckInput | None":
    new = planted([given.question, *given.options], given, random.Random(seed))
    return replace(given, question=new[0], options=tuple(new[1:])) if new else None


def say_missed(kind: str, uid: str, old: "CheckInput", new: "CheckInput") -> None:
    pairs = zip((old.question, *old.options), (new.question, *new.options), strict=False)
    print(f"{kind}: {uid}: {'; '.join(f'{a!r} → {b!r}' for a, b in pairs if a != b)}", flush=True)


def found_in(problems: Sequence[Any]) -> frozenset[tuple[str, ...]]:
    return frozenset(
        (problem.severity, problem.code, problem.field, str(sorted(problem.data.items())))
        for problem in problems
    )


def say(tallies: dict[str, Tally]) -> None:
    print("| family | planted fault | planted | found | recall |")
    print("|---|---|---|---|---|")
    families: dict[str, Tally] = {}
    for kind, tally in tallies.items():
        family = PLANTS[kind][0]
        total = families.setdefault(family, Tally())
        total.planted, total.found = total.planted + tally.planted, total.found + tally.found
        if tally.planted:
            print(f"| {family} | {kind} | {tally.planted} | {tally.found} | {share(tally)} |")
    for family, tally in families.items():
        if tally.planted:
            print(f"| **{family}** | all | {tally.planted} | {tally.found} | **{share(tally)}** |")


def say_published(texts_with: Counter[str], text_count: int) -> None:
    print("| check | published texts with a finding | share |")
    print("|---|---|---|")
    for code, n in texts_with.most_common():
        print(f"| {code} | {n} | {100 * n / text_count:.1f} % |")


def share(tally: Tally) -> str:
    return f"{100 * tally.found / tally.planted:.0f} %"


if __name__ == "__main__":
    main()

"""Audits a published benchmark by its files alone: joins, checks and duplicates.

`audit(rows, …)` takes what the importers yield and returns one AuditReport; it knows no database,
writes nothing and gives the same report for the same files. What is counted:

- a *text* is one published wording of an item by one system; it is *joined* if its source is known;
- a text has a *broken option list* if its options can't be told apart or are not as many as the
  source's, and is *empty* if its question or one of its options holds nothing;
- a text without source is checked by what one text alone can show (checks without `needs_source`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from annotation.checks.catalogue import ALL_CHECKS, run_checks
from annotation.checks.catalogue.base import CheckInput, Problem
from annotation.checks.siblings import Siblings
from annotation.checks.whole_set import SetItem, WholeSet, check_whole_set
from annotation.duplicates.dedupe.comparison import compare
from annotation.duplicates.dedupe.exact import exact_pairs, same_question_pairs
from annotation.duplicates.dedupe.near import make_search, near_pairs
from annotation.duplicates.dedupe.pairs import Kind, Pair, Side, merge_pairs
from annotation.duplicates.dedupe.texts import ItemText, same_key
from annotation.importers.base import Mark, Row, RowError, SourceRow, TranslationRow

BROKEN: Final = frozenset({"option_count", "options_unreadable"})
EMPTY: Final = "empty_text"
UNKNOWN_LANGUAGE: Final = "und"

_HAN: Final = regex.compile(r"\p{Han}")
_LATIN: Final = regex.compile(r"\p{Latin}")
_WORTH_A_WORD: Final = 5  # Latin letters that say about as much as one Han character


@dataclass(frozen=True, slots=True)
class AuditedText:
    """One published text; `source` is None where it is not known."""

    uid: str
    system: str
    subject: str
    split: str
    question: str
    options: tuple[str, ...]
    key: str | None
    marks: tuple[Mark, ...]
    source: SourceRow | None

    @property
    def held_key(self) -> str:
        """The published key, else the source's, '' where neither is known."""
        return self.key or (self.source.key if self.source else "")


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One problem of one text."""

    text: AuditedText
    problem: Problem


@dataclass(frozen=True, slots=True)
class AuditPair:
    """Two texts of one side (and on the target side of one system) that say the same.

    `similarity` is in 0..1; `has_same_key` compares right options by what they say, and is None
    where a key is not known.
    """

    a: AuditedText
    b: AuditedText
    kind: Kind
    side: Side
    similarity: float
    has_same_key: bool | None

    @property
    def crosses_splits(self) -> bool:
        return self.a.split != self.b.split


@dataclass(frozen=True, slots=True)
class SubjectCounts:
    """Counts of texts of one subject, and of the findings in them."""

    subject: str
    texts: int
    broken_options: int
    empty: int
    with_errors: int
    errors: int
    warnings: int


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Everything that was found; uids stand in the order of the files.

    `read` counts rows, refused ones among them. `left_out` are items of the source that no text
    joins. `has_source` says whether texts were compared with a source at all.
    """

    read: int
    refused: tuple[RowError, ...]
    has_source: bool
    source_read: int
    source_refused: tuple[RowError, ...]
    source_language: str
    target_language: str
    texts: tuple[AuditedText, ...]
    left_out: tuple[str, ...]
    findings: tuple[AuditFinding, ...]
    subjects: tuple[SubjectCounts, ...]
    duplicates: tuple[AuditPair, ...]
    whole_set: WholeSet

    @property
    def items(self) -> int:
        return len({text.uid for text in self.texts})

    @property
    def joined(self) -> int:
        return sum(text.source is not None for text in self.texts)

    @property
    def unjoined(self) -> tuple[AuditedText, ...]:
        """Texts whose source was looked for and not found."""
        return tuple(text for text in self.texts if self.has_source and text.source is None)

    @property
    def broken_options(self) -> tuple[AuditedText, ...]:
        return self.texts_with(BROKEN)

    @property
    def empty(self) -> tuple[AuditedText, ...]:
        return self.texts_with(frozenset({EMPTY}))

    @property
    def compared_keys(self) -> int:
        """Number of texts that were published with a key and have a source."""
        return sum(text.source is not None and text.key is not None for text in self.texts)

    @property
    def different_keys(self) -> tuple[AuditedText, ...]:
        return tuple(
            text
            for text in self.texts
            if text.source is not None and text.key is not None and text.key != text.source.key
        )

    @property
    def by_code(self) -> Counter[str]:
        return Counter(finding.problem.code for finding in self.findings)

    @property
    def by_severity(self) -> Counter[str]:
        return Counter(finding.problem.severity for finding in self.findings)

    def texts_with(self, codes: frozenset[str]) -> tuple[AuditedText, ...]:
        """Return the texts in which a finding has one of the codes, each once."""
        found = {id(f.text): f.text for f in self.findings if f.problem.code in codes}
        return tuple(found.values())


def audit(
    rows: Iterable[Row],
    *,
    target_language: str,
    source_rows: Iterable[Row] | None = None,
    source_language: str = "",
) -> AuditReport:
    """Join, check and compare the rows of a benchmark; see the head of this module.

    Without `source_rows` the items of the benchmark itself are the source, if they come with
    translations. Without `source_language` it is told from the script of the source's questions:
    zh, en, or `und` (then nothing is said that needs words of the language).
    """
    refused, good = _parted(rows)
    source_refused, source_good = _parted(source_rows or ())
    is_paired = any(isinstance(row, SourceRow) and row.translation for row in good)
    own = good if is_paired and source_rows is None else []
    sources = {row.uid: row for row in source_good or own if isinstance(row, SourceRow)}
    texts = tuple(_texts(good, sources, is_paired=is_paired))
    language = source_language or language_of(source.question for source in sources.values())
    findings = tuple(_findings(texts, language, target_language))
    joined = {text.uid for text in texts if text.source}
    return AuditReport(
        read=len(refused) + len(good),
        refused=refused,
        has_source=source_rows is not None or is_paired,
        source_read=len(source_refused) + len(source_good),
        source_refused=source_refused,
        source_language=language if sources else "",
        target_language=target_language,
        texts=texts,
        left_out=tuple(uid for uid in sources if uid not in joined),
        findings=findings,
        subjects=_subjects(texts, findings),
        duplicates=_duplicates(texts, sources.values(), language, target_language),
        whole_set=check_whole_set(map(_set_item, texts)),
    )


def _set_item(text: AuditedText) -> SetItem:
    source = text.source
    return SetItem(
        uid=text.uid,
        key=text.held_key,
        question=text.question,
        options=text.options,
        source_question=source.question if source else "",
        source_options=source.options if source else (),
    )


def language_of(texts: Iterable[str]) -> str:
    """Tell zh and en by the script of most of the text, else `und`."""
    counts = Counter[str]()
    for text in texts:
        counts["zh"] += len(_HAN.findall(text)) * _WORTH_A_WORD
        counts["en"] += len(_LATIN.findall(text))
        counts["all"] += sum(map(str.isalpha, text)) + len(_HAN.findall(text)) * (_WORTH_A_WORD - 1)
    best = max(("zh", "en"), key=lambda language: counts[language])
    return best if counts[best] * 2 > counts["all"] else UNKNOWN_LANGUAGE


def _parted(rows: Iterable[Row]) -> tuple[tuple[RowError, ...], list[SourceRow | TranslationRow]]:
    refused: list[RowError] = []
    good: list[SourceRow | TranslationRow] = []
    for row in rows:
        if isinstance(row, RowError):
            refused.append(row)
        else:
            good.append(row)
    return tuple(refused), good


def _texts(
    rows: Iterable[SourceRow | TranslationRow], sources: Mapping[str, SourceRow], *, is_paired: bool
) -> Iterator[AuditedText]:
    for row in rows:
        if isinstance(row, TranslationRow):
            yield _translated(row, sources.get(row.uid))
        elif row.translation:
            yield _translated(row.translation, sources.get(row.uid))
        elif not is_paired:
            yield _original(row, sources.get(row.uid))


def _translated(row: TranslationRow, source: SourceRow | None) -> AuditedText:
    """Return a text without source, placed by its uid: `subject/…`, dev items `subject/dev/…`."""
    subject, parted, rest = row.uid.partition("/")
    split = "dev" if rest.startswith("dev/") else "test"
    return AuditedText(
        uid=row.uid,
        system=row.system,
        subject=source.subject if source else subject if parted else "",
        split=source.split if source else split,
        question=row.question,
        options=row.options,
        key=row.key,
        marks=row.marks,
        source=source,
    )


def _original(row: SourceRow, source: SourceRow | None = None) -> AuditedText:
    return AuditedText(
        uid=row.uid,
        system="",
        subject=row.subject,
        split=row.split,
        question=row.question,
        options=row.options,
        key=row.key,
        marks=(),
        source=source,
    )


def _findings(
    texts: Sequence[AuditedText], source_language: str, target_language: str
) -> Iterator[AuditFinding]:
    inputs = [_check_input(text, source_language, target_language) for text in texts]
    siblings = Siblings((n, inputs[n]) for n, text in enumerate(texts) if text.source)
    for number, (text, given) in enumerate(zip(texts, inputs, strict=True)):
        beside = siblings.problems(number, given) if text.source else []
        problems = [*run_checks(given), *beside] if text.source else _alone(given)
        once = {(p.code, p.field, p.start, p.end): p for p in problems}
        for problem in once.values():
            yield AuditFinding(text, problem)


def _alone(given: CheckInput) -> list[Problem]:
    return [
        problem for check in ALL_CHECKS if not check.needs_source for problem in check.run(given)
    ]


def _check_input(text: AuditedText, source_language: str, target_language: str) -> CheckInput:
    """Give a text without source one that is as long a list of options and says nothing.

    A source item of its own may have no question, a translation may not.
    """
    source = text.source
    return CheckInput(
        source_question=source.question if source else "0" if text.question or text.system else "",
        source_options=source.options if source else tuple(map(str, range(len(text.options)))),
        source_key=source.key if source else text.key or "",
        question=text.question,
        options=text.options,
        key=text.key,
        marks=text.marks,
        source_language=source_language if source else target_language,
        target_language=target_language,
    )


def _subjects(
    texts: Sequence[AuditedText], findings: Sequence[AuditFinding]
) -> tuple[SubjectCounts, ...]:
    codes: defaultdict[int, list[Problem]] = defaultdict(list)
    for finding in findings:
        codes[id(finding.text)].append(finding.problem)
    by_subject: defaultdict[str, list[list[Problem]]] = defaultdict(list)
    for text in texts:
        by_subject[text.subject].append(codes.get(id(text), []))
    return tuple(_subject(name, by_subject[name]) for name in sorted(by_subject))


def _subject(name: str, problems: Sequence[Sequence[Problem]]) -> SubjectCounts:
    severities = Counter(problem.severity for found in problems for problem in found)
    return SubjectCounts(
        subject=name,
        texts=len(problems),
        broken_options=sum(any(p.code in BROKEN for p in found) for found in problems),
        empty=sum(any(p.code == EMPTY for p in found) for found in problems),
        with_errors=sum(any(p.severity == "error" for p in found) for found in problems),
        errors=severities["error"],
        warnings=severities["warning"],
    )


def _duplicates(
    texts: Sequence[AuditedText],
    sources: Iterable[SourceRow],
    source_language: str,
    target_language: str,
) -> tuple[AuditPair, ...]:
    """Search the source's items, and each system's texts apart; the loudest pairs come first."""
    found = list(_pairs([_original(row) for row in sources], source_language, "source"))
    by_system: defaultdict[str, list[AuditedText]] = defaultdict(list)
    for text in texts:
        by_system[text.system].append(text)
    for group in by_system.values():
        found += _pairs(group, target_language, "target")
    return tuple(sorted(found, key=_loudness))


def _loudness(pair: AuditPair) -> tuple[int, bool, float, str, str, str, str]:
    keys = (False, None, True).index(pair.has_same_key)
    places = (pair.a.uid, pair.b.uid, pair.side, pair.a.system)
    return (keys, not pair.crosses_splits, -pair.similarity, *places)


def _pairs(texts: Sequence[AuditedText], language: str, side: Side) -> Iterator[AuditPair]:
    items = [
        ItemText(at, text.question, text.options, text.held_key) for at, text in enumerate(texts)
    ]
    for pair in _search(items, language, side):
        a, b = texts[pair.a], texts[pair.b]
        yield AuditPair(a, b, pair.kind, side, pair.similarity, _have_same_key(a, b))


def _search(items: Sequence[ItemText], language: str, side: Side) -> list[Pair]:
    """Find exact and near pairs among the items that hold any text."""
    filled = compare(item for item in items if item.question.strip() or item.options)
    if not filled:
        return []
    pairs = exact_pairs(filled, side=side)
    pairs += same_question_pairs(filled, language=language, side=side)
    search = make_search(filled, language=language, side=side)
    for block in range(search.block_count):
        pairs += near_pairs(search, block=block)
    return merge_pairs(pairs)


def _have_same_key(a: AuditedText, b: AuditedText) -> bool | None:
    """Return whether the right options say the same here or in the source, which has the last word."""
    if not (a.held_key and b.held_key):
        return None
    here = _key_text(a), _key_text(b)
    if not (a.source and b.source):
        return same_key(*here)
    is_same_here = bool(a.options and b.options) and same_key(*here)
    return is_same_here or same_key(_key_text(_original(a.source)), _key_text(_original(b.source)))


def _key_text(text: AuditedText) -> ItemText:
    return ItemText(0, "", text.options, text.held_key)

"""Proposes a mapping from the values of a table; a person looks at it before anything is read by it."""

from collections.abc import Mapping, Sequence

from annotation.importers.lookalikes import option_columns
from annotation.importers.mapped import ColumnMap
from common.names import fold_name
from languages.letters import plain_letter, position_of

_NAMES = {
    "uid": ("uid", "id", "nr", "number", "item id", "question id", "sample id", "编号"),
    "subject": ("subject", "topic", "thema", "fach", "科目", "主题"),
    "question": ("question", "frage", "prompt", "query", "stem", "题目", "问题"),
    "key": ("key", "answer", "label", "solution", "target", "gold", "correct", "lösung", "loesung", "答案"),
    "explanation": ("explanation", "rationale", "解析"),
    "level": ("level", "difficulty"),
    "year": ("year",),
    "category": ("category",),
    "split": ("split",),
}  # fmt: skip
_ORDER = ("uid", "key", "question", "subject", "explanation", "level", "year", "category", "split")


def guess_map(rows: Sequence[Mapping[str, str]]) -> ColumnMap:
    """Return the mapping that names and values suggest; fields stay out where nothing does.

    `key_as` is '' where the values of the key would fit several ways of naming an option.
    """
    if not rows:
        return ColumnMap({}, key_as="")
    columns = list(dict.fromkeys(column for row in rows for column in row))
    found: dict[str, tuple[str, ...]] = {}
    options = option_columns(rows[0])
    if options:
        found["options"] = tuple(options)
    free = [column for column in columns if column not in options]
    for field in _ORDER:
        named = next((c for name in _NAMES[field] for c in free if fold_name(c) == name), None)
        if named:
            found[field] = (named,)
            free.remove(named)
    if "question" not in found and free:
        longest = max(free, key=lambda column: sum(len(row.get(column, "")) for row in rows))
        found["question"] = (longest,)
    key = found.get("key")
    key_as = _key_as(rows, key[0], found.get("options", ())) if key else ""
    return ColumnMap(found, key_as=key_as)


def _key_as(rows: Sequence[Mapping[str, str]], key: str, options: Sequence[str]) -> str:
    """Return the one way in which every key names an option, '' where none or several would do."""
    values = [row.get(key, "").strip() for row in rows]
    count = len(options)
    fits = []
    if all(position_of(plain_letter(value)) is not None for value in values):
        fits.append("letter")
    if all(value.isascii() and value.isdecimal() for value in values):
        numbers = [int(value[:9]) for value in values]
        if count < 2 or max(numbers) < count:
            fits.append("zero")
        if min(numbers) > 0:
            fits.append("one")
    if count > 1 and all(
        value in [row.get(option, "").strip() for option in options]
        for value, row in zip(values, rows, strict=True)
    ):
        fits.append("text")
    return fits[0] if len(fits) == 1 else ""

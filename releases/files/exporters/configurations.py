"""The configurations in the card's YAML, which tell loaders the files to read and their columns."""

from collections.abc import Iterable, Iterator, Mapping

from releases.files.exporters import csv_tables
from releases.files.exporters.base import Row, configuration_name
from releases.files.exporters.yaml_text import yaml_text
from releases.files.manifest import ReleaseFacts


def configurations(names: Iterable[str], facts: ReleaseFacts) -> Iterator[str]:
    """Point loaders to the files of one format, `<format>/<split>/<subject>.<ending>`."""
    chosen = next((name for name in LOADABLE if name in facts.formats), "")
    paths = [name.split("/") for name in names if name.startswith(f"{chosen}/")]
    splits: dict[str, list[str]] = {}
    for _format, split, file_name in paths:
        splits.setdefault(file_name.rpartition(".")[0], []).append(split)
    if not splits:
        return
    yield "configs:\n"
    every = sorted({split for _format, split, _name in paths})
    told = _told(chosen, facts)
    yield from _configuration("default", every, chosen, "*", f"  default: true\n{told}")
    for stem, present in sorted(splits.items()):
        yield from _configuration(configuration_name(stem), present, chosen, stem, told)


def _configuration(
    name: str, splits: Iterable[str], chosen: str, stem: str, told: str
) -> Iterator[str]:
    yield f"- config_name: {yaml_text(name)}\n{told}  data_files:\n"
    for split in splits:
        path = f"{chosen}/{split}/{stem}.{chosen}"
        yield f"  - split: {split}\n    path: {yaml_text(path)}\n"


def _features(types: Mapping[str, str]) -> str:
    listed = ", ".join(f"{{name: {column}, {of}}}" for column, of in types.items())
    return f"  features: [{listed}]\n"


_TEXT = "dtype: string"
_LISTS = dict.fromkeys(("choices", "source_choices", "source_ids"), "sequence: string")
_OF_JSONL = dict.fromkeys((*Row._fields, "canary"), _TEXT) | {"answer": "dtype: int8"} | _LISTS

LOADABLE = ("parquet", "jsonl", "csv")
"""Loaders read the first of these formats that is there."""


def _told(chosen: str, facts: ReleaseFacts) -> str:
    """Describe the columns of JSONL and CSV to loaders.

    Otherwise they would guess the types by the first file, read the id 007 as 7 and the answer `None`
    as nothing, and refuse a file whose cells look different. In JSONL they take a column of dates for
    times even so: Parquet, which has types, comes first.
    """
    if chosen == "jsonl":
        return _features(_OF_JSONL)
    if chosen == "csv":
        texts = dict.fromkeys(csv_tables.columns(facts.counts.option_counts), _TEXT)
        return f"  keep_default_na: false\n{_features(texts)}"
    return ""

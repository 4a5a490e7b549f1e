"""Reads `samples_*.jsonl` of lm-evaluation-harness, as `--log_samples` writes them.

A document stands once for each filter: its answers are read once, and the measure is the one of the
first filter. Several answers to one document are epochs; files that Lotsawa wrote say which, how
each was scored, and how options were rotated (`epochs`, `exact_match_by_epoch`, `option_rotation`).
The model is that of the results which the harness wrote beside the samples, in `results_<time>.json`.
Where a document was scored by log-likelihood, the answer is the letter of the most likely option.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.outside.readers.base import (
    AnswersUnreadable,
    OutsideAnswer,
    epoch_of,
    json_lines,
    json_object,
    last_turn,
    mapping,
    number,
    rotation_of,
    text_of,
    texts_in,
)
from languages.letters import LETTERS, MAX_OPTIONS, letter_of

_IDS = ("id", "uid")
_QUESTIONS = ("question", "query", "input")
_OPTIONS = ("choices", "options")
_GREEDY = (True, False, "True", "False")


def read(path: Path) -> Iterator[OutsideAnswer]:
    """Yield the answers of a file, or of every samples file of a folder."""
    files = sorted(path.glob("**/samples_*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise AnswersUnreadable(path.name, "no samples_*.jsonl in this folder")
    for file in files:
        yield from _read_file(file)


def _read_file(path: Path) -> Iterator[OutsideAnswer]:
    seen: set[str] = set()
    model = _model_beside(path)
    for row, sample in json_lines(path):
        if "doc_id" not in sample or "resps" not in sample:
            raise AnswersUnreadable(path.name, "doc_id or resps is missing", row)
        if str(sample["doc_id"]) in seen:  # another filter of the same answers
            continue
        seen.add(str(sample["doc_id"]))
        doc = mapping(sample.get("doc"))
        texts = _texts(sample["resps"])
        epochs = _listed(sample.get("epochs"), len(texts)) or range(1, len(texts) + 1)
        rotation = rotation_of(sample.get("option_rotation"), path.name, row)
        measure, verdicts = _measure(sample, len(texts))
        for text, epoch, is_right in zip(texts, epochs, verdicts, strict=True):
            yield OutsideAnswer(
                file=path.name,
                row=row,
                uid=_first(doc, _IDS),
                text=text,
                question=_first(doc, _QUESTIONS),
                epoch=epoch_of(epoch, path.name, row),
                model=model,
                is_right=is_right,
                measure=measure,
                rotation=rotation,
                options=_options(doc),
                prompt=_prompt(sample.get("arguments")),
            )


def _model_beside(path: Path) -> str:
    """Return the model that the results of the same time name; "" without such a file."""
    results = path.with_name(f"results_{path.stem.rpartition('_')[2]}.json")
    if not results.is_file():
        return ""
    return text_of(json_object(results, results.read_bytes()).get("model_name"))


def _first(doc: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(doc[name]) for name in names if isinstance(doc.get(name), str | int)), "")


def _options(doc: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the options of a document: a list, one under `text`, or a field for each letter."""
    given = next((doc[name] for name in _OPTIONS if name in doc), None)
    by_letter = [doc[letter] for letter in LETTERS if letter in doc]
    return texts_in(mapping(given).get("text", given)) or texts_in(by_letter)


def _prompt(arguments: object) -> str:
    """Return the last turn of the prompt, which is a text or, of chats, JSON; versions differ."""
    first = mapping(arguments).get("gen_args_0", arguments)
    while isinstance(first, list) and first:
        first = first[0]
    text = text_of(mapping(first).get("arg_0", first))
    try:
        return last_turn(json.loads(text)) if text.startswith("[") else text
    except (ValueError, RecursionError):
        return text


def _measure(sample: Mapping[str, Any], count: int) -> tuple[str, Sequence[float | None]]:
    """Return the first measure, and the verdict on each of the `count` answers."""
    names = sample.get("metrics")
    for name in names if isinstance(names, list) else ("exact_match", "acc"):
        if (value := number(sample.get(name))) is not None:
            each = _listed(sample.get(f"{name}_by_epoch"), count)
            said = sample.get("filter")
            verdicts = [value] * count if each is None else list(map(number, each))
            return (f"{name},{said}" if said else str(name)), verdicts
    return "", [None] * count


def _listed(value: object, count: int) -> Sequence[object] | None:
    """Return a value that is a list of `count`, else None."""
    return value if isinstance(value, list) and len(value) == count else None


def _texts(resps: object) -> list[str]:
    """Return the answers: one list of texts, or a pair (log-likelihood, is greedy) for each option."""
    if not isinstance(resps, list) or not resps:
        return [""]
    chances = [chance for each in resps if (chance := _chance(each)) is not None]
    if len(chances) == len(resps):
        best = max(range(len(chances)), key=chances.__getitem__)
        return [letter_of(best) if len(chances) <= MAX_OPTIONS else ""]
    answers = resps[0] if isinstance(resps[0], list) else resps
    return [answer if isinstance(answer, str) else "" for answer in answers] or [""]


def _chance(answer: object) -> float | None:
    """Return the log-likelihood in [(x, greedy)] or (x, greedy); harness versions differ."""
    if isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    if not isinstance(answer, list) or len(answer) != 2 or answer[1] not in _GREEDY:
        return None  # two answers that are numbers look much the same
    try:
        return float(answer[0]) if not isinstance(answer[0], bool) else None
    except (TypeError, ValueError, OverflowError):
        return None

"""Writes `samples_*.jsonl` and `results_*.json` as lm-evaluation-harness writes them.

A line is a document as one method read it: methods are the filters, and `exact_match` is the mean
over the epochs. `epochs`, `exact_match_by_epoch` and `option_rotation`, which the harness does not
have, say which epochs `resps` are of, how each was scored, and how the options were rotated. A
document that got no answer has no line.

Translations have BLEU and chrF++ of the corpus in the results, and their own sentence-level scores in
the samples: the mean over the epochs.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import mean
from typing import Any, Final

from common.downloads import json_lines
from evaluation.outside.writers.base import (
    AskedQuestion,
    CorpusScore,
    GivenAnswer,
    GivenSentence,
    RunFacts,
)
from languages.letters import position_of
from scoring.scorers import TRANSLATION

METRIC: Final = "exact_match"
NO_FILTER: Final = "none"
NO_ANSWER: Final = "[invalid]"
"""What the harness puts where a filter finds nothing."""


def samples_name(facts: RunFacts) -> str:
    return f"samples_{facts.task}_{_stamp(facts)}.jsonl"


def results_name(facts: RunFacts) -> str:
    return f"results_{_stamp(facts)}.json"


def samples(facts: RunFacts, questions: Iterable[AskedQuestion]) -> Iterator[str]:
    """Yield the lines, those of a document one after the other, the headline method first."""
    return json_lines(line for each in questions if each.given for line in _samples(facts, each))


def results(facts: RunFacts, _questions: Iterable[AskedQuestion]) -> Iterator[str]:
    """Yield the file of results in one piece."""
    text = json.dumps(_results(facts), ensure_ascii=False, indent=2)
    yield f"{text}\n"


def _stamp(facts: RunFacts) -> str:
    return facts.ended_at.strftime("%Y-%m-%dT%H-%M-%S.%f")


def _samples(facts: RunFacts, question: AskedQuestion) -> Iterator[dict[str, Any]]:
    given, doc = question.given, _doc(question)
    messages = [{"role": each.role, "content": each.content} for each in question.messages]
    prompt = json.dumps(messages, ensure_ascii=False) if messages else question.text
    settings = {"until": [], **facts.parameters}
    start = {
        "doc_id": question.number,
        "doc": doc,
        "target": question.key,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": settings}},
        "resps": [[answer.text for answer in given]],
        "epochs": [answer.epoch for answer in given],
        "option_rotation": question.rotation,
        "doc_hash": _hash(json.dumps(doc, ensure_ascii=False, indent=2)),
        "prompt_hash": _hash(prompt),
        "target_hash": _hash(question.key),
    }
    methods = list(dict.fromkeys(name for answer in given for name in answer.scores))
    sentences = [answer.sentence for answer in given if answer.sentence]
    texts = [[answer.text for answer in given]]
    if sentences:
        yield start | {"filter": TRANSLATION, "filtered_resps": texts} | _sentence(sentences)
    elif not methods:
        yield start | {"filter": NO_FILTER, "filtered_resps": texts, "metrics": []}
    for method in methods:
        yield start | {"filter": method} | _scored(given, method)


def _scored(given: Iterable[GivenAnswer], method: str) -> dict[str, Any]:
    scores = [answer.scores.get(method) for answer in given]
    values = [None if score is None else float(score.is_right) for score in scores]
    known = [value for value in values if value is not None]
    found = [score.answer if score and score.answer else NO_ANSWER for score in scores]
    return {
        "filtered_resps": [found],
        "metrics": [METRIC],
        METRIC: sum(known) / len(known),
        f"{METRIC}_by_epoch": values,
    }


def _sentence(sentences: Sequence[GivenSentence]) -> dict[str, Any]:
    found = {
        "sentence_bleu": mean(each.bleu for each in sentences),
        "sentence_chrf++": mean(each.chrf for each in sentences),
    }
    return {"metrics": list(found), **found}


def _doc(question: AskedQuestion) -> dict[str, Any]:
    """Return the item with the names that the files of a release use."""
    place = position_of(question.key, len(question.choices)) if question.choices else None
    return {
        "id": question.uid,
        "subject": question.subject,
        "kind": question.kind,
        "question": question.text,
        "choices": list(question.choices),
        "answer": -1 if place is None else place,
        "reference": "" if question.choices else question.key,
    }


def _results(facts: RunFacts) -> dict[str, Any]:
    task = facts.task
    return {
        "results": {task: _metrics(facts)},
        "group_subtasks": {task: []},
        "configs": {task: _configuration(facts)},
        "versions": {task: facts.release},
        "n-shot": {task: facts.shots},
        "higher_is_better": {task: dict.fromkeys(_metric_names(facts), True)},
        "n-samples": {task: {"original": facts.items, "effective": facts.answered_items}},
        "config": {
            "model": "local-chat-completions",
            "model_args": {"model": facts.model},
            "gen_kwargs": dict(facts.parameters),
        },
        "date": facts.started_at.timestamp(),
        "model_source": "local-chat-completions",
        "model_name": facts.model,
        "model_name_sanitized": facts.model.replace("/", "__"),
        "total_evaluation_time_seconds": str((facts.ended_at - facts.started_at).total_seconds()),
        "lotsawa": facts.about,
    }


def _metrics(facts: RunFacts) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": facts.task, "alias": facts.task, "sample_len": facts.answered_items
    }  # fmt: skip
    for figure in facts.figures:
        found[f"{METRIC},{figure.method}"] = figure.accuracy
        found[f"{METRIC}_stderr,{figure.method}"] = "N/A" if figure.error is None else figure.error
    for score in _corpus_scores(facts):
        found[f"{score.name},{TRANSLATION}"] = score.value
        found[f"{score.name}_stderr,{TRANSLATION}"] = "N/A" if score.error is None else score.error
    return found


def _metric_names(facts: RunFacts) -> list[str]:
    corpus = [score.name for score in _corpus_scores(facts)]
    return [METRIC, *corpus] if facts.figures or not corpus else corpus


def _corpus_scores(facts: RunFacts) -> Sequence[CorpusScore]:
    return facts.corpus.scores if facts.corpus else ()


def _configuration(facts: RunFacts) -> Mapping[str, Any]:
    filters = [figure.method for figure in facts.figures]
    filters += [facts.corpus.method] if facts.corpus else []
    return {
        "task": facts.task,
        "output_type": "generate_until",
        "num_fewshot": facts.shots,
        "repeats": facts.epochs,
        "metric_list": [_metric(name) for name in _metric_names(facts)],
        "filter_list": [{"name": name} for name in filters],
        "metadata": {"version": facts.release, **_signatures(facts)},
    }


def _metric(name: str) -> dict[str, Any]:
    aggregation = "mean" if name == METRIC else name
    return {"metric": name, "aggregation": aggregation, "higher_is_better": True}


def _signatures(facts: RunFacts) -> dict[str, str]:
    return {f"{score.name}_signature": score.signature for score in _corpus_scores(facts)}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

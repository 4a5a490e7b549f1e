"""Writes a JSON log of Inspect: one sample for each item and epoch, a score for each method.

A question that the endpoint did not answer is a sample with an error, without output or scores.
A translation has its sentence-level scores, and the results have BLEU and chrF++ of the corpus.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import Any, Final

from endpoints.providers.base import Message
from evaluation.outside.writers.base import (
    AskedQuestion,
    GivenAnswer,
    GivenScore,
    MethodFigure,
    RunFacts,
)
from scoring.scorers import TRANSLATION

VERSION: Final = 2
"""Of the format of logs."""
CORRECT, INCORRECT, NO_ANSWER = "C", "I", "N"
STATUSES: Final = {"done": "success", "failed": "error", "cancelled": "cancelled"}
"""By the state of the run's job."""
STARTED: Final = "started"
STOP_REASONS: Final = {
    "stop": "stop",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
}


def log_name(facts: RunFacts) -> str:
    task = facts.task.replace("_", "-")
    return f"{facts.ended_at.astimezone(UTC):%Y-%m-%dT%H-%M-%S+00-00}_{task}_run-{facts.run}.json"


def log(facts: RunFacts, questions: Iterable[AskedQuestion]) -> Iterator[str]:
    """Yield the log in pieces: what it says of the run, then one sample after the other."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    yield f'{encode(_head(facts))[:-1]}, "samples": ['
    separator = "\n"
    for question in questions:
        for answer in question.answers:
            yield f"{separator}{encode(_sample(question, answer, facts.model))}"
            separator = ",\n"
    yield "\n]}\n"


def _head(facts: RunFacts) -> dict[str, Any]:
    started, ended = facts.started_at.isoformat(), facts.ended_at.isoformat()
    tokens = _usage(facts.prompt_tokens, facts.completion_tokens)
    return {
        "version": VERSION,
        "status": STATUSES.get(facts.state, STARTED),
        "eval": _eval(facts, started),
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {
            "total_samples": facts.items * facts.epochs,
            "completed_samples": facts.answers,
            "scores": [*(_figure(figure, facts) for figure in facts.figures), *_corpus(facts)],
        },
        "stats": {
            "started_at": started,
            "completed_at": ended,
            "model_usage": {facts.model: tokens} if tokens else {},
        },
    }


def _eval(facts: RunFacts, created: str) -> dict[str, Any]:
    return {
        "run_id": f"run-{facts.run}",
        "created": created,
        "task": facts.task,
        "task_id": f"{facts.task}-{facts.release}",
        "task_version": facts.release,
        "task_args": {},
        "dataset": {"name": f"{facts.task} {facts.release}", "samples": facts.items},
        "model": facts.model,
        "model_args": dict(facts.parameters),
        "config": {"epochs": facts.epochs, "epochs_reducer": ["mean"], "fail_on_error": False},
        "metadata": facts.about,
        "scorers": [
            *({"name": figure.method} for figure in facts.figures),
            *([{"name": facts.corpus.method}] if facts.corpus else []),
        ],
    }


def _figure(figure: MethodFigure, facts: RunFacts) -> dict[str, Any]:
    values = {"accuracy": figure.accuracy, "stderr": figure.error}
    return {
        "name": figure.method,
        "scorer": figure.method,
        "reducer": "mean",
        "scored_samples": figure.items,
        "unscored_samples": facts.items - figure.items,
        "params": {"version": figure.version},
        "metrics": {
            name: {"name": name, "value": value}
            for name, value in values.items()
            if value is not None
        },
    }


def _corpus(facts: RunFacts) -> Iterator[dict[str, Any]]:
    """Yield what Inspect takes for the figure of a scorer: it has no place for a score of the corpus."""
    if facts.corpus is None:
        return
    values = [
        *((score.name, score.value) for score in facts.corpus.scores),
        *((f"{score.name}_stderr", score.error) for score in facts.corpus.scores),
    ]
    yield {
        "name": facts.corpus.method,
        "scorer": facts.corpus.method,
        "scored_samples": facts.corpus.items,
        "unscored_samples": facts.items - facts.corpus.items,
        "params": {
            "version": facts.corpus.version,
            **{f"{score.name}_signature": score.signature for score in facts.corpus.scores},
        },
        "metrics": {
            name: {"name": name, "value": value} for name, value in values if value is not None
        },
    }


def _sample(question: AskedQuestion, answer: GivenAnswer, model: str) -> dict[str, Any]:
    asked = [_turn(message) for message in question.messages]
    sample: dict[str, Any] = {
        "id": question.uid,
        "epoch": answer.epoch,
        "input": asked or question.text,
        "choices": list(question.choices) or None,
        "target": question.key,
        "metadata": {
            "subject": question.subject,
            "kind": question.kind,
            "option_rotation": question.rotation,
        },
    }
    if answer.is_failed:
        error = {"message": answer.error, "traceback": "", "traceback_ansi": ""}
        return sample | {"messages": asked, "error": error}
    said = {"role": "assistant", "content": _content(answer), "source": "generate"}
    return sample | {
        "messages": [*(asked or [{"role": "user", "content": question.text}]), said],
        "output": _output(answer, said, model),
        "scores": {name: _score(score) for name, score in answer.scores.items()}
        | _sentence(answer),
    }


def _sentence(answer: GivenAnswer) -> dict[str, Any]:
    if answer.sentence is None:
        return {}
    values = {"sentence_bleu": answer.sentence.bleu, "sentence_chrf++": answer.sentence.chrf}
    score = {
        "value": values, "answer": answer.text, "metadata": {"version": answer.sentence.version}
    }  # fmt: skip
    return {TRANSLATION: score}


def _turn(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": message.content}


def _content(answer: GivenAnswer) -> str | list[dict[str, str]]:
    if not answer.reasoning:
        return answer.text
    return [
        {"type": "reasoning", "reasoning": answer.reasoning},
        {"type": "text", "text": answer.text},
    ]


def _output(answer: GivenAnswer, said: dict[str, Any], model: str) -> dict[str, Any]:
    reason = STOP_REASONS.get(answer.finish_reason, "unknown")
    output: dict[str, Any] = {
        "model": answer.model or model,
        "choices": [{"message": said, "stop_reason": reason}],
        "completion": answer.text,
        "time": answer.latency_ms / 1000,
    }
    if usage := _usage(answer.prompt_tokens, answer.completion_tokens):
        output["usage"] = usage
    if answer.error:
        output["error"] = answer.error
    return output


def _usage(sent: int | None, received: int | None) -> dict[str, int]:
    """Return the tokens, empty if nobody knows them."""
    if sent is None and received is None:
        return {}
    counts = {"input_tokens": sent or 0, "output_tokens": received or 0}
    return counts | {"total_tokens": sum(counts.values())}


def _score(score: GivenScore) -> dict[str, Any]:
    wrong = INCORRECT if score.answer else NO_ANSWER
    return {
        "value": CORRECT if score.is_right else wrong,
        "answer": score.answer or None,
        "metadata": {"version": score.version, "outcome": score.outcome, "cause": score.cause},
    }

"""A result of the engine as the columns of a raw call, without what no database can hold."""

from typing import Any

from endpoints.engine import Result

LARGEST_COUNT = 2_147_483_647
LENGTHS = {"finish_reason": 40, "endpoint_model": 200}
"""Those of the columns of `RawCall` that have one."""


def raw_call_columns(result: Result[Any]) -> dict[str, Any]:
    """Values for every column of `RawCall`, cut to its length: PostgreSQL refuses longer ones."""
    return {
        "text": _storable(result.text),
        "error": _storable(result.error),
        "reasoning": _storable(result.reasoning),
        "refusal": _storable(result.refusal),
        "tool_calls": _storable(result.tool_calls),
        "body": _storable(result.body),
        "finish_reason": _storable(result.finish_reason)[: LENGTHS["finish_reason"]],
        "endpoint_model": _storable(result.endpoint_model)[: LENGTHS["endpoint_model"]],
        "prompt_tokens": _bounded(result.prompt_tokens),
        "completion_tokens": _bounded(result.completion_tokens),
        "latency_ms": result.latency_ms,
        "try_count": result.try_count,
        "request_hash": result.request_hash,
        "created_at": result.finished_at,
    }


def _storable(text: str) -> str:
    """Without NUL and halves of surrogate pairs."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _bounded(count: int | None) -> int | None:
    return None if count is None else min(count, LARGEST_COUNT)

"""What a model spec may say: its name, its endpoint, the variable of its key, its decoding parameters."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from endpoints.providers.openai_compatible import ParameterError, check_parameters

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
KEY_VARIABLE = re.compile(r"(?!LOTSAWA_|DJANGO_)[A-Z][A-Z0-9_]{0,80}_API_(?:KEY|TOKEN)")
LONGEST_PARAMETERS = 4000
DEEPEST = 20
SECRETS = frozenset({"api_key", "apikey", "authorization", "headers", "extra_headers"})


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of a decoding parameter, both included."""

    low: float
    high: float
    is_whole: bool = False

    def holds(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        is_kind = isinstance(value, int) or not self.is_whole
        return is_kind and self.low <= value <= self.high


RANGES: Mapping[str, Range] = {
    "temperature": Range(0, 2),
    "top_p": Range(0, 1),
    "top_k": Range(-1, 1_000_000, is_whole=True),
    "min_p": Range(0, 1),
    "max_tokens": Range(1, 1_000_000, is_whole=True),
    "max_completion_tokens": Range(1, 1_000_000, is_whole=True),
    "seed": Range(-(2**63), 2**63 - 1, is_whole=True),
    "presence_penalty": Range(-2, 2),
    "frequency_penalty": Range(-2, 2),
}


@dataclass(frozen=True, slots=True)
class ParameterFault:
    """Why a parameter is refused: `code` is taken, secret, range, too_long or not_json."""

    code: str
    name: str = ""
    low: float | None = None
    high: float | None = None


def find_fault(parameters: Mapping[str, object]) -> ParameterFault | None:
    """The first fault of decoding parameters; names that are not known here go to the endpoint."""
    for name, value in parameters.items():
        if name.lower() in SECRETS:
            return ParameterFault("secret", name)
        bounds = RANGES.get(name)
        if bounds is not None and not bounds.holds(value):
            return ParameterFault("range", name, bounds.low, bounds.high)
        if not _is_storable([name, value]):
            return ParameterFault("taken", name)
    try:
        check_parameters(parameters)
    except ParameterError as error:
        return ParameterFault("taken", str(error))
    if len(json.dumps(dict(parameters))) > LONGEST_PARAMETERS:
        return ParameterFault("too_long")
    return None


def read_assignments(texts: Sequence[str]) -> dict[str, object]:
    """Read `name=value` texts: a value that is JSON is taken as such, any other as text.

    Raises ValueError with the text that has no name or no `=`.
    """
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ValueError(text)
        found[name.strip()] = _json_or_text(value)
    return found


def is_allowed_endpoint(base_url: str, allowed: Sequence[str]) -> bool:
    """Whether `base_url` lies at or below one of `allowed`; an empty list allows every one."""
    if not allowed:
        return True
    return any(_is_below(base_url, prefix.rstrip("/")) for prefix in allowed)


def epoch_parameters(parameters: Mapping[str, object], epoch: int) -> dict[str, object]:
    """The parameters of one epoch: a `seed` moves on by one each epoch, or all would be alike."""
    seed = parameters.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool):
        return dict(parameters)
    return {**parameters, "seed": seed + epoch - 1}


def _is_storable(value: object, depth: int = 0) -> bool:
    """Whether every database takes `value`: no zero character, no half of a pair, not too deep."""
    if depth > DEEPEST:
        return False
    if isinstance(value, str):
        return "\0" not in value and value.encode("utf-8", "ignore").decode() == value
    if isinstance(value, Mapping):
        return all(_is_storable(part, depth + 1) for pair in value.items() for part in pair)
    return not isinstance(value, list) or all(_is_storable(part, depth + 1) for part in value)


def _is_below(base_url: str, prefix: str) -> bool:
    """Whether one address lies at or below another, host and port alike, path by segments.

    A path that climbs or hides what it says lies below nothing.
    """
    one, other = urlsplit(base_url), urlsplit(prefix)
    if (one.scheme, one.netloc.lower()) != (other.scheme, other.netloc.lower()):
        return False
    path, wanted = _segments(one.path), _segments(other.path)
    if "%" in one.path or {".", ".."} & set(path):
        return False
    return path[: len(wanted)] == wanted


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment]


def _json_or_text(value: str) -> object:
    try:
        found: object = json.loads(value)
    except ValueError:
        return value
    return found

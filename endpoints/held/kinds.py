"""What kinds of job can wait for batch files, and what each says of its calls."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Protocol

from django.utils.module_loading import import_string

from endpoints.budgets import Purse
from endpoints.engine import Result
from endpoints.models import ModelSpec
from endpoints.providers.base import ChatRequest
from jobs.models import Job
from projects.models import Project

ANSWERS: Final = "-answers"
"""Ends the name of the kind of job that stores the answers of files."""
_works: Final[dict[str, str]] = {}
"""The paths of functions that return the work of a held job, by kind of job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStep:
    """Which of the `steps` of its strategy the next file asks; each has a file of its own."""

    step: int = 1
    steps: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How many calls are answered, of how many; `result` is that of the job if no call is left."""

    done: int
    total: int
    result: Mapping[str, Any] | None


class FileWave(Protocol):
    """Calls to one model that can be made now; a key is whatever is asked once."""

    spec: ModelSpec

    @property
    def keys(self) -> Collection[tuple[Any, ...]]: ...

    def request(self, key: Any, /) -> ChatRequest: ...

    def store(self, results: list[Result[Any]], /, *, is_from_file: bool) -> None:
        """Keep raw results. It may be called again with the same ones."""
        ...


class HeldWork(Protocol):
    """The calls of a job that can wait for batch files; `name` begins their ids."""

    @property
    def name(self) -> str: ...
    @property
    def job(self) -> Job: ...
    @property
    def project(self) -> Project: ...
    @property
    def specs(self) -> Sequence[ModelSpec]: ...
    @property
    def concurrency(self) -> int: ...

    def check_again(self) -> None:
        """Raise the refusal where the job may not go on, or its calls fit into no file."""
        ...

    def change_budget(self, budget: Decimal | None) -> None:
        """Store another budget; None leaves it as it is."""
        ...

    def filled_purse(self) -> Purse:
        """Return the budget with what was paid before. Raises BudgetUnmeasured."""
        ...

    def stored_keys(self) -> Iterator[tuple[Any, ...]]:
        """Yield the key of every stored answer."""
        ...

    def waves(self, *, is_reading: bool) -> Iterator[FileWave]:
        """Yield what has no answer yet, in chunks. If not `is_reading`, conclude with what was stored."""
        ...

    def standing(self) -> Standing: ...

    def step(self) -> FileStep: ...


def declare_work(kind: str, path: str) -> None:
    """Let jobs of a kind wait for batch files: `path` is that of a function that returns their work."""
    _works[kind] = path


def can_be_held(kind: str) -> bool:
    return kind in _works


def work_of(job: Job) -> HeldWork:
    """Return the work of a job that can wait for files. Raises LookupError for another kind."""
    found: HeldWork = import_string(_works[job.kind])(job)
    return found

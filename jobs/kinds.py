"""What kinds of job there are: each app declares its own in a module named `job_kinds`.

A declaration is all that this app knows about the work of another. It is read when Django starts,
in the web process too, so it names the work by its path: torch is imported where the work runs.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise
from django.utils.module_loading import import_string

from jobs.enums import Queue

if TYPE_CHECKING:
    from accounts.models import User
    from jobs.models import Job
    from jobs.progress import Progress

Work = Callable[["Job", "Progress"], dict[str, Any]]

ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Link:
    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    """What a kind adds to the page of one of its jobs; `context` is for the kind's template.

    `warning` says why a job that is done is no good news, as a title and a sentence.
    """

    heading: str = ""
    warning: tuple[str, str] | None = None
    breadcrumbs: Sequence[Link] = ()
    links: Sequence[Link] = ()
    context: Mapping[str, Any] = field(default_factory=dict)


def _add_nothing(_user: "User", _job: "Job", _scope: Any) -> JobPage:
    return JobPage()


def _stored_result(job: "Job") -> dict[str, Any]:
    return dict(job.result)


def _do_nothing(_job: "Job") -> None:
    pass


def _agree(_job: "Job") -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """One kind of job: what it does, who may see and manage it, and what its page shows.

    - `work` is the path of a function `(job, progress) -> result`. It may be called again after
      its worker died, so it must skip what it finds done.
    - `queue` chooses the workers that may take it.
    - `attempts` is how many workers may die of one job before it fails.
    - `find_scope` returns what the job belongs to, or None for a person who may not know of it.
      The two permissions are checked on what it returns.
    - `on_stop` tidies up after a job that failed or was cancelled; `on_resume` prepares for
      another start and may refuse it with a DomainError. Both run inside the transaction that
      moves the job. `on_stop` may be called for a job whose work has tidied up already.
    - `can_resume` says whether to offer that; ask for it only where a job has stopped.
    - `notes` are the words for the codes that the work passes to `Progress.set_note`.
    - `final_errors` are the codes of errors that trying again does not mend.
    - `page` and `template` add to the job page, `result` is what the API and the page show.
    """

    name: str
    title: str | Promise
    work: str
    find_scope: Callable[["User", str], Any]
    view_permission: str
    manage_permission: str
    queue: Queue = Queue.DEFAULT
    attempts: int = ATTEMPTS
    on_stop: Callable[["Job"], None] = _do_nothing
    on_resume: Callable[["Job"], None] = _do_nothing
    can_resume: Callable[["Job"], bool] = _agree
    notes: Mapping[str, str | Promise] = field(default_factory=dict)
    final_errors: frozenset[str] = frozenset()
    section: str = ""
    template: str = ""
    page: Callable[["User", "Job", Any], JobPage] = _add_nothing
    result: Callable[["Job"], dict[str, Any]] = _stored_result

    def load_work(self) -> Work:
        work: Work = import_string(self.work)
        return work


_kinds: dict[str, JobKind] = {}


def register_kind(kind: JobKind) -> JobKind:
    """Make `kind` known. Raises ValueError for a name that another declaration has."""
    if _kinds.setdefault(kind.name, kind) is not kind:
        message = f"There is already a job kind {kind.name!r}."
        raise ValueError(message)
    return kind


def find_kind(name: str) -> JobKind | None:
    """Return the kind `name`; None for a job that another version of the software made."""
    return _kinds.get(name)


def get_kind(name: str) -> JobKind:
    """Return the kind `name`. Raises LookupError."""
    if kind := _kinds.get(name):
        return kind
    message = f"No app declares the job kind {name!r}."
    raise LookupError(message)


def all_kinds() -> list[JobKind]:
    return list(_kinds.values())


def names_of_kinds(queues: Collection[Queue]) -> list[str]:
    """Return the names of the kinds whose jobs wait in these queues."""
    return [kind.name for kind in _kinds.values() if kind.queue in queues]

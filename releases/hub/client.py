"""Publish the files of a release to a data set repository of the Hugging Face Hub.

Everything is compared by hash before it is sent, so that what is there already is not sent again,
and one commit makes the repository the same as the release. Knows no database.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from huggingface_hub import HfApi

DATASET = "dataset"
MAIN = "main"
SECONDS = 60.0
UPLOADED_AT_ONCE = 50
KEPT = frozenset({".gitattributes"})
"""Files that the Hub itself makes; they are left alone."""
_HASHED_AT_ONCE = 1024 * 1024


class HubProblem(Exception):
    """The Hub refused or could not be reached; `code` is one of the words in `hub.actions`."""

    def __init__(self, code: str, said: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.said = said


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to publish under `name`; `git_hash` is what Git calls its content."""

    name: str
    path: Path
    size: int
    sha256: str
    git_hash: str


@dataclass(frozen=True, slots=True)
class HubPlan:
    """The changes of a publication; `added`, `changed` and `removed` are names with sizes in bytes.

    `head` is the commit that it was compared with, nothing where there is no repository yet;
    `tagged` the commit that has the version's tag already.
    """

    repository: str
    tag: str
    exists: bool
    head: str = ""
    tagged: str = ""
    added: Mapping[str, int] = field(default_factory=dict)
    changed: Mapping[str, int] = field(default_factory=dict)
    removed: Mapping[str, int] = field(default_factory=dict)
    unchanged: int = 0

    @property
    def is_same(self) -> bool:
        return not (self.added or self.changed or self.removed)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read_file(name: str, path: Path) -> LocalFile:
    """Read size and hashes of a file in one pass. Raises OSError."""
    size = path.stat().st_size
    sha256, git = hashlib.sha256(), hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while part := file.read(_HASHED_AT_ONCE):
            sha256.update(part)
            git.update(part)
    return LocalFile(name, path, size, sha256.hexdigest(), git.hexdigest())


@dataclass(frozen=True)
class Hub:
    """The Hub at `endpoint`, used by the owner of `token`."""

    endpoint: str
    token: str = field(repr=False)

    def plan(self, repository: str, tag: str, files: Sequence[LocalFile]) -> HubPlan:
        """Compare `files` with what is there; changes nothing. Raises HubProblem.

        A version that has its tag is compared with what the tag names, else with the newest.
        """
        from huggingface_hub.errors import RepositoryNotFoundError

        with _in_words():
            self._api.whoami()
            try:
                refs = self._api.list_repo_refs(repository, repo_type=DATASET)
            except RepositoryNotFoundError:
                added = {file.name: file.size for file in files}
                return HubPlan(repository, tag, exists=False, added=added)
            heads = {each.name: each.target_commit for each in refs.branches}
            tagged = {each.name: each.target_commit for each in refs.tags}.get(tag, "")
            head = tagged or heads.get(MAIN, "")
            there = dict(self._tree(repository, head)) if head else {}
        return _compared(repository, tag, files, there, head, tagged)

    def push(
        self,
        plan: HubPlan,
        files: Sequence[LocalFile],
        *,
        message: str,
        is_private: bool,
        advance: Callable[[int], None],
    ) -> str:
        """Carry out `plan` and return the commit that the version's tag names.

        In this order: the repository if there is none, large files, one commit of everything, the
        tag. Nothing of that is done twice: without a change there is no commit. `advance` is told
        how many files are uploaded. Raises HubProblem.
        """
        with _in_words():
            if not plan.exists:
                self._api.create_repo(
                    plan.repository, repo_type=DATASET, private=is_private, exist_ok=True
                )
            commit = plan.head
            if not plan.is_same:
                commit = self._commit(plan, files, message, advance)
            if not plan.tagged:
                self._api.create_tag(
                    plan.repository, tag=plan.tag, revision=commit, repo_type=DATASET, exist_ok=True
                )
        return commit

    def commit_url(self, repository: str, commit: str) -> str:
        return f"{self.endpoint.rstrip('/')}/datasets/{repository}/commit/{commit}"

    @cached_property
    def _api(self) -> "HfApi":
        from huggingface_hub import HfApi, constants, get_session

        # The plain protocol: it does without threads of its own, and nothing here is huge.
        constants.HF_HUB_DISABLE_XET = True
        get_session().timeout = SECONDS
        return HfApi(endpoint=self.endpoint.rstrip("/"), token=self.token)

    def _tree(self, repository: str, commit: str) -> Iterator[tuple[str, tuple[str, int]]]:
        """Return (name, (hash, size)) of every file; the hash is SHA-256 for a large one, else Git's."""
        from huggingface_hub.hf_api import RepoFile

        rows = self._api.list_repo_tree(
            repository, recursive=True, revision=commit, repo_type=DATASET
        )
        for row in rows:
            if isinstance(row, RepoFile) and row.path not in KEPT:
                yield row.path, (row.lfs.sha256 if row.lfs else row.blob_id, row.size)

    def _commit(
        self,
        plan: HubPlan,
        files: Sequence[LocalFile],
        message: str,
        advance: Callable[[int], None],
    ) -> str:
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        wanted = [file for file in files if file.name in plan.added or file.name in plan.changed]
        adding = [CommitOperationAdd(file.name, str(file.path)) for file in wanted]
        for start in range(0, len(adding), UPLOADED_AT_ONCE):
            part = adding[start : start + UPLOADED_AT_ONCE]
            self._api.preupload_lfs_files(
                plan.repository, part, repo_type=DATASET, free_memory=False
            )
            advance(start + len(part))
        removing = [CommitOperationDelete(name) for name in plan.removed]
        found = self._api.create_commit(
            plan.repository,
            [*removing, *adding],
            commit_message=message,
            repo_type=DATASET,
            parent_commit=plan.head or None,
        )
        return str(found.oid)


def _compared(
    repository: str,
    tag: str,
    files: Sequence[LocalFile],
    there: Mapping[str, tuple[str, int]],
    head: str,
    tagged: str,
) -> HubPlan:
    added = {file.name: file.size for file in files if file.name not in there}
    changed = {
        file.name: file.size
        for file in files
        if file.name in there and there[file.name][0] not in {file.sha256, file.git_hash}
    }
    names = {file.name for file in files}
    removed = {name: size for name, (_hash, size) in sorted(there.items()) if name not in names}
    unchanged = len(files) - len(added) - len(changed)
    return HubPlan(
        repository=repository,
        tag=tag,
        exists=True,
        head=head,
        tagged=tagged,
        added=added,
        changed=changed,
        removed=removed,
        unchanged=unchanged,
    )


@contextmanager
def _in_words() -> Iterator[None]:
    """Turn what the client raises into HubProblem."""
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    try:
        yield
    except RepositoryNotFoundError as error:
        raise HubProblem("missing") from error
    except HfHubHTTPError as error:
        status = error.response.status_code
        raise HubProblem(_code_of(status), error.server_message or "") from error
    except (HFValidationError, ValueError) as error:
        raise HubProblem("refused", str(error)) from error
    except Exception as error:
        if isinstance(error, OSError) or _is_of_network(error):
            raise HubProblem("away") from error
        raise


def _code_of(status: int) -> str:
    if status >= 500 or status == 429:
        return "busy"
    codes = {401: "token", 403: "right", 404: "missing", 409: "moved", 412: "moved"}
    return codes.get(status, "refused")


def _is_of_network(error: Exception) -> bool:
    """Return whether the client's HTTP library, whichever it is, could not reach the server."""
    return any(each.__name__ == "TransportError" for each in type(error).__mro__)

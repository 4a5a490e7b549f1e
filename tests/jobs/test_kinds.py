"""The declarations of job kinds: complete, unique, and light enough for the web process."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import rules
from django.template.loader import get_template

from accounts.audit import audit_verbs
from jobs.kinds import JobKind, all_kinds, find_kind, register_kind
from tests.jobs.conftest import TESTING

DOMAIN_ERROR = re.compile(r"class \w+\(DomainError\):\n(?:(?!class ).*\n)*?    code = \"(\w+)\"")
ROOT = Path(__file__).resolve().parents[2]
KINDS = [pytest.param(kind, id=kind.name) for kind in all_kinds()]


def test_every_app_has_declared_its_kinds_when_django_has_started() -> None:
    assert {"import", "duplicates", "run", "release"} <= {kind.name for kind in all_kinds()}


@pytest.mark.parametrize("kind", KINDS)
def test_declaration_names_work_permissions_and_template_that_are_there(kind: JobKind) -> None:
    assert callable(kind.load_work())
    assert rules.perm_exists(kind.view_permission)
    assert rules.perm_exists(kind.manage_permission)
    assert not kind.template or get_template(kind.template)
    assert kind.attempts >= 1


def test_audit_log_has_words_for_what_people_do_to_a_job() -> None:
    done = {
        f"{kind.name}.{what}"
        for kind in all_kinds()
        for what in ("started", "cancelled", "resumed")
    }
    assert sorted(done - set(audit_verbs())) == []


def test_two_declarations_of_one_name_are_refused() -> None:
    kind = find_kind("import")
    assert kind is not None and register_kind(kind) is kind

    with pytest.raises(ValueError, match="'import'"):
        register_kind(JobKind(**{**_fields(TESTING), "name": "import"}))


def test_web_process_imports_the_words_of_every_error_of_a_job_and_no_work() -> None:
    """A class that only a worker imports would leave the reader with a bare code."""
    code = (
        "import django, sys; django.setup(); import config.urls; from common import errors; "
        "print(*errors._class_of_code); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    codes, modules = (set(line.split()) for line in done.stdout.splitlines())
    assert _codes_in_source() - codes == set()
    assert modules & {"torch", "pandas", "annotation.duplicates.search"} == set()


def _codes_in_source() -> set[str]:
    """Codes of all DomainErrors but those of the commands, which no job raises."""
    found: set[str] = set()
    for app in ("endpoints", "annotation", "review", "releases", "evaluation", "jobs"):
        for path in (ROOT / app).rglob("*.py"):
            if "management" not in path.parts:
                found |= set(DOMAIN_ERROR.findall(path.read_text(encoding="utf-8")))
    return found


def _fields(kind: JobKind) -> dict[str, object]:
    return {name: getattr(kind, name) for name in JobKind.__slots__}

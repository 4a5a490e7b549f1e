"""Terms by command: into a project, and out to a file."""

import io
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Term
from jobs.models import Job
from projects.models import Project
from tests.commands import printed
from tests.factories import make_term

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["csv", "tbx", "dct.tbx"])
def test_file_that_went_out_comes_back(project: Project, tmp_path: Path, name: str) -> None:
    make_term(project, note="a, b")
    file = tmp_path / f"terms.{name}"
    assert printed("export_terms", "ti", str(file), "--format", name)["terms"] == 1
    Term.objects.all().delete()
    assert printed("import_terms", "ti", str(file), "--dry-run", "--wait")["created"] == 1
    assert not Term.objects.exists()
    assert printed("import_terms", "ti", str(file), "--wait")["created"] == 1
    assert Term.objects.get().note == "a, b"


def test_wrong_rows_are_printed_and_the_exit_code_says_so(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "terms.csv"
    file.write_text("source,preferred\na,\n", "utf-8")
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("import_terms", "ti", str(file), "--wait", stdout=out)
    assert ended.value.code == 1
    assert out.getvalue().startswith("2\tpreferred\tGive at least one rendering")
    assert not Term.objects.exists()


def test_import_without_waiting_leaves_the_work_to_a_worker(
    project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "terms.csv"
    file.write_text("source,preferred\na,b\n", "utf-8")

    job = Job.objects.get(pk=printed("import_terms", "ti", str(file))["job"])

    assert (job.kind, job.state, Term.objects.count()) == ("term-import", "queued", 0)

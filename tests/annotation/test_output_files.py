"""Commands with --output refuse a place where no file can be before they begin their work."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import DuplicateSearch
from projects.models import Project
from tests.factories import make_translated_item


@pytest.mark.parametrize("command", ["check_items", "find_duplicates"])
def test_output_without_its_folder_is_refused_before_the_work(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    for _number in range(2):
        make_translated_item(project=project)

    with pytest.raises(CommandError, match="nowhere: there is no such folder") as refusal:
        call_command(command, "ti", "--output", str(tmp_path / "nowhere" / "out.jsonl"))

    assert refusal.value.returncode == 1
    assert not DuplicateSearch.objects.exists()
    assert "checked" not in capsys.readouterr().err

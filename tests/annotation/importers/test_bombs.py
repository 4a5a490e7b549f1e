"""Files that ask for far too much are refused in words, soon, and cost the worker little."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.annotation.importers.bombs import BOMBS
from tests.databases import FILE, copy_migrated

pytestmark = pytest.mark.slow

# Where the fault is in a member of an archive, that is what the words name.
MEMBERS = {
    "line.zip": "a.jsonl",
    "blank.zip": "a.jsonl",
    "objects.zip": "a.jsonl",
    "field.zip": "a.csv",
    "lists.zip": "a.json",
    "numbers.zip": "a.json",
}
MOST_SECONDS = 5
MOST_MEGABYTES = 600


def run(word: str, folder: object) -> str:
    command = [sys.executable, "-m", "tests.annotation.importers.bombs", word, str(folder)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


@pytest.mark.timeout(900)  # one run for all of them, which a busy machine may take minutes for
def test_every_bomb_is_refused_in_words_soon_and_within_little_memory(tmp_path: Path) -> None:
    var = tmp_path / "var"
    var.mkdir()
    copy_migrated(var / FILE)
    run("build", tmp_path)
    ends = [json.loads(line) for line in run("import", tmp_path).splitlines()]
    assert {end["name"]: end["code"] for end in ends} == {
        name: code for name, (_build, code) in BOMBS.items()
    }
    for end in ends:
        assert MEMBERS.get(end["name"], end["name"]) in end["words"]
    assert [end for end in ends if end["seconds"] > MOST_SECONDS] == []
    assert max(end["megabytes"] for end in ends) < MOST_MEGABYTES

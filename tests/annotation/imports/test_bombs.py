"""Files that ask for far too much are refused in words, soon, and cost the worker little."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.annotation.imports.bombs import BOMBS

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

# Both tests look at one run, which a busy machine may take minutes for.
pytestmark = [pytest.mark.timeout(900), pytest.mark.xdist_group("bombs")]
MOST_MEGABYTES = 600


def run(word: str, folder: object) -> str:
    command = [sys.executable, "-m", "tests.annotation.imports.bombs", word, str(folder)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What became of each file, and what it cost, in a worker that imports them all."""
    folder = tmp_path_factory.mktemp("bombs")
    run("build", folder)
    lines = [json.loads(line) for line in run("import", folder).splitlines()]
    return {line["name"]: line for line in lines}


def test_every_bomb_is_refused_in_words_that_name_its_file(ends: dict[str, dict[str, Any]]) -> None:
    assert {name: end["code"] for name, end in ends.items()} == {
        name: code for name, (_build, code) in BOMBS.items()
    }
    for name, end in ends.items():
        member = MEMBERS.get(name, name)
        assert member in end["words"], name


def test_no_bomb_takes_much_time_or_memory(ends: dict[str, dict[str, Any]]) -> None:
    costs = {name: end["seconds"] for name, end in ends.items()}
    assert {name: cost for name, cost in costs.items() if cost > MOST_SECONDS} == {}
    assert max(end["megabytes"] for end in ends.values()) < MOST_MEGABYTES

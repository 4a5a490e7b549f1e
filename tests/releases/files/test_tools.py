"""Releases open in the programs that people already have; `make tools` installs them."""

import html
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from languages.letters import LETTERS
from releases.details.values import Author, Details
from releases.files.exporters import FORMATS
from releases.files.exporters.base import HiddenItem, ReleasedItem, Row
from releases.files.manifest import Counts, SourceNote, SubjectCount
from tests.releases.files.test_exporters import CONTENT, FACTS, LEDGER, export, told

ROOT = Path(__file__).resolve().parents[3]
TOOLS = ROOT / ".venv-tools" / "bin"
OPTIONS = ("ཆུ་", "མེ་", "ས་", "རླུང་", "ཉི་མ་", "ཟླ་བ་", "སྐར་མ་", "ནམ་མཁའ་", "རི་", "མཚོ་")
SUBJECTS = (
    SubjectCount("history", "History", "", 8, 5, 0),
    SubjectCount("default", "Default", "", 6, 0, 0),
)
COUNTS = Counts(
    items=19, test=14, dev=5, open=19, black_box=0, subjects=SUBJECTS, option_counts={"10": 4}
)

DETAILS = Details(
    title="བོད་ MMLU: a test",
    authors=(
        Author(family="Sakya", given="Pandita", orcid="0000-0002-1825-0097"),
        Author("Institute: of Translation"),
    ),
    doi="10.5281/zenodo.1234567",
    url="https://example.org/ti",
    licence="CC-BY-NC-4.0",
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (TOOLS / "inspect").exists(), reason="the programs are not there: make tools"
    ),
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("tools"),
]

LOAD = """
import json, sys, datasets
folder = sys.argv[1]
found = {}
for name in datasets.get_dataset_config_names(folder):
    loaded = datasets.load_dataset(folder, name)
    found[name] = {split: rows["id"] for split, rows in loaded.items()}
    found[name] = {split: list(ids) for split, ids in found[name].items()}
print(json.dumps(found))
"""
RECORDS = """
import json, sys, mlcroissant
data = mlcroissant.Dataset(sys.argv[1])
assert not data.metadata.issues.errors, data.metadata.issues.report()
found = {}
for records in data.metadata.record_sets:
    rows = list(data.records(records.uuid))
    found[records.uuid] = [
        [row[f"{records.uuid}/id"].decode(), [text.decode() for text in row[f"{records.uuid}/choices"]]]
        for row in rows
    ]
print(json.dumps(found))
"""
ABOUT = """
import json, sys, mlcroissant
about = mlcroissant.Dataset(sys.argv[1]).metadata
assert not about.issues.warnings, about.issues.report()
print(json.dumps([[each.name for each in about.creators], str(about.date_published)[:10], about.url]))
"""
SCRIPT = """
import runpy, sys
del sys.argv[0]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    if end.code:
        raise
"""
"""Runs the script whose path is the first argument."""
LEAVE = """
import os, sys
sys.stdout.flush()
os._exit(0)
"""
"""Ends the process as it stands."""


def rows() -> Iterator[Row]:
    for subject in SUBJECTS:
        for split, count in (("dev", subject.dev), ("test", subject.test)):
            for number in range(count):
                uid = f"{subject.slug}/{split}/{number}"
                choices = OPTIONS[: (3, 4, 3, 10)[number % 4]]
                answer = 9 if len(choices) == 10 else number % 3
                yield Row(uid, subject.slug, split, f"དྲི་བ་ {number}།", choices, answer, "")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    facts = replace(
        FACTS,
        project="ti-mmlu",
        target_language="bo",
        counts=COUNTS,
        formats=tuple(sorted(FORMATS)),
        sources=(SourceNote("CMMLU", "1.0", "https://x.org", "CC-BY-NC-4.0", 'By: "them"', ""),),
        details=DETAILS,
        day="2026-11-28",
        address="https://bench.example.org/releases/ti-mmlu/0.1.0/",
    )
    export(
        replace(CONTENT, facts=facts, formats=tuple(FORMATS.values()), items=lambda: told(rows())),
        folder,
    )
    return folder


def run(folder: Path, *command: str, cwd: Path | None = None, **environment: str) -> str:
    """The output of one of the programs, which keeps its files in `folder` and loads no others."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "cache")}
    done = subprocess.run(
        [str(TOOLS / command[0]), *command[1:]],
        cwd=cwd or folder,
        env={**os.environ, **offline, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def run_python(folder: Path, code: str, *arguments: str) -> str:
    """The output of `code`, run by the Python of the programs.

    It leaves without taking the interpreter down: Arrow's threads sometimes abort one that ends,
    when all is done and printed (apache/arrow#34314).
    """
    return run(folder, "python", "-c", code + LEAVE, *arguments)


def test_cffconvert_accepts_the_citation(release: Path, tmp_path: Path) -> None:
    file = str(release / "CITATION.cff")
    told = run(tmp_path, "../citation/bin/cffconvert", "--validate", "-i", file)
    assert "valid according to schema version 1.2.0" in told
    bibtex = run(tmp_path, "../citation/bin/cffconvert", "-f", "bibtex", "-i", file)
    assert "10.5281/zenodo.1234567" in bibtex


def all_hidden(folder: Path, *, devs: int) -> Path:
    """A release of one subject in which every test item is hidden."""
    subject = SubjectCount("history", "History", "", 8, devs, 8)
    counts = Counts(items=8 + devs, test=8, dev=devs, open=devs, black_box=8, subjects=(subject,))
    facts = replace(FACTS, project="ti", counts=counts, formats=tuple(sorted(FORMATS)))

    def items() -> Iterator[ReleasedItem]:
        yield from told(row for row in rows() if row.split == "dev" and devs)
        for number in range(8):
            yield ReleasedItem(LEDGER, HiddenItem(f"hidden-{number}", "history", 4))

    export(replace(CONTENT, facts=facts, formats=tuple(FORMATS.values()), items=items), folder)
    return folder


def test_datasets_and_mlcroissant_open_a_release_of_dev_items_alone(tmp_path: Path) -> None:
    folder = all_hidden(tmp_path / "release", devs=5)
    dev = ids("history", "dev")
    loaded = json.loads(run_python(tmp_path, LOAD, str(folder)))
    assert loaded == {"default": {"dev": dev}, "history": {"dev": dev}}
    found = json.loads(run_python(tmp_path, RECORDS, str(folder / "croissant.json")))
    assert [uid for uid, _choices in found["history_dev"]] == dev


def test_datasets_and_mlcroissant_open_the_list_where_nothing_is_open(tmp_path: Path) -> None:
    folder = all_hidden(tmp_path / "release", devs=0)
    hidden = [f"hidden-{number}" for number in range(8)]
    loaded = json.loads(run_python(tmp_path, LOAD, str(folder)))
    assert loaded == {"hidden": {"hidden": hidden}}
    code = RECORDS.replace("/choices", "/option_count").replace(
        'for text in row[f"{records.uuid}/option_count"]', 'for text in [b"4"]'
    )
    found = json.loads(run_python(tmp_path, code, str(folder / "croissant.json")))
    assert found == {"hidden": [[uid, ["4"]] for uid in hidden]}


def ids(subject: str, split: str) -> list[str]:
    return [row.id for row in rows() if (row.subject, row.split) == (subject, split)]


def test_datasets_loads_every_configuration(release: Path, tmp_path: Path) -> None:
    found = json.loads(run_python(tmp_path, LOAD, str(release)))
    assert found == {
        "default": {
            "dev": ids("history", "dev"),
            "test": [*ids("default", "test"), *ids("history", "test")],
        },
        "history": {"dev": ids("history", "dev"), "test": ids("history", "test")},
        "default-subject": {"test": ids("default", "test")},
    }


ODD_ROWS = (
    Row("007", "history", "test", "NaN", (), -1, "", kind="open", reference="None"),
    Row("1e5", "law", "test", "null", ("TRUE", "007"), 0, "N/A", year="2019"),
    Row("NaN", "law", "test", "-", ("1.0", "1,000", "x"), 2, "", level="2"),
    Row("ten", "law", "test", "q", tuple("abcdefghij"), 9, ""),
    Row("a\u2028b", "law", "test", "\ufeffq\r\n\t", ("{{ x }}", "\u0301"), 1, ""),
)
TEXTS = """
import json, sys, datasets
data = datasets.load_dataset(sys.argv[1])["test"]
print(json.dumps([list(map(row.get, sys.argv[2:])) for row in data]))
"""


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("parquet", ("id", "question", "choices", "answer", "reference", "explanation", "year")),
        ("jsonl", ("id", "question", "choices", "answer", "reference", "explanation", "year")),
        ("csv", ("id", "A", "B", "C", "F", "J", "key", "reference", "explanation", "year")),
    ],
)
def test_datasets_reads_each_format_alone_as_it_is_written(
    tmp_path: Path, name: str, columns: tuple[str, ...]
) -> None:
    counts = replace(FACTS.counts, option_counts={"0": 1, "2": 2, "3": 1, "10": 1})
    facts = replace(FACTS, formats=(name,), counts=counts)
    content = replace(CONTENT, facts=facts, formats=(FORMATS[name],), items=lambda: told(ODD_ROWS))
    export(content, tmp_path / "release")
    read = json.loads(run_python(tmp_path, TEXTS, str(tmp_path / "release"), *columns))
    assert read == [[_cell(row, column) for column in columns] for row in ODD_ROWS]


def _cell(row: Row, column: str) -> object:
    """What a row has in a column of any of the formats."""
    if column == "key":
        return LETTERS[row.answer] if row.choices else ""
    if len(column) == 1:
        return dict(zip(LETTERS, row.choices, strict=False)).get(column, "")
    value = getattr(row, column)
    return list(value) if column == "choices" else value


def test_each_line_of_the_card_that_opens_something_runs(release: Path, tmp_path: Path) -> None:
    card = (release / "README.md").read_text()
    lines = re.findall(r"`((?:pandas|datasets|mlcroissant)\.[^`]+)`", card)
    assert sorted(line.partition("(")[0] for line in lines) == [
        *("datasets.load_dataset", "mlcroissant.Dataset", "pandas.read_csv", "pandas.read_csv"),
        *("pandas.read_json", "pandas.read_json", "pandas.read_parquet"),
    ]
    unpacked(release, tmp_path)
    folders = (tmp_path if line.startswith("datasets") else release for line in lines)
    code = [
        f"os.chdir({str(folder)!r}); print({line})"
        for folder, line in zip(folders, lines, strict=True)
    ]
    run_python(tmp_path, "\n".join(["import datasets, mlcroissant, os, pandas", *code]))


def test_lines_of_the_public_page_that_open_something_run(release: Path, tmp_path: Path) -> None:
    context = {
        "project": SimpleNamespace(slug="ti-mmlu"),
        "release": SimpleNamespace(version=FACTS.version),
        "archive": "ti-mmlu.zip",
        "example_file": SimpleNamespace(name="jsonl/test/history.jsonl"),
        "absolute_files_url": f"{release}/",
    }
    page = html.unescape(render_to_string("releases/public/includes/loading.html", context))
    pandas, every = re.findall(r"<code[^>]*>([^<]+)</code>", page)
    run_python(tmp_path, pandas)
    unpacked(release, tmp_path)
    command = shlex.split(every[every.index("python -c") :])
    assert command[:2] == ["python", "-c"]
    assert "num_rows: 14" in run_python(tmp_path, *command[2:])


def unpacked(release: Path, folder: Path) -> None:
    """Let the release stand in `folder` under the name that its archive gives it."""
    (folder / f"ti-mmlu-{FACTS.version}").symlink_to(release, target_is_directory=True)


def test_mlcroissant_validates_and_reads_every_record_set(release: Path, tmp_path: Path) -> None:
    found = json.loads(run_python(tmp_path, RECORDS, str(release / "croissant.json")))
    assert {name: [uid for uid, _choices in told] for name, told in found.items()} == {
        "history_dev": ids("history", "dev"),
        "history_test": ids("history", "test"),
        "default_test": ids("default", "test"),
    }
    assert found["history_test"][0][1] == list(OPTIONS[:3])


def test_mlcroissant_reads_creators_day_and_address(release: Path, tmp_path: Path) -> None:
    found = json.loads(run_python(tmp_path, ABOUT, str(release / "croissant.json")))
    creators = ["Sakya, Pandita", "Institute: of Translation"]
    assert found == [creators, "2026-11-28", "https://example.org/ti"]


def test_lm_eval_runs_both_groups(release: Path, tmp_path: Path) -> None:
    command = [str(TOOLS / "lm_eval"), "--model", "dummy", "--tasks", "ti_mmlu_mc,ti_mmlu_gen"]
    told = run_python(tmp_path, SCRIPT, *command, "--include_path", str(release / "lm_eval"))
    table = {
        (name.strip(" -"), shots.strip())
        for name, shots in re.findall(r"^\|([^|]+)\|[^|]+\|[^|]+\|([^|]+)\|", told, re.MULTILINE)
    }
    assert {("ti_mmlu_mc", ""), ("History", "5"), ("Default", "0")} <= table
    assert told.count("concern_all") >= 3


@pytest.fixture
def stand_in(tmp_path: Path) -> Iterator[str]:
    """An endpoint without a model behind it."""
    port_file = tmp_path / "port"
    command = [sys.executable, "-m", "endpoints.providers.stand_in", "--port", "0"]
    process = subprocess.Popen([*command, "--port-file", str(port_file)], cwd=ROOT)
    try:
        deadline = time.monotonic() + 150
        while not (port_file.exists() and port_file.read_text().strip()):
            assert time.monotonic() < deadline, "the stand-in endpoint did not start"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port_file.read_text().strip()}/v1"
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.parametrize("provider", ["openai-api/endpoint", "openai"])
def test_inspect_runs_the_task_by_the_command_of_the_card(
    release: Path, tmp_path: Path, stand_in: str, provider: str
) -> None:
    """The stand-in has no Responses API, which the second provider takes unless it is told."""
    printed = re.findall(r"`(inspect eval [^`]+)`", (release / "README.md").read_text())
    assert len(printed) == 1
    command = (
        printed[0].replace("openai-api/endpoint", provider).replace("MODEL", "stand-in-chatty")
    )
    told = run(
        tmp_path,
        *(*shlex.split(command), "--display", "plain", "--log-dir", str(tmp_path / "logs")),
        cwd=release,
        **{f"{name}_BASE_URL": stand_in for name in ("ENDPOINT", "OPENAI")},
        **{f"{name}_API_KEY": "none" for name in ("ENDPOINT", "OPENAI")},
    )
    assert "ti_mmlu (14 samples)" in told
    assert "conditional_accuracy" in told


@pytest.mark.parametrize(("chosen", "samples"), [("default", 6), ("history,default", 14)])
def test_inspect_runs_the_subjects_asked_for(
    release: Path, tmp_path: Path, stand_in: str, chosen: str, samples: int
) -> None:
    told = run(
        tmp_path,
        *(
            "inspect",
            "eval",
            "inspect/ti_mmlu.py",
            "-T",
            f"subjects={chosen}",
            "--display",
            "plain",
        ),
        *("--model", "openai-api/standin/stand-in-chatty", "--log-dir", str(tmp_path / "logs")),
        cwd=release,
        STANDIN_BASE_URL=stand_in,
        STANDIN_API_KEY="none",
    )
    assert f"ti_mmlu ({samples} samples)" in told


@pytest.mark.parametrize("chosen", ["histry,default", "7"])
def test_inspect_names_the_subjects_where_one_is_unknown(
    release: Path, tmp_path: Path, chosen: str
) -> None:
    """It asked the others without a word."""
    with pytest.raises(AssertionError, match=r"No subject is called (histry|7)[.] There are: "):
        run(
            tmp_path,
            *("inspect", "eval", "inspect/ti_mmlu.py", "-T", f"subjects={chosen}"),
            *(
                "--display",
                "plain",
                "--model",
                "mockllm/model",
                "--log-dir",
                str(tmp_path / "logs"),
            ),
            cwd=release,
        )

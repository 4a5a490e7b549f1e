"""The tasks for other programs: what they ask, and that they read answers as our scorers do."""

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from languages import get_language
from releases.details.values import Details
from releases.files.exporters import FORMATS, jsonl
from releases.files.exporters.base import Row
from releases.files.exporters.harnesses import task_name
from releases.files.exporters.shipped import scoring
from releases.files.manifest import Counts, ReleaseFacts, SourceNote, SubjectCount
from scoring.scorers import concern_all, direct
from scoring.scorers.base import AskedItem, read_response
from scoring.scorers.letters import OptionLetters
from tests.releases.files.test_exporters import CONTENT, FACTS, export, told
from tests.timing import least_cpu

SCRIPT = get_language("bo").option_letters
ROWS = (
    Row("a/dev", "a", "dev", "དཔེ།", ("ཀ", "ཁ"), 1, ""),
    Row("a/1", "a", "test", "{question} {{x}}", ("གཅིག", "གཉིས"), 0, ""),
    Row("b/1", "b", "test", "དྲི་བ།", ("གཅིག", "གཉིས"), 0, ""),
)
SUBJECTS = (SubjectCount("a", "Law: “A”", "", 1, 1, 0), SubjectCount("b", "B", "", 1, 0, 0))


class Loader(yaml.SafeLoader):
    """Reads the task files: a function is its name."""


Loader.add_constructor("!function", lambda _loader, node: node.value)


def facts_of(**changes: Any) -> ReleaseFacts:
    counts = Counts(items=3, test=2, dev=1, open=3, black_box=0, subjects=SUBJECTS)
    return replace(FACTS, target_language="bo", counts=counts, **changes)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    content = replace(
        CONTENT,
        facts=facts_of(formats=("jsonl",)),
        formats=(jsonl.FORMAT,),
        items=lambda: told(ROWS),
    )
    return export(content, tmp_path_factory.mktemp("release"))


def load(data: bytes) -> Any:
    return yaml.load(data, Loader)


LETTERS_AND_TAGS = st.lists(
    st.sampled_from(
        [*"ABCDEFab ", *SCRIPT, "<think>", "</think>", "Reasoning", "Reasoned", "seconds", "\n"]
    ),
    max_size=30,
).map("".join)


@given(LETTERS_AND_TAGS, st.integers(min_value=2, max_value=6))
def test_shipped_scoring_reads_what_our_scorers_read(response: str, count: int) -> None:
    reading = read_response(response, AskedItem(OptionLetters(count, SCRIPT)))
    assert scoring.direct(response, count, SCRIPT) == direct.SCORER.extract(reading).letter
    assert (
        scoring.concern_all(response, count, SCRIPT) == concern_all.SCORER.extract(reading).letter
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "opened", ["<think>", "Reasoning ", "Reasoning Reasoned ", "<think></think>"]
)
def test_shipped_scoring_takes_a_reply_that_repeats_a_mark_in_proportion_to_its_length(
    opened: str,
) -> None:
    short, long = (opened * count for count in (5_000, 20_000))
    seconds = least_cpu(lambda: scoring.without_reasoning(long))
    assert seconds < max(0.02, 6 * least_cpu(lambda: scoring.without_reasoning(short)))


def _loaded(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _imported(tree: ast.AST) -> set[str]:
    return {
        each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names
    }


def test_python_files_compile_and_hold_the_scoring_whole(files: dict[str, bytes]) -> None:
    source = Path(str(scoring.__file__)).read_text(encoding="utf-8")
    for name in ("lm_eval/utils.py", "inspect/ti.py"):
        text = files[name].decode()
        tree = ast.parse(text)
        assert {"json", "re"} & _loaded(tree) <= _imported(tree)
        assert text.startswith(source)
        assert SCRIPT in text


def test_subject_with_dev_items_is_asked_with_them_as_examples(files: dict[str, bytes]) -> None:
    assert load(files["lm_eval/ti_gen_a.yaml"]) == {
        "include": "_gen_yaml",
        "task": "ti_gen_a",
        "task_alias": "Law: “A”",
        "fewshot_split": "dev",
        "fewshot_config": {"sampler": "first_n"},
        "num_fewshot": 1,
        "metadata": {"version": FACTS.version, "subject": "a"},
    }


def test_subject_without_dev_items_is_asked_without_examples(files: dict[str, bytes]) -> None:
    task = load(files["lm_eval/ti_mc_b.yaml"])
    assert task["num_fewshot"] == 0
    assert "fewshot_split" not in task


def test_task_of_a_subject_is_yaml_whatever_the_subject_is_called(tmp_path: Path) -> None:
    subject = SubjectCount("a", 'a: "{b}" \x7f\x85 \u2028 \ufffe#', "", 1, 1, 0)
    counts = Counts(items=2, test=1, dev=1, open=2, black_box=0, subjects=(subject,))
    facts = replace(facts_of(formats=("jsonl",)), counts=counts)
    content = replace(CONTENT, facts=facts, formats=(jsonl.FORMAT,), items=lambda: told(ROWS[:2]))
    files = export(content, tmp_path)
    assert load(files["lm_eval/ti_mc_a.yaml"])["task_alias"] == subject.name


def test_groups_name_every_subject(files: dict[str, bytes]) -> None:
    assert load(files["lm_eval/_ti_mc.yaml"])["task"] == ["ti_mc_a", "ti_mc_b"]
    assert load(files["lm_eval/_ti_gen.yaml"])["aggregate_metric_list"] == [
        {
            "metric": "exact_match",
            "aggregation": "mean",
            "weight_by_size": True,
            "filter_list": ["direct", "concern_all"],
        }
    ]


def test_prompt_is_the_built_in_one_of_the_language(files: dict[str, bytes]) -> None:
    frames = get_language("bo").frames
    assert frames is not None
    asked = load(files["lm_eval/_gen_yaml"])["doc_to_text"]
    assert asked.startswith("{{question.strip()}}\n\n{% for c in choices %}")
    assert frames.direct.rpartition("{letters}")[2] in asked


def test_release_without_jsonl_has_no_tasks(tmp_path: Path) -> None:
    content = replace(CONTENT, facts=facts_of(formats=()), formats=())
    assert not [
        name for name in export(content, tmp_path) if name.startswith(("lm", "insp", "cro"))
    ]


def test_release_with_everything_of_a_subject_hidden_has_no_task_for_it(tmp_path: Path) -> None:
    hidden = replace(SUBJECTS[1], black_box=1)
    counts = replace(facts_of().counts, subjects=(SUBJECTS[0], hidden))
    facts = replace(facts_of(formats=("jsonl",)), counts=counts)
    names = export(replace(CONTENT, facts=facts), tmp_path)
    assert "lm_eval/ti_gen_a.yaml" in names
    assert "lm_eval/ti_gen_b.yaml" not in names


@pytest.mark.parametrize(
    ("slug", "name"), [("ti-mmlu", "ti_mmlu"), ("2026", "benchmark_2026"), ("a--b", "a_b")]
)
def test_task_name_is_an_identifier(slug: str, name: str) -> None:
    assert task_name(replace(FACTS, project=slug)) == name
    assert name.isidentifier()


@pytest.mark.parametrize("slug", ["class", "rows", "task", "import"])
def test_inspect_task_of_a_project_named_like_a_word_of_python_keeps_every_function(
    tmp_path: Path, slug: str
) -> None:
    content = replace(CONTENT, facts=facts_of(formats=("jsonl",), project=slug))
    tree = ast.parse(export(content, tmp_path)[f"inspect/{slug}.py"])
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert len(functions) == len(set(functions))
    (decorator,) = tree.body[-1].decorator_list  # type: ignore[attr-defined]
    assert ast.unparse(decorator) == f"task(name={slug!r})"


@pytest.mark.parametrize(
    ("formats", "described", "encoding"),
    [
        (("csv", "jsonl", "parquet"), "parquet/", "application/x-parquet"),
        (("csv", "jsonl"), "jsonl/", "application/jsonlines"),
    ],
)
def test_croissant_lists_each_file_with_types_or_else_each_of_jsonl(
    formats: tuple[str, ...], described: str, encoding: str, tmp_path: Path
) -> None:
    """Programs guess the types of JSONL: they read an id such as 007 as 7."""
    chosen = tuple(FORMATS[name] for name in formats)
    content = replace(
        CONTENT, facts=facts_of(formats=formats), formats=chosen, items=lambda: told(ROWS)
    )
    files = export(content, tmp_path)
    metadata = json.loads(files["croissant.json"])
    sums = dict(line.split()[::-1] for line in files["SHA256SUMS"].decode().splitlines())
    listed = {each["contentUrl"]: each["sha256"] for each in metadata["distribution"]}
    assert listed == {name: sums[name] for name in sums if name.startswith(described)}
    assert {each["encodingFormat"] for each in metadata["distribution"]} == {encoding}
    assert [each["@id"] for each in metadata["recordSet"]] == ["a_dev", "a_test", "b_test"]


def test_croissant_tells_licence_address_and_title_that_managers_chose(tmp_path: Path) -> None:
    details = Details(title="The title", url="https://example.org/ti", licence="CC-BY-SA-4.0")
    facts = facts_of(details=details, contributors=("Dolma",), day="2026-11-28")
    written = export(replace(CONTENT, facts=facts, items=lambda: told(ROWS)), tmp_path)
    found = json.loads(written["croissant.json"])
    assert (found["license"], found["url"]) == (["CC-BY-SA-4.0"], "https://example.org/ti")
    version = facts.version
    assert found["citeAs"] == (
        f"Dolma (2026). The title, version {version}. https://example.org/ti"
    )
    assert found["creator"] == [{"@type": "sc:Person", "name": "Dolma"}]
    assert found["datePublished"] == "2026-11-28"
    assert found["rai:personalSensitiveInformation"].startswith("Contributors who agreed")


@pytest.mark.parametrize(
    ("address", "doi", "url"),
    [
        ("https://bench.example.org/r/", "", "https://bench.example.org/r/"),
        (
            "https://bench.example.org/r/",
            "10.5281/zenodo.1",
            "https://doi.org/10.5281/zenodo.1",
        ),
        ("http://127.0.0.1:8000/r/", "", "http://127.0.0.1:8000/r/"),
    ],
)
def test_croissant_has_the_address_of_the_release_and_not_of_a_source(
    address: str, doi: str, url: str, tmp_path: Path
) -> None:
    source = SourceNote("s", "1", "https://example.org/source", "", "", "")
    facts = facts_of(sources=(source,), address=address, details=Details(doi=doi))
    written = export(replace(CONTENT, facts=facts, items=lambda: told(ROWS)), tmp_path)
    found = json.loads(written["croissant.json"])
    assert (found["url"], found["license"]) == (url, ["not stated"])

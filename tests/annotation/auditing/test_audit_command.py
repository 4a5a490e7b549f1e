"""The command from outside: its JSON, its page, its exit codes, and that it keeps nothing.

None of these tests may touch a database; the suite refuses any query outside of `django_db`.
"""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.auditing.report import TEXT_CLIP, excerpt

DEMO = Path(__file__).resolve().parents[3] / "config" / "demo"
OPTIONS = ["red", "green", "blue", "white"]
HOSTILE = '<script>alert("x")</script>&lt;'
NEEDED = ("--format", "translations", "--target-language", "bo", "--source-language", "en")


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def item(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "uid": f"colours/{number}",
        "subject": "colours",
        "question": f"Which colour has the number {number} on the map of {number} lakes?",
        "options": OPTIONS,
        "key": "D",
    } | fields


def candidate(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "uid": f"colours/{number}",
        "system": "mt",
        "question": f"ཁ་དོག་ {number} པ་ {number} གང་རེད།",
        "options": ["དམར་པོ།", "ལྗང་ཁུ།", "སྔོན་པོ།", "དཀར་པོ།"],
        "key": "D",
    } | fields


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A benchmark with a lost option, another key, a hostile text, and a row without text."""
    rows = [
        candidate(1),
        candidate(2, options=["དམར་པོ།", "ལྗང་ཁུ།"], key=""),
        candidate(3, key="A"),
        candidate(4, question=HOSTILE + " 4 4", options=[HOSTILE, "b", HOSTILE, "d"]),
        {"uid": "colours/5", "system": "mt", "question": "", "options": []},
    ]
    benchmark = write_lines(tmp_path / "published.jsonl", rows)
    return benchmark, write_lines(tmp_path / "items.jsonl", [item(n) for n in range(1, 6)])


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    call_command("audit_benchmark", *map(str, arguments), "--json")
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_audit_benchmark_json_counts_what_is_wrong(capsys, files):
    benchmark, items = files
    result = run(capsys, benchmark, "--source", items, *NEEDED)
    assert (result["read"], result["joined"], result["refused"]) == (5, 4, 1)
    assert result["errors"] == [
        {
            "file": "published.jsonl",
            "row": 5,
            "code": "empty_text",
            "reason": "The column question is empty.",
        }
    ]
    assert (result["items"], result["left_out"], result["empty"]) == (4, 1, 0)
    assert (result["broken_options"], result["broken_option_uids"]) == (1, ["colours/2"])
    assert result["findings"]["key_changed"] == result["findings"]["option_count"] == 1
    assert sum(result["findings"].values()) == sum(result["by_severity"].values())
    assert sum(result["findings"].values()) == len(result["finding_list"])
    assert result["by_subject"]["colours"]["broken_options"] == 1
    assert result["different_keys"] == [
        {"uid": "colours/3", "system": "mt", "key": "A", "source_key": "D"}
    ]


def test_audit_benchmark_duplicate_lines_say_key_and_split(capsys, tmp_path):
    twins = [item(1), item(2, question=item(1)["question"], key="A", split="dev")]
    path = write_lines(tmp_path / "items.jsonl", twins)
    result = run(capsys, path, "--format", "items", "--target-language", "en")
    assert result["duplicates"] == [
        {
            "a": "colours/1",
            "b": "colours/2",
            "kind": "exact",
            "similarity": 1.0,
            "same_key": False,
            "side": "target",
            "crosses_splits": True,
            "system": "",
        }
    ]


def test_audit_benchmark_leaves_nothing_but_the_report(capsys, files, tmp_path):
    benchmark, items = files
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    report = tmp_path / "out.html"
    run(capsys, benchmark, "--source", items, *NEEDED, "--report", report)
    after = {path: path.read_bytes() for path in tmp_path.iterdir() if path != report}
    assert after == before
    assert report.stat().st_size > 1000


class Page(HTMLParser):
    """Collects what matters: tags, ids, links and languages."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.targets: set[str] = set()
        self.languages: set[str] = set()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.tags.add(tag)
        self.ids += [str(found["id"])] if "id" in found else []
        self.languages |= {str(found["lang"])} if "lang" in found else set()
        self.loaded += [str(found["src"])] if "src" in found else []
        if tag == "a":
            self.targets.add(str(found.get("href")))
        if tag == "link":
            self.loaded.append(str(found.get("href")))


@pytest.fixture
def page(capsys, files, tmp_path) -> tuple[str, Page]:
    benchmark, items = files
    report = tmp_path / "out.html"
    run(capsys, benchmark, "--source", items, *NEEDED, "--report", report)
    html = report.read_text(encoding="utf-8")
    parsed = Page()
    parsed.feed(html)
    return html, parsed


def test_audit_report_escapes_texts_of_the_benchmark(page):
    html, parsed = page
    assert "script" not in parsed.tags
    assert HOSTILE not in html
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;lt;" in html


def test_audit_report_loads_nothing_and_has_its_styles_within(page):
    html, parsed = page
    assert parsed.loaded == []
    assert "--lapis:" in html
    assert "url(" not in html


def test_audit_report_every_link_leads_to_one_anchor(page):
    _html, parsed = page
    assert len(parsed.ids) == len(set(parsed.ids))
    assert {target.removeprefix("#") for target in parsed.targets} <= set(parsed.ids)
    assert {"code-option_count", "option_count-1", "key-1", "refused-1"} <= set(parsed.ids)


def test_audit_report_marks_the_language_of_each_text(page):
    assert {"bo", "en"} <= page[1].languages


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl does not exist"),
        (["published.jsonl", "--source", "published.jsonl"], "contains no source items"),
        (["published.jsonl", "--report", "published.jsonl"], "would overwrite"),
        (["published.jsonl", "--report", "no/such/folder.html"], "there is no such folder"),
    ],
)
def test_audit_benchmark_refusal_is_in_words_and_changes_nothing(
    files, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    before = files[0].read_bytes()
    with pytest.raises(CommandError, match=words) as refusal:
        call_command("audit_benchmark", *arguments, *NEEDED)
    assert refusal.value.returncode == 1
    assert files[0].read_bytes() == before


def test_audit_benchmark_refuses_a_report_without_its_folder_before_the_work(capsys, files):
    with pytest.raises(CommandError, match="there is no such folder"):
        run(capsys, files[0], *NEEDED, "--report", files[0].parent / "nowhere" / "report.html")
    assert "reading" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["x"],
        ["x", "--format", "items"],
        ["x", "--format", "unknown", "--target-language", "bo"],
        ["x", "--format", "items", "--target-language", 'b"o'],
    ],
)
def test_audit_benchmark_bad_usage_is_refused_before_reading(arguments):
    with pytest.raises(CommandError, match="Error: "):
        call_command("audit_benchmark", *arguments)


def test_audit_benchmark_of_the_demo_finds_its_planted_twins(capsys):
    result = run(capsys, DEMO / "translations.jsonl", "--source", DEMO / "items.jsonl", *NEEDED)
    assert (result["joined"], result["unjoined"], result["refused"]) == (result["read"], 0, 0)
    twins = {(pair["a"], pair["b"]) for pair in result["duplicates"] if not pair["same_key"]}
    assert ("everyday_science/8", "everyday_science/10") in twins


def test_audit_benchmark_text_names_counts_keys_and_refusals(capsys, files):
    benchmark, items = files
    call_command("audit_benchmark", str(benchmark), "--source", str(items), *NEEDED)
    lines = capsys.readouterr().out.splitlines()
    assert {"read: 5", "broken_options: 1", "key of colours/3: A, not D"} <= set(lines)
    assert "published.jsonl, row 5: The column question is empty." in lines


@pytest.mark.parametrize("files_used", [("test_zh_subset.json", "test_answers_zh_subset.json")])
def test_audit_benchmark_with_a_key_file_reads_every_row(capsys, shared_data, files_used):
    items, keys = (shared_data / "safetybench" / name for name in files_used)
    result = run(
        capsys, items, "--keys", keys, "--format", "safetybench", "--target-language", "zh"
    )
    assert (result["read"], result["items"], result["refused"]) == (140, 140, 0)


def test_excerpt_clips_around_the_span_and_keeps_it_whole():
    found = excerpt("a" * 1000 + "TORN" + "b" * 1000, 1000, 1004)
    assert found.marked == "TORN"
    assert found.before.startswith("…a") and found.after.endswith("b…")
    assert len("".join(found)) <= TEXT_CLIP + 2


def test_excerpt_never_parts_a_sign_from_its_letter():
    text = "ཀྱི" * 500
    found = excerpt(text)
    assert found.before.removesuffix("…").endswith("ཀྱི")


def test_excerpt_of_the_whole_text_marks_nothing():
    assert excerpt("text", 0, 4) == ("text", "", "")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("audit.tex", [r"\toprule", "Any error", "colours"]),
        ("audit.md", ["| Any error |", "| colours |"]),
        ("audit.csv", ["share_low", "Any error", "colours"]),
    ],
)
def test_tables_for_a_paper_are_written(
    capsys: pytest.CaptureFixture[str], files: tuple[Path, Path], tmp_path: Path, name: str,
    expected: list[str],
) -> None:  # fmt: skip
    path, (benchmark, source) = tmp_path / name, files
    run(capsys, benchmark, *NEEDED, "--source", source, "--tables", path)
    written = path.read_text("utf-8")
    assert [part for part in expected if part not in written] == []


def test_tables_of_an_unknown_kind_are_refused_before_anything_is_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match=r"should end with one of"):
        run(capsys, tmp_path / "missing", *NEEDED, "--tables", tmp_path / "audit.doc")

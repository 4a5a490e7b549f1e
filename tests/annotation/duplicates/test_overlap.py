"""Items are found in reference texts by n-grams, whatever the kind of file."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import call_command

from annotation.duplicates.dedupe.overlap import Hit, search_overlap
from annotation.duplicates.dedupe.reference_files import ReferenceUnreadable, reference_texts
from annotation.models import Item
from projects.models import Project
from tests.factories import make_translated_item

SENTENCE = "the quick brown fox jumps over the lazy dog and runs away into the woods again"
TIBETAN = "བོད་ཀྱི་རི་བོ་མཐོ་ཤོས་ནི་ཇོ་མོ་གླང་མ་ཡིན་པ་དང་དེའི་མཐོ་ཚད་ནི་སྨི་བརྒྱད་སྟོང་ལྷག་ཡོད།"


def test_words_overlap_whatever_their_case_and_punctuation() -> None:
    found = search_overlap(
        [SENTENCE, "nothing of it stands anywhere in what anybody has ever read or written down"],
        [("a:1", f"Once, {SENTENCE.upper().replace(' ', ',  ')}!"), ("a:2", SENTENCE)],
        language="en",
    )

    assert [(each.total, each.matched, each.share) for each in found] == [(4, 4, 1.0), (2, 0, 0.0)]
    assert [hit.place for hit in found[0].hits] == ["a:1", "a:2"]


def test_part_of_an_item_gives_a_share() -> None:
    (found,) = search_overlap([SENTENCE], [("a", SENTENCE.rpartition(" the ")[0])], language="en")

    assert (found.total, found.matched) == (4, 1)
    assert found.hits == [
        Hit("a", "the quick brown fox jumps over the lazy dog and runs away into")
    ]


def test_scripts_without_spaces_overlap_by_characters_and_are_folded() -> None:
    text = TIBETAN.replace("་", "\u0f0c")  # the tsheg that does not break lines

    (found,) = search_overlap([TIBETAN], [("a", f"ཀ་{text}")], language="bo")

    assert found.total == found.matched > 10


def test_short_item_is_not_judged() -> None:
    (found,) = search_overlap(["too short"], [("a", "too short")], language="en")

    assert (found.total, found.matched, found.share) == (0, 0, 0.0)


def test_size_can_be_chosen() -> None:
    (found,) = search_overlap(["too short"], [("a", "far too short")], language="en", size=2)

    assert found.matched == 1


def test_every_kind_of_file_is_read(tmp_path: Path) -> None:
    row = {"question": "q", "options": ["a", {"text": "b"}], "number": 3}
    (tmp_path / "a.txt").write_text("one\ntwo\n", "utf-8")
    (tmp_path / "b.jsonl").write_text(json.dumps(row) + "\n\n", "utf-8")
    (tmp_path / "c.json").write_text(json.dumps([row, "x"]), "utf-8")
    (tmp_path / "d.csv").write_text('x,"y, z"\n', "utf-8")
    with gzip.open(tmp_path / "e.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("x\ty\n")
    pq.write_table(pa.table({"text": ["p"], "n": [1]}), tmp_path / "f.parquet")
    (tmp_path / "ignored.bin").write_bytes(b"\0")

    assert list(reference_texts(tmp_path)) == [
        ("a.txt:1", "one\ntwo\n"),
        ("b.jsonl:1", "q a b"),
        ("c.json[1]", "q a b"),
        ("c.json[2]", "x"),
        ("d.csv:1", "x y, z"),
        ("e.tsv.gz:1", "x y"),
        ("f.parquet[1]", "p"),
    ]


def test_long_text_is_read_in_pieces_that_share_lines(tmp_path: Path) -> None:
    words = SENTENCE.split()
    lines = [f"line {n}" for n in range(195)] + words + ["end"] * 50
    path = tmp_path / "long.txt"
    path.write_text("\n".join(lines), "utf-8")

    (found,) = search_overlap([SENTENCE], reference_texts(path), language="en")

    assert found.share == 1.0
    assert [place for place, _text in reference_texts(path)] == ["long.txt:1", "long.txt:181"]


def test_command_looks_for_items_of_a_project(project: Project, tmp_path: Path) -> None:
    item = make_translated_item(project=project, source__project=project, subject__project=project)
    Item.objects.filter(pk=item.pk).update(question="水" * 40)
    path = tmp_path / "r.txt"
    path.write_text("火" + "水" * 30, "utf-8")
    out = StringIO()

    call_command("find_overlap", "ti", "--reference", str(path), "--json", stdout=out)

    found = json.loads(out.getvalue())
    assert (found["items"], [each["uid"] for each in found["overlapping"]]) == (1, [item.uid])
    assert found["overlapping"][0]["hits"][0] == {"place": "r.txt:1", "excerpt": "水" * 30}


def test_unknown_kind_and_broken_file_are_refused(tmp_path: Path) -> None:
    broken, unknown = tmp_path / "a.jsonl", tmp_path / "a.bin"
    broken.write_text("{", "utf-8")
    unknown.write_bytes(b"\0")
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000, "utf-8")

    for path in (broken, unknown, deep, tmp_path / "missing.txt"):
        with pytest.raises(ReferenceUnreadable):
            list(reference_texts(path))

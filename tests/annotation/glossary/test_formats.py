"""Files of terms come back as they went out; what is wrong with one is said row by row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.glossary.formats import read_terms
from annotation.glossary.formats.csv_terms import write_csv
from annotation.glossary.formats.tbx_writing import write_dca, write_dct
from annotation.glossary.term_values import TermValues, cleaned, problems

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=20)
TERMS = st.builds(
    TermValues,
    source=TEXT,
    preferred=st.lists(TEXT, max_size=3).map(tuple),
    allowed=st.lists(TEXT, max_size=2).map(tuple),
    forbidden=st.lists(TEXT, max_size=2).map(tuple),
    part_of_speech=st.sampled_from(["", "noun", "properNoun"]),
    domain=TEXT,
    note=st.lists(TEXT, max_size=3).map("\n".join),
).map(cleaned)
LISTS = st.lists(TERMS.filter(lambda term: not problems(term)), unique_by=lambda t: t.identity)


def read(text: str) -> tuple[list[TermValues], list[tuple[int, str]]]:
    found = read_terms(text.encode(), source_language="zh", target_language="bo")
    return [row.values for row in found.rows], [(p.row, p.code) for p in found.problems]


@given(LISTS)
def test_csv_comes_back_as_it_was(terms: list[TermValues]) -> None:
    assert read("".join(write_csv(terms))) == (terms, [])


@pytest.mark.parametrize("between", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_csv_is_read_as_spreadsheets_write_it(between: str, encoding: str) -> None:
    text = f'"Source"{between}Preferred\r\n细胞{between}"ཕྲ་ཕུང|a,b;c"\r\n'
    found = read_terms(text.encode(encoding), source_language="zh", target_language="bo")
    term = TermValues(source="细胞", preferred=("ཕྲ་ཕུང", "a,b;c"))
    assert ([row.values for row in found.rows], found.problems) == ([term], ())


@given(LISTS)
def test_both_dialects_of_tbx_come_back_as_they_were(terms: list[TermValues]) -> None:
    for write in (write_dca, write_dct):
        text = "".join(write(terms, title="a < b", source="zh", target="bo"))
        assert read(text) == (terms, [])


def test_tbx_of_2008_with_groups_and_regions_is_read() -> None:
    text = """<?xml version="1.0"?><!DOCTYPE martif SYSTEM "TBXBasiccoreStructV02.dtd">
<martif type="TBX-Basic" xml:lang="en"><text><body><termEntry id="c5">
<descripGrp><descrip type="subjectField">biology</descrip></descripGrp>
<langSet xml:lang="zh-CN"><tig><term>光合作用</term><termNote type="partOfSpeech">noun</termNote></tig></langSet>
<langSet xml:lang="en"><tig><term>photosynthesis</term></tig></langSet>
<langSet xml:lang="bo"><ntig><termGrp><term>འོད་སྦྱོར</term></termGrp></ntig>
<tig><term>འོད་ལེན</term><termNote type="administrativeStatus">supersededTerm-admn-sts</termNote></tig></langSet>
</termEntry></body></text></martif>"""
    assert read(text) == (
        [
            TermValues(
                source="光合作用",
                preferred=("འོད་སྦྱོར",),
                forbidden=("འོད་ལེན",),
                part_of_speech="noun",
                domain="biology",
            )
        ],
        [],
    )


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", [(1, "no_column")]),
        ("term\nx", [(1, "no_column")]),
        ("source,colour\na,b", [(1, "column_unknown")]),
        ("source,source\na,b", [(1, "column_repeated")]),
        ("source,preferred\n,a\nb,\n\nc,x", [(2, "source_missing"), (3, "no_rendering")]),
        ("source,preferred\nCell,a\ncell ,b", [(3, "same_term")]),
        ("source,preferred\na,a|a", [(2, "repeated")]),
        ('source,preferred\na,"a\nb"', [(2, "not_plain")]),
        ('source,preferred\n"a,b', [(2, "not_csv")]),
        (f"source,preferred\n{'x' * 201},b", [(2, "too_long")]),
        ("source,preferred,part_of_speech\na,b,particle", [(2, "part_of_speech_unknown")]),
        ("<a>", [(0, "not_xml")]),
        ("<html/>", [(0, "not_tbx")]),
        ('<!DOCTYPE a [<!ENTITY x "y">]><tbx>&x;</tbx>', [(0, "xml_entities")]),
        ("<tbx><text><body><conceptEntry/></body></text></tbx>", [(1, "no_term")]),
    ],
)
def test_what_is_wrong_is_said_by_row(text: str, wrong: list[tuple[int, str]]) -> None:
    assert read(text)[1] == wrong


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"source\n\xff", b"source\n\x00", b"<\x00"])
def test_rubbish_is_refused_in_words(content: bytes) -> None:
    found = read_terms(content, source_language="zh", target_language="bo")
    assert found.problems[0].code in ("not_text", "not_xml")

"""What managers say about the data set, and where the card and the citation say it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from projects.enums import Role
from projects.models import Project
from releases.details.actions import DetailsInvalid, DetailsRequest, change_details
from releases.details.values import Author, Details, DetailsUnreadable, read_authors, read_doi
from releases.files.exporters.card_sections import citing
from releases.files.exporters.citation import citation_line, citation_text
from releases.files.manifest import ReleaseFacts
from releases.files.storage import release_folder
from releases.models import ReleaseDetails
from releases.verification.checking import verify
from tests.releases.builders import NOW, build, files_of, fill
from tests.releases.files.test_manifest import FACTS

REQUEST = DetailsRequest(
    title="Ti-MMLU",
    authors="Sakya, Pandita; 0000-0002-1825-0097\n\nInstitute of Translation",
    doi="https://doi.org/10.5281/zenodo.1234567",
    url="https://example.org/ti",
    licence="CC-BY-NC-4.0",
    prose={"motivation": "Because | nobody did.", "uses": " "},
)


def test_authors_are_read_line_by_line() -> None:
    assert read_authors(REQUEST.authors) == (
        Author(family="Sakya", given="Pandita", orcid="0000-0002-1825-0097"),
        Author("Institute of Translation"),
    )


@pytest.mark.parametrize("quotes", ['""', "“”"])
def test_author_in_quotes_is_an_organisation_whatever_commas_it_has(quotes: str) -> None:
    name = "Institute of Language, Culture, and History"
    assert read_authors(f"{quotes[0]}{name}{quotes[1]}") == (Author(name),)


@pytest.mark.parametrize(
    "line",
    [
        '""',
        ",",
        "Sakya,",
        ", Pandita",
        "; 0000-0002-1825-0097",
        "A, B; 0000-0002-1825-0098",
        "A; x",
    ],
)
def test_author_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(DetailsUnreadable, match=line.split(";", maxsplit=1)[0].strip()[:1] or ";"):
        read_authors(f"Good, Name\n{line}")


@pytest.mark.parametrize(
    "text", ["10.5281/zenodo.1", "doi:10.5281/zenodo.1", "https://doi.org/10.5281/zenodo.1"]
)
def test_doi_is_kept_without_what_leads_to_it(text: str) -> None:
    assert read_doi(text) == "10.5281/zenodo.1"


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)


@given(TEXTS, TEXTS, TEXTS)
def test_citation_of_any_names_is_read_back(title: str, family: str, given_name: str) -> None:
    details = Details(title=title, authors=(Author(family=family, given=given_name),))
    facts = ReleaseFacts(
        **{name: getattr(FACTS, name) for name in FACTS.__slots__} | {"details": details}
    )
    found = yaml.safe_load(citation_text(facts))
    assert (found["title"], found["version"]) == (title, "0.1.0")
    assert found["authors"] == [{"family-names": family, "given-names": given_name}]


def cited(**said: Any) -> str:
    """The lines of the card's BibTeX entry."""
    return "".join(citing(replace(FACTS, details=Details(**said))))


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("བོད་ Ti-MMLU: law (2nd ed.)", "བོད་ Ti-MMLU: law (2nd ed.)"),
        ("100 % of A & B_1 #2 $", r"100 \% of A \& B\_1 \#2 \$"),
        ("{a", r"\textbraceleft{}a"),
        ("a}", r"a\textbraceright{}"),
        ("a\\", r"a\textbackslash{}"),
        ("a\\}~^", r"a\textbackslash{}\textbraceright{}\textasciitilde{}\textasciicircum{}"),
    ],
)
def test_bibtex_of_any_title_is_one_field(title: str, written: str) -> None:
    text = cited(title=title, authors=(Author(name=title), Author(family=title, given="A")))
    assert f"  title = {{{written}}},\n" in text
    assert f"  author = {{{{{written}}} and {written}, A}},\n" in text
    assert text.count("{") == text.count("}")


def test_bibtex_keeps_names_with_commas_and_says_year_and_address() -> None:
    authors = (Author("Institute of A, B and C"), Author(family="Sakya", given="Pandita, Jr."))
    facts = replace(
        FACTS,
        details=Details(authors=authors),
        day="2026-11-28",
        address="https://b.example.org/r/",
    )
    text = "".join(citing(facts))
    assert "  author = {{Institute of A, B and C} and Sakya, {Pandita, Jr.}},\n" in text
    assert "  year = {2026},\n  version = {0.1.0},\n  url = {https://b.example.org/r/},\n" in text
    found = yaml.safe_load(citation_text(facts))
    assert (found["date-released"], found["url"]) == ("2026-11-28", "https://b.example.org/r/")
    assert citation_line(facts).startswith("Institute of A, B and C; Sakya, Pandita, Jr. (2026). ")


def test_citation_has_no_address_that_only_this_machine_reaches() -> None:
    facts = replace(FACTS, address="http://localhost:8000/releases/ti/0.1.0/")
    assert "url" not in yaml.safe_load(citation_text(facts))


def test_addresses_in_bibtex_stay_and_end_no_field() -> None:
    text = cited(doi="10.5281/a_b%7D", url="https://example.org/a_b?c=%20&d=#e{f}\\")
    assert "  doi = {10.5281/a_b%7D},\n" in text
    assert "  url = {https://example.org/a_b?c=%20&d=#e%7Bf%7D%5C},\n" in text


def test_citation_holds_signs_that_yaml_does_not() -> None:
    facts = replace(FACTS, details=Details(title="a{\\}\x7f\x85 \u2028 \ufffe: #&%_"))
    assert yaml.safe_load(citation_text(facts))["title"] == facts.details.title


def test_citation_knows_a_licence_in_any_spelling() -> None:
    facts = replace(FACTS, details=Details(licence="cc by-nc 4.0"))
    assert yaml.safe_load(citation_text(facts))["license"] == "CC-BY-NC-4.0"


def test_citation_without_details_names_the_project() -> None:
    found = yaml.safe_load(citation_text(FACTS))
    assert found["authors"] == [{"name": f"Contributors to {FACTS.name}"}]
    assert "doi" not in found


@pytest.mark.django_db
def test_prose_survives_rebuilds_and_stays_as_it_was_in_older_releases(project: Project) -> None:
    fill(project)
    change_details(project=project, request=REQUEST, actor=None, now=NOW)
    first = files_of(build(project, "0.1.0"))
    second = files_of(build(project, "0.2.0"))
    for files in (first, second):
        card = files["README.md"].decode()
        assert card.count("Because | nobody did.") == 1
        assert "# Ti-MMLU " in card
        assert "author = {Sakya, Pandita and {Institute of Translation}}" in card
        assert 'license: "cc-by-nc-4.0"' in card
        assert yaml.safe_load(files["CITATION.cff"])["doi"] == "10.5281/zenodo.1234567"
    folder = release_folder(project.slug, "0.1.0")
    change_details(project=project, request=DetailsRequest(title="Other"), actor=None, now=NOW)
    assert (folder / "README.md").read_bytes() == first["README.md"]
    found = verify(folder, version=settings.VERSION)
    assert found.problems == ()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("authors", "Sakya,"), ("doi", "11.1/x"), ("url", "javascript:alert(1)"),
        ("title", "x" * 201), ("prose", {"gossip": "x"}), ("prose", {"uses": "x" * 20_001}),
    ],
)  # fmt: skip
def test_details_that_are_wrong_are_refused_by_field(
    project: Project, field: str, value: Any
) -> None:
    with pytest.raises(DetailsInvalid) as refusal:
        change_details(
            project=project, request=DetailsRequest(**{field: value}), actor=None, now=NOW
        )
    assert list(refusal.value.fields) == [field if field != "prose" else next(iter(value))]
    assert not ReleaseDetails.objects.exists()


@pytest.mark.django_db
def test_change_is_recorded(project: Project) -> None:
    change_details(project=project, request=REQUEST, actor=None, now=NOW)
    event = AuditEvent.objects.get(verb="release.details_changed")
    assert event.data == {"doi": "10.5281/zenodo.1234567", "licence": "CC-BY-NC-4.0"}


@pytest.mark.django_db
def test_page_and_api_change_them(
    project: Project,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    manager = member(Role.MANAGER)
    browser, api = browser_of(manager), api_of(manager)
    page = "/projects/ti/releases/details/"
    assert browser.get(page).status_code == 200
    refused = browser.post(page, {"authors": "Sakya,"})
    assert (refused.status_code, "Family, Given" in refused.content.decode()) == (400, True)
    assert browser.post(page, {"title": "One", "uses": "Tests."}).status_code == 302
    address = "/api/v1/projects/ti/release-details/"
    assert api.get(address).json() == {
        "title": "One", "authors": "", "doi": "", "url": "", "licence": "",
        "prose": {"uses": "Tests."}, "contributor_count": 0,
    }  # fmt: skip
    assert api.post(address, {"doi": "nonsense"}, format="json").status_code == 400
    told = api.post(address, {"title": "Two"}, format="json")
    assert (told.status_code, told.json()["prose"]) == (200, {})
    assert "Two" in browser.get(page).content.decode()

"""croissant.json: the release for programs that find and load data sets by their metadata.

Croissant 1.0 (mlcommons.org/croissant/1.0) with its vocabulary of responsible AI. One record set for
each split of each subject, over the Parquet files, or those of JSONL where there are no others: programs
guess the types of JSONL, and read an id such as 007 as 7. A release without open items has one record set:
the list of its hidden items.
"""

from collections.abc import Iterable
from typing import Any

from releases.details.values import Author
from releases.files.exporters.all_hidden import LIST_NAME, SPLIT, TEXTS_NAME, withheld
from releases.files.exporters.base import ReleaseContent, WithheldText
from releases.files.exporters.card_sections import TRANSLATED
from releases.files.exporters.citation import (
    address_of,
    authors_of,
    citation_line,
    licences_of,
)
from releases.files.exporters.output import OutputFolder
from releases.files.manifest import (
    NOT_BY_PEOPLE,
    WITHHELD,
    ReleaseFacts,
    WrittenFile,
    json_document,
)

_TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject",
    "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField",
    "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)  # fmt: skip
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS},
}
_FIELDS = {
    "id": "sc:Text",
    "subject": "sc:Text",
    "question": "sc:Text",
    "choices": "sc:Text",
    "answer": "sc:Integer",
    "explanation": "sc:Text",
    "category": "sc:Text",
    "level": "sc:Text",
    "year": "sc:Text",
    "kind": "sc:Text",
    "split": "sc:Text",
    "source_question": "sc:Text",
    "source_choices": "sc:Text",
    "source_ids": "sc:Text",
    "reference": "sc:Text",
    "source_reference": "sc:Text",
    "source_explanation": "sc:Text",
    "direction": "sc:Text",
    "canary": "sc:Text",
}
_FIELDS_OF_HIDDEN = {"id": "sc:Text", "subject": "sc:Text", "option_count": "sc:Integer"}
_LINES = "application/jsonlines"
_ENCODINGS = {"parquet": "application/x-parquet", "jsonl": _LINES}
_LISTS = ("choices", "source_choices", "source_ids")


def export(content: ReleaseContent, folder: OutputFolder) -> None:
    """Write the metadata, where there are files to describe."""
    if files := _described(content.facts, folder.files):
        data = json_document(_metadata(content.facts, content.quality, files))
        folder.add_bytes("croissant.json", data, media_type="application/ld+json")


def _described(facts: ReleaseFacts, files: Iterable[WrittenFile]) -> list[WrittenFile]:
    named = {TEXTS_NAME} if facts.has_withheld else set()
    if not facts.counts.open:
        return [file for file in files if file.name in (named or {LIST_NAME})]
    chosen = next((f"{name}/" for name in _ENCODINGS if name in facts.formats), None)
    return [
        file for file in files if file.name in named or (chosen and file.name.startswith(chosen))
    ]


def _metadata(
    facts: ReleaseFacts, quality: dict[str, Any], files: list[WrittenFile]
) -> dict[str, Any]:
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"{facts.project}-{facts.version}",
        "description": _description(facts),
        "version": facts.version,
        "inLanguage": facts.target_language,
        "citeAs": citation_line(facts),
        "creator": [_creator(author) for author in authors_of(facts)],
        **({"datePublished": facts.day} if facts.day else {}),
        "license": licences_of(facts),
        "url": address_of(facts) or facts.address,
        **{f"rai:{name}": text for name, text in _responsibility(facts, quality).items()},
        "distribution": [_file_object(file) for file in files],
        "recordSet": [_record_set(file) for file in files],
    }


def _creator(author: Author) -> dict[str, str]:
    """Return a person or an organisation; an undivided name in `given` is a person's."""
    kind = "sc:Organization" if author.name else "sc:Person"
    orcid = {"url": f"https://orcid.org/{author.orcid}"} if author.orcid else {}
    return {"@type": kind, "name": author.whole, **orcid}


def _description(facts: ReleaseFacts) -> str:
    counts = facts.counts
    origin = "" if facts.is_monolingual else f" translated from '{facts.source_language}',"
    kind = "multiple-choice " if facts.are_all_choices else ""
    told = counts.open or f"{counts.items} hidden"
    return (
        f"{facts.name}: {told} {kind}items of an evaluation benchmark in "
        f"'{facts.target_language}',{origin} {_reviewed(facts)}."
    )


def _reviewed(facts: ReleaseFacts) -> str:
    return NOT_BY_PEOPLE if facts.simulated_judgements else "reviewed and approved by people"


def _responsibility(facts: ReleaseFacts, quality: dict[str, Any]) -> dict[str, str]:
    sources = ", ".join(f"{each.name} {each.revision}".strip() for each in facts.sources)
    sizes = sorted({str(stage["panel_size"]) for stage in quality.get("stages", ())})
    panels = {"annotationsPerItem": f"{' or '.join(sizes)} judgements an item and round."}
    protocol = (
        "Reviewers judged each text blind and independently of each other, in panels, by a "
        "written guideline; senior reviewers settled disputes. ledger.jsonl has the outcome of "
        "every round for every item."
    )
    if facts.simulated_judgements:
        protocol = f"{NOT_BY_PEOPLE.capitalize()}. A program judged the texts in their place."
    limitations = f"{'' if facts.is_monolingual else f'{TRANSLATED} '}{withheld(facts)}"
    translations = "" if facts.is_monolingual else ", with translations"
    if translations and not facts.simulated_judgements:
        translations += " that people corrected"
    return {
        "dataCollection": f"Items of {sources}{translations}.",
        "dataAnnotationProtocol": protocol,
        **(panels if sizes else {}),
        "dataAnnotationAnalysis": "quality.json: approval, ratings and agreement by stage.",
        "dataUseCases": "Evaluation of language models. Not for training: see the canary.",
        "dataLimitations": limitations,
        "personalSensitiveInformation": _people(facts),
    }


def _people(facts: ReleaseFacts) -> str:
    if facts.contributors:
        return "Contributors who agreed to it are named, apart from what each of them judged."
    return "Reviewers are not named."


def _file_object(file: WrittenFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name.rpartition("/")[2],
        "contentUrl": file.name,
        "encodingFormat": _ENCODINGS.get(file.name.partition("/")[0], _LINES),
        "contentSize": f"{file.size} B",
        "sha256": file.sha256,
    }


def _record_set(file: WrittenFile) -> dict[str, Any]:
    record_set, fields = _records_of(file.name)
    return {
        "@type": "cr:RecordSet",
        "@id": record_set,
        "name": record_set,
        "key": {"@id": f"{record_set}/id"},
        "field": [_field(record_set, name, kind, file) for name, kind in fields.items()],
    }


def _records_of(name: str) -> tuple[str, dict[str, str]]:
    """Name the records of a file, and their fields."""
    if name == LIST_NAME:
        return SPLIT, _FIELDS_OF_HIDDEN
    if name == TEXTS_NAME:
        return WITHHELD, {field: _FIELDS[field] for field in (*WithheldText._fields, "canary")}
    _format, split, file_name = name.split("/")
    return f"{file_name.rpartition('.')[0]}_{split}", _FIELDS


def _field(record_set: str, name: str, kind: str, file: WrittenFile) -> dict[str, Any]:
    array = {"cr:isArray": True, "cr:arrayShape": "-1"} if name in _LISTS else {}
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "dataType": kind,
        **array,
        "source": {"fileObject": {"@id": file.name}, "extract": {"column": name}},
    }

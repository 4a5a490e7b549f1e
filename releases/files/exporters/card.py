"""README.md: the description of the release for people, headed by the YAML that loaders read."""

import json
from collections.abc import Iterable, Iterator, Sequence

from common.web_addresses import web_address
from releases.details.licences import hub_id
from releases.files.exporters import all_hidden
from releases.files.exporters.base import SPLITS, DataFormat, ReleaseContent
from releases.files.exporters.card_sections import (
    Figures,
    cell,
    citing,
    count_of,
    datasheet,
    examples,
    explanations,
    machine_translation,
    making,
    option_order,
    people,
    simulated,
    sizes,
    waivers,
)
from releases.files.exporters.citation import address_of, licences_of, title_of
from releases.files.exporters.configurations import LOADABLE, configurations
from releases.files.exporters.output import OutputFolder
from releases.files.exporters.stage_tables import stages
from releases.files.exporters.yaml_text import yaml_text
from releases.files.manifest import Counts, ReleaseFacts, SourceNote, SubjectCount, WrittenFile

CARD_NAME = "README.md"


def export(content: ReleaseContent, folder: OutputFolder) -> None:
    text = card_text(content.facts, content.formats, _quality(folder), folder.files)
    folder.add_bytes(CARD_NAME, text.encode(), media_type="text/markdown")


def card_text(
    facts: ReleaseFacts,
    formats: Sequence[DataFormat],
    quality: Figures,
    files: Sequence[WrittenFile],
) -> str:
    """Return the card; `quality` is what `quality.json` holds, `files` are those written before it."""
    by_name = sorted(files, key=lambda file: file.name)
    return "".join(_pieces(facts, formats, quality, by_name))


def _quality(folder: OutputFolder) -> Figures:
    """Return the figures that `quality.json` states; the card states no others."""
    path = folder.path_of("quality.json")
    found: Figures = json.loads(path.read_bytes()) if path.exists() else {}
    return found


def _pieces(
    facts: ReleaseFacts,
    formats: Sequence[DataFormat],
    quality: Figures,
    files: Sequence[WrittenFile],
) -> Iterator[str]:
    counts = facts.counts
    yield from _front_matter(facts, files)
    yield f"# {cell(title_of(facts))} {facts.version}\n\n"
    yield from simulated(quality.get("release", {}))
    yield (
        f"{count_of(counts.items, 'item')}, {_origin(facts)} and {facts.reviewed}: {counts.test} test, "
        f"{counts.dev} dev. {all_hidden.hidden_words(facts)}\n\n"
    )
    yield from all_hidden.opening(facts)
    if public := sum(facts.hidden_public.values()):
        yield (
            f"The source of {count_of(public, 'hidden item')} is public: "
            f"{all_hidden.look_up_words(facts)}.\n\n"
        )
    if facts.notes:
        yield f"{facts.notes.strip()}\n\n"
    yield from examples(facts)
    yield from _subjects(counts.subjects)
    yield from sizes(counts)
    yield from option_order(facts, quality.get("release", {}))
    yield from making(quality.get("release", {}), removed=facts.duplicates_removed)
    yield from machine_translation(facts)
    yield from explanations(facts)
    yield from stages(quality.get("stages", []), dict(facts.criteria))
    yield from people(facts.people)
    yield from waivers(facts.waivers)
    yield from datasheet(facts)
    yield from _files(facts, formats, files)
    yield from _sources(facts.sources)
    yield from citing(facts)
    yield f"## Canary\n\n{all_hidden.canary_words(facts)}\n\n    {facts.canary}\n"


def _origin(facts: ReleaseFacts) -> str:
    if facts.is_monolingual:
        return f"written in `{facts.target_language}`"
    return f"translated from `{facts.source_language}` to `{facts.target_language}`"


def _front_matter(facts: ReleaseFacts, files: Iterable[WrittenFile]) -> Iterator[str]:
    """Return the metadata of a dataset card: language, licence, one configuration a subject and one of all."""
    yield f"---\npretty_name: {yaml_text(facts.name)}\n"
    yield from _language(facts.target_language)
    yield from _licence(facts)
    yield "task_categories: [question-answering]\n"
    if _has_choices(facts.counts):
        yield "task_ids: [multiple-choice-qa]\n"
    yield f"size_categories: [{_size(facts.counts.items)}]\n"
    yield from configurations([file.name for file in files], facts)
    yield all_hidden.loader_entry(facts)
    yield "---\n\n"


def _language(tag: str) -> Iterator[str]:
    """Return the language code, then the whole tag: the Hub refuses a `language` such as zh-Hant."""
    code, _line, more = tag.partition("-")
    yield f"language: [{yaml_text(code)}]\n"
    yield f"language_bcp47: [{yaml_text(tag)}]\n" if more else ""


def _has_choices(counts: Counts) -> bool:
    """Return whether an item has options; of hidden items only the number of options is known."""
    if counts.open:
        return sum(counts.kinds.values()) < counts.open
    return set(counts.option_counts) != {"0"}


def _licence(facts: ReleaseFacts) -> Iterator[str]:
    """Return the chosen licence, or that of all sources; `other` with its name if it has no known id.

    Sources that differ give all their names. The Hub wants a link to what it does not know.
    """
    names = licences_of(facts)
    known = {hub_id(name) for name in names}
    if len(known) == 1 and "" not in known:
        yield f"license: {yaml_text(*known)}\n"
        return
    yield f"license: other\nlicense_name: {yaml_text(' and '.join(names))}\n"
    if link := _licence_link(facts, names):
        yield f"license_link: {yaml_text(link)}\n"


def _licence_link(facts: ReleaseFacts, names: Sequence[str]) -> str:
    """Return where the licence can be read: at its only source, or where the release is."""
    theirs = (web_address(each.url) for each in facts.sources if [each.licence.strip()] == names)
    return next(filter(None, theirs), address_of(facts) or facts.address)


def _size(items: int) -> str:
    """Return the Hugging Face Hub's word for so many items."""
    sizes = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
    return next((word for bound, word in sizes.items() if items < bound), "1M<n<10M")


def _subjects(subjects: Iterable[SubjectCount]) -> Iterator[str]:
    yield "## Subjects\n\n| subject | category | test | of these hidden | dev |\n"
    yield "|---|---|---:|---:|---:|\n"
    for subject in subjects:
        yield (
            f"| {cell(subject.name)} | {cell(subject.category)} | {subject.test} "
            f"| {subject.black_box} | {subject.dev} |\n"
        )
    yield "\n"


def _files(
    facts: ReleaseFacts, formats: Iterable[DataFormat], files: Sequence[WrittenFile]
) -> Iterator[str]:
    """Describe each file, with the line that opens it."""
    yield "## Files\n\n"
    loadable = tuple(f"{name}/" for name in LOADABLE)
    if any(file.name.startswith(loadable) for file in files):
        yield "All rows at once, beside the unpacked archive: "
        yield f'`datasets.load_dataset("./{facts.project}-{facts.version}")`.\n\n'
    for data_format in formats:
        folders = tuple(f"{data_format.folder(split)}/" for split in SPLITS)
        mine = [file for file in files if file.name.startswith(folders)]
        if mine:
            size = _size_text(sum(file.size for file in mine))
            opening = data_format.opening.format(file=_example(mine, data_format))
            yield f"- {data_format.description} {size}. Open one: `{opening}`.\n"
    yield from all_hidden.left_out(facts, [each.label for each in formats])
    names = {file.name for file in files}
    if "CITATION.cff" in names:
        yield "- `CITATION.cff`: how to cite the release.\n"
    if "croissant.json" in names:
        yield "- `croissant.json`: the metadata of the data set and its files, as Croissant: "
        yield '`mlcroissant.Dataset("croissant.json")`.\n'
    if any(name.startswith("lm_eval/") for name in names):
        yield from _harnesses(names)
    if all_hidden.TEXTS_NAME in names:
        yield f"- `{all_hidden.TEXTS_NAME}`: the items whose answers are withheld: id, subject, kind, "
        yield "question, choices, canary.\n"
    yield "- `ledger.jsonl`: where each text comes from and what reviewers decided about it.\n"
    yield "- `quality.json`: the figures of the review, and those of this card.\n"
    yield "- `SHA256SUMS`: checksums of all files, for `sha256sum --check SHA256SUMS`.\n"
    yield "- `manifest.json`: the parameters of this release, and every file with its SHA-256.\n\n"


def _example(files: Sequence[WrittenFile], data_format: DataFormat) -> str:
    """Return the first file with test items, or with dev items if there are no others."""
    tests = f"{data_format.folder(SPLITS[-1])}/"
    return next((file.name for file in files if file.name.startswith(tests)), files[0].name)


def _harnesses(names: Iterable[str]) -> Iterator[str]:
    groups = sorted(
        name.removeprefix("lm_eval/_").removesuffix(".yaml")
        for name in names
        if name.startswith("lm_eval/_") and name.endswith(".yaml")
    )
    yield "- `lm_eval/`: tasks for lm-evaluation-harness, by generation and by likelihood: "
    yield f"`lm_eval --include_path lm_eval --tasks {','.join(groups)} --model …`.\n"
    task = next(name for name in sorted(names) if name.startswith("inspect/"))
    yield (
        "- `inspect/`: a task for Inspect. For an endpoint with the API of chat completions set "
        "`ENDPOINT_BASE_URL` and `ENDPOINT_API_KEY`: "
        f"`inspect eval {task} --model openai-api/endpoint/MODEL -M responses_api=false`.\n"
    )


def _size_text(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1_000:.1f} kB"


def _sources(sources: Iterable[SourceNote]) -> Iterator[str]:
    yield "## Sources\n\n"
    for source in sources:
        title = f"{source.name} {source.revision}".strip()
        yield f"- {title}. Licence: {source.licence or 'not stated'}."
        yield f" {source.attribution.strip()}" if source.attribution.strip() else ""
        address = web_address(source.url)
        yield f" <{address}>\n" if address else "\n"
    yield "\n"

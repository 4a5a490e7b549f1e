"""Tasks for lm-evaluation-harness and Inspect, which read the release's own files.

They ask the items with options; what else is in a release is left out, and the card says so.
Both read answers by the methods "direct" and "concern all", as our scorers do, and ask with the
language's built-in prompt. Their files stand for themselves: what they share is written into each.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from string import Template

from languages import get_language
from languages.letters import LETTERS
from releases.files.exporters.base import ReleaseContent, configuration_name, file_stem
from releases.files.exporters.output import OutputFolder
from releases.files.exporters.yaml_text import yaml_text
from releases.files.manifest import ReleaseFacts, SubjectCount

SHOTS = 5
PYTHON = "text/x-python"
YAML = "application/yaml"

_NO_NAME = re.compile(r"[^a-z0-9]+")
_OPTIONS = (
    f"{{% for c in choices %}}{{{{'{LETTERS}'[loop.index0]}}}}. "
    "{{c}}{% if not loop.last %}\n{% endif %}{% endfor %}"
)
_JINJA = {
    "question": "{{question.strip()}}",
    "options": _OPTIONS,
    "letters": f"{{{{'{LETTERS}'[:choices|length]|join(' / ')}}}}",
}


def export(content: ReleaseContent, folder: OutputFolder) -> None:
    """Write the tasks, where there are JSONL files for them to read."""
    every = map(_with_options, content.facts.counts.subjects)
    subjects = [each for each in every if each.test > each.black_box]
    if "jsonl" not in content.facts.formats or not subjects:
        return
    for name, text in (*_lm_eval(content.facts, subjects), _inspect(content.facts, subjects)):
        kind = PYTHON if name.endswith(".py") else YAML
        folder.add_bytes(name, text.encode(), media_type=kind)


def _with_options(subject: SubjectCount) -> SubjectCount:
    """Return the counts of a subject's items with options alone."""
    return replace(
        subject,
        test=subject.test - subject.test_without_options,
        dev=subject.dev - subject.dev_without_options,
    )


def task_name(facts: ReleaseFacts) -> str:
    """Return the name of a release's task; see `plain_name`."""
    return plain_name(facts.project)


def plain_name(project: str) -> str:
    """Return a project's name as both programs accept it: letters, digits and lines, a letter first."""
    plain = _NO_NAME.sub("_", project.lower()).strip("_")
    return plain if plain[:1].isalpha() else f"benchmark_{plain}"


def _lm_eval(facts: ReleaseFacts, subjects: list[SubjectCount]) -> Iterator[tuple[str, str]]:
    name, script = task_name(facts), get_language(facts.target_language).option_letters
    yield (
        "lm_eval/utils.py",
        _scoring()
        + _shipped("lm_eval_utils.py", script=repr(script), others=repr(bool(facts.counts.kinds))),
    )
    yield "lm_eval/_mc_yaml", _likelihood(facts)
    yield "lm_eval/_gen_yaml", _generation(facts)
    for kind, metric in (("mc", ""), ("gen", "    filter_list: [direct, concern_all]\n")):
        tasks = [f"{name}_{kind}_{file_stem(each.slug)}" for each in subjects]
        for task, subject in zip(tasks, subjects, strict=True):
            yield f"lm_eval/{task}.yaml", _subject_task(facts, kind, task, subject)
        yield f"lm_eval/_{name}_{kind}.yaml", _group(facts, f"{name}_{kind}", tasks, metric)


def _likelihood(facts: ReleaseFacts) -> str:
    """Return the task that asks which letter is most likely after the question."""
    return (
        f"{_task_head(facts)}output_type: multiple_choice\n"
        f"doc_to_choice: \"{{{{'{LETTERS}'[:choices|length]|list}}}}\"\n"
        "doc_to_target: answer\n"
        "metric_list:\n"
        "  - {metric: acc, aggregation: mean, higher_is_better: true}\n"
    )


def _generation(facts: ReleaseFacts) -> str:
    """Return the task that reads the letter from a written answer, by two methods."""
    return (
        f"{_task_head(facts)}output_type: generate_until\n"
        "generation_kwargs: {until: [], max_gen_toks: 1024, do_sample: false}\n"
        f"doc_to_target: \"{{{{'{LETTERS}'[answer]}}}}\"\n"
        "filter_list:\n"
        "  - name: direct\n"
        "    filter:\n"
        "      - {function: custom, filter_fn: !function utils.read_direct}\n"
        "      - {function: take_first}\n"
        "  - name: concern_all\n"
        "    filter:\n"
        "      - {function: custom, filter_fn: !function utils.read_concern_all}\n"
        "      - {function: take_first}\n"
        "metric_list:\n"
        "  - {metric: exact_match, aggregation: mean, higher_is_better: true}\n"
    )


def _task_head(facts: ReleaseFacts) -> str:
    frame = re.sub(r"\{(question|options|letters)\}", _jinja, _frames(facts)[1])
    return (
        "custom_dataset: !function utils.load\n"
        "test_split: test\n"
        f"doc_to_text: {json.dumps(frame, ensure_ascii=False)}\n"
        'target_delimiter: "\\n"\n'
    )


def _jinja(found: re.Match[str]) -> str:
    return _JINJA[found[1]]


def _subject_task(facts: ReleaseFacts, kind: str, task: str, subject: SubjectCount) -> str:
    shots = min(SHOTS, subject.dev)
    few_shot = "fewshot_split: dev\nfewshot_config: {sampler: first_n}\n" if shots else ""
    return (
        f"include: _{kind}_yaml\n"
        f"task: {task}\n"
        f"task_alias: {yaml_text(subject.name)}\n"
        f"{few_shot}"
        f"num_fewshot: {shots}\n"
        f"metadata: {{version: {json.dumps(facts.version)}, "
        f"subject: {json.dumps(configuration_name(file_stem(subject.slug)))}}}\n"
    )


def _group(facts: ReleaseFacts, group: str, tasks: list[str], filters: str) -> str:
    metric = "exact_match" if filters else "acc"
    listed = "".join(f"  - {task}\n" for task in tasks)
    return (
        f"group: {group}\n"
        f"task:\n{listed}"
        "aggregate_metric_list:\n"
        f"  - metric: {metric}\n"
        "    aggregation: mean\n"
        "    weight_by_size: true\n"
        f"{filters}"
        f"metadata: {{version: {json.dumps(facts.version)}}}\n"
    )


def _inspect(facts: ReleaseFacts, subjects: list[SubjectCount]) -> tuple[str, str]:
    system, frame = _frames(facts)
    name = task_name(facts)
    filled = {
        "script": get_language(facts.target_language).option_letters,
        "system": system,
        "frame": frame,
        "subjects": ",".join(file_stem(each.slug) for each in subjects),
        "version": facts.version,
    }
    values = {key: json.dumps(value, ensure_ascii=False) for key, value in filled.items()}
    text = _scoring() + _shipped("inspect_task.py", name=name, **values)
    return f"inspect/{name}.py", text


def _frames(facts: ReleaseFacts) -> tuple[str, str]:
    """Return the built-in system message and prompt of the target language, or the English ones."""
    frames = get_language(facts.target_language).frames or get_language("en").frames
    assert frames is not None  # noqa: S101  a test holds that English has them
    return frames.system, frames.direct


def _scoring() -> str:
    return (
        resources.files("releases.files.exporters.shipped")
        .joinpath("scoring.py")
        .read_text("utf-8")
    )


def _shipped(file_name: str, **values: str) -> str:
    file = resources.files("releases.files.exporters.shipped").joinpath(f"{file_name}.txt")
    return Template(file.read_text("utf-8")).substitute(values)

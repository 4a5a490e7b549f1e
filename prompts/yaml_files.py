"""Reads and writes prompts as YAML; also reads the `config.yaml` of TLUE."""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Final

import yaml

from prompts.rendering import DIRECT, ONE_TEXT, Template

MOST_BYTES: Final = 100_000
TLUE_SECTION: Final = "prompt_config"
_DEFAULTS: Final = {"style": DIRECT, "system": ""}


class PromptFileError(ValueError):
    """A file is not a prompt; the message names the field and the way out."""


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt as a file has it.

    shots: the number of examples that the file asks for, which is a setting of runs here
    """

    name: str
    template: Template
    description: str = ""
    shots: int | None = None


def read_prompt(text: str, *, language: str, slots: Mapping[str, str] | None = None) -> PromptFile:
    """Read a prompt; `language` is what it is in unless the file says so. Raises PromptFileError.

    `slots` says what placeholders of another program are here. The texts are checked only when the
    prompt is stored or shown.
    """
    found = _mapping(text)
    if TLUE_SECTION in found:
        return _read_tlue(_with_slots(found[TLUE_SECTION], slots or {}), language)
    found = _with_slots(found, slots or {})
    kinds: dict[str, tuple[type, ...]] = {
        field.name: (int, type(None)) if field.name == "shot_seed" else (str,)
        for field in fields(Template)
    }
    kinds |= {"name": (str,), "description": (str,), "shots": (int, type(None))}
    for name, value in found.items():
        if name not in kinds:
            known = ", ".join(sorted(kinds))
            raise PromptFileError(f"There is no field “{name}”. Fields are: {known}.")
        if not isinstance(value, kinds[name]) or isinstance(value, bool):
            what = "text; put it in quotes" if kinds[name] == (str,) else "a whole number"
            raise PromptFileError(f"The field “{name}” must be {what}.")
    values: dict[str, Any] = {**_DEFAULTS, "language": language, **found}
    for field in fields(Template):
        if field.default is MISSING and field.name not in values:
            raise PromptFileError(f"The field “{field.name}” is missing.")
    template = Template(
        **{field.name: values[field.name] for field in fields(Template) if field.name in values}
    )
    return PromptFile(
        found.get("name", ""), template, found.get("description", ""), found.get("shots")
    )


def write_prompt(name: str, template: Template) -> str:
    """Return a prompt as YAML, without the fields that are as usual."""
    usual = {field.name: field.default for field in fields(Template)} | _DEFAULTS
    values = {field: value for field, value in asdict(template).items() if value != usual[field]}
    return yaml.dump(
        {"name": name, **values}, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10_000
    )


def _mapping(text: str) -> dict[str, Any]:
    if len(text.encode()) > MOST_BYTES:
        raise PromptFileError("The file is larger than 100 kB.")
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        place = getattr(error, "problem_mark", None)
        line = f" in line {place.line + 1}" if place else ""
        raise PromptFileError(f"The file is not YAML{line}.") from error
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise PromptFileError("The file must have fields: a name, a colon and a value.")
    return found


def _with_slots(found: Any, slots: Mapping[str, str]) -> Any:
    """Replace the placeholders `slots` in all texts of a mapping."""
    if not isinstance(found, dict):
        return found
    changed = dict(found)
    for field, value in found.items():
        if isinstance(value, str):
            for name, ours in slots.items():
                changed[field] = changed[field].replace(f"{{{name}}}", ours)
    return changed


def _read_tlue(section: Any, language: str) -> PromptFile:
    """Read the prompt section of TLUE's configuration, with the fields that its README names.

    Those are max_shots, system_message, user_template and few_shot_template.
    """
    if not isinstance(section, dict) or not isinstance(section.get("user_template"), str):
        raise PromptFileError("The section “prompt_config” has no text “user_template”.")
    texts = {name: section.get(name) or "" for name in ("system_message", "few_shot_template")}
    shots = section.get("max_shots")
    if not all(isinstance(text, str) for text in texts.values()):
        raise PromptFileError("The texts of “prompt_config” must be text.")
    template = Template(
        language, DIRECT, texts["system_message"], section["user_template"], layout=ONE_TEXT,
        shot_frame=texts["few_shot_template"],
    )  # fmt: skip
    return PromptFile("", template, shots=shots if isinstance(shots, int) else None)


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, which people can read."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)

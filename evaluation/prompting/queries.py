"""Shows what a prompt makes of a released item before it is saved."""

from dataclasses import asdict, dataclass

from django.utils.translation import gettext_lazy as _

from annotation.enums import ItemKind, SplitName
from common.errors import DomainError
from endpoints.providers.base import Message
from evaluation.models import Run
from evaluation.queries import shots_of
from evaluation.request_building import prompt_item
from evaluation.runs.estimates import bytes_of, bytes_per_token_of
from prompts.actions import check_prompt
from prompts.models import PromptTemplate
from prompts.rendering import CHAIN_OF_THOUGHT, Template, render
from releases.enums import Subset
from releases.models import Release, ReleaseItem
from releases.queries import release_items
from scoring.scorers import SCORERS

PREVIEWED_KINDS = (ItemKind.CHOICE, ItemKind.NUMBER, ItemKind.TRANSLATION)


class PreviewItemUnknown(DomainError):
    code = "preview_item_unknown"
    detail = _(
        "Release %(version)s has no open test item “%(uid)s” with options, a number or a text to "
        "translate. Leave the item empty to see the first one."
    )
    status = 404


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """The messages that would ask one open item.

    shots: how many examples they show; bare_shots: those of a chain of thought without an
        explanation in the target language
    tokens: the bytes of the messages by `bytes_per_token`, which `measured_on` stored answers tell;
        it is assumed if that is 0
    """

    uid: str
    kind: str
    messages: tuple[Message, ...]
    shots: int
    bare_shots: int
    tokens: int
    bytes_per_token: float
    measured_on: int


def preview_prompt(
    release: Release, template: Template, *, shots: int, uid: str = ""
) -> list[PromptPreview]:
    """Return what the open test item `uid` is asked with, or the first item of each kind.

    Hidden items are never shown, whoever asks. Writes nothing. Raises PromptInvalid, PromptTooLong,
    PreviewItemUnknown.
    """
    check_prompt(template)
    bytes_per_token, measured_on = bytes_per_token_of(release.project)
    prompt = PromptTemplate(project=release.project, **asdict(template))
    run = Run(release=release, prompt_template=prompt, shots=shots, methods=list(SCORERS))
    is_reasoned = template.style == CHAIN_OF_THOUGHT
    found = []
    for placed in _shown_items(release, uid):
        examples = [prompt_item(shot) for shot in shots_of(run, placed)] if shots else []
        messages = render(prompt_item(placed), template=template, shots=examples)
        bare = sum(not each.explanation.strip() for each in examples) if is_reasoned else 0
        found.append(
            PromptPreview(
                uid=placed.uid,
                kind=placed.kind,
                messages=messages,
                shots=len(examples),
                bare_shots=bare,
                tokens=round(bytes_of(messages) / bytes_per_token),
                bytes_per_token=bytes_per_token,
                measured_on=measured_on,
            )
        )
    return found


def _shown_items(release: Release, uid: str) -> list[ReleaseItem]:
    rows = release_items(release).filter(split=SplitName.TEST, subset=Subset.OPEN)
    if uid:
        found = list(rows.filter(uid=uid, kind__in=PREVIEWED_KINDS))
        if not found:
            raise PreviewItemUnknown(version=release.version, uid=uid)
        return found
    firsts = (rows.filter(kind=kind).first() for kind in PREVIEWED_KINDS)
    return [placed for placed in firsts if placed is not None]

"""The page that explains a kind of finding, in Markdown: in the product, the API and docs/checks."""

from collections.abc import Callable

from annotation.checks.catalogue.base import FindingKind
from annotation.checks.catalogue.labels import KINDS
from annotation.importers.labels import gettext_noop as _

Translate = Callable[[str], str]
_INTRODUCTION = """# Checks

<!-- Written by `make docs` from the classes in annotation/checks/catalogue: change it there. -->

Each check is a small class in `annotation/checks/catalogue/` and has a page here. A panel cannot \
approve a text with an open error: the item goes to a senior. You can dismiss a finding with a \
reason; your name is kept with it, and anybody who may dismiss findings can reopen it.

**Repairs.** Some findings have a certain repair: only one text can have been meant. A reviewer takes \
it in the workbench, one at a time. Managers and seniors take those of one check in all texts at \
once: *Findings*, then *Batch repairs* (`repair_findings PROJECT --check CODE --dry-run`, \
`projects/{slug}/repairs/`). The preview shows each text before and after, and names the texts that \
a batch leaves out: \
a panel is judging the item or it is in dispute, the text is approved or rejected, the item is \
excluded, a finding of the check was dismissed there, another finding is about the same place, or the \
repair is not certain, changes numbers or brings a new error. A job then makes exactly the repairs of \
the preview. Each is a new revision with the origin *batch repair* and no author, so it bars nobody from \
judging it; the batch says who started it. *Undo* brings the former texts back where nothing has \
changed them since, and names the others.

| check | family | usual severity |
|---|---|---|
"""


def explanation(kind: FindingKind, translate: Translate, level: int = 2) -> str:
    """Return the sections of a kind's page; their headings are of `level`."""
    mark, lines = "#" * level, []
    for heading, paragraphs in (
        (_("Why"), (kind.why,)),
        (_("Example"), (_("Faulty"), kind.faulty, _("Sound"), kind.sound)),
        (_("How to fix"), (kind.fix,)),
        (_("When it is wrong"), (kind.when_wrong,)),
    ):
        texts = list(map(translate, paragraphs))
        if len(texts) > 1:
            texts = [f"- {texts[0]}: {texts[1]}\n- {texts[2]}: {texts[3]}"]
        lines.append(f"{mark} {translate(heading)}\n{texts[0]}\n")
    return "\n".join(lines)


def documentation() -> dict[str, str]:
    """Return every file of docs/checks by its name."""
    pages = {f"{kind.code}.md": _page(kind) for kind in KINDS.values()}
    rows = "".join(
        f"| [{kind.title}]({kind.code}.md) | {kind.family} | {kind.severity} |\n"
        for kind in KINDS.values()
    )
    return {"README.md": _INTRODUCTION + rows, **pages}


def _page(kind: FindingKind) -> str:
    line = f"Code `{kind.code}` · family {kind.family} · {kind.severity}"
    return f"# {kind.title}\n\n{line}\n\n{explanation(kind, str)}"

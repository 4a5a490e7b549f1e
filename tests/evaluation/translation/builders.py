"""A release with items that ask for a translation, and an endpoint that translates them."""

from annotation.enums import ItemKind
from annotation.models import Revision
from endpoints.providers.base import ChatRequest
from evaluation.models import Run
from projects.models import Project
from releases.models import Release
from tests.evaluation.builders import Reply, make_release, make_run, work_off
from tests.factories import (
    SourceFactory,
    SubjectFactory,
    make_release_item,
    make_translated_item,
)

TEXTS = {
    "bo-1": ("zh-bo", "news", "西藏的首府是拉萨。", "བོད་ཀྱི་རྒྱལ་ས་ནི་ལྷ་ས་རེད། རྒྱལ་ས་ཆེན་པོ་ཞིག་རེད།"),
    "bo-2": ("zh-bo", "health", "每天喝水。", "ཉིན་ལྟར་ཆུ་འཐུང་དགོས། ཆུ་ནི་ལུས་པོར་ཕན་པོ་ཡོད།"),
    "lo-1": ("zh-lo", "news", "老挝的首都是万象。", "ນະຄອນຫຼວງຂອງລາວແມ່ນວຽງຈັນ"),
    "lo-2": ("zh-lo", "health", "多吃蔬菜。", "ກິນຜັກຫຼາຍໆດີຕໍ່ສຸຂະພາບ"),
    "zh-1": ("bo-zh", "news", "ལྷ་ས་ནི་གྲོང་ཁྱེར་རེད།", "拉萨是一座有很长历史的城市。"),
    "zh-2": ("bo-zh", "health", "གཉིད་ཡག་པོ་ཉོལ།", "每天晚上要好好睡觉,至少8小时。"),
}
"""uid → direction, domain, text and reference."""
REPLIES = {
    "bo-1": "བོད་ཀྱི་རྒྱལ་ས་ནི་ལྷ་ས་ཡིན། རྒྱལ་ས་ཆེན་པོ་ཞིག་ཡིན།",
    "bo-2": "<think>ཆུ།</think> ཉིན་རེ་ཆུ་འཐུང་དགོས། ཆུ་ནི་ལུས་པོར་ཕན་པོ་ཡོད།",
    "lo-1": "ນະຄອນຫຼວງຂອງລາວຄືວຽງຈັນ\n",
    "lo-2": "ກິນຜັກຫຼາຍໆດີສຳລັບສຸຂະພາບ",
    "zh-1": "拉萨是有很长历史的一座城市。",
    "zh-2": "",
}


def make_translations(project: Project) -> Release:
    """A release of one item with options and the items of TEXTS, in that order, and a dev item."""
    release = make_release(project, subjects={"history": ""}, tests=1)
    source = SourceFactory(project=project)
    domains = {
        name: SubjectFactory(project=project, slug=name, name=name.title())
        for name in ("news", "health")
    }
    rows = TEXTS | {"dev": ("zh-bo", "news", "谢谢。", "ཐུགས་རྗེ་ཆེ།")}
    for position, (uid, (direction, domain, text, reference)) in enumerate(rows.items(), 10):
        item = make_translated_item(
            project=project, source=source, subject=domains[domain], uid=uid, question=text,
            options=[], kind=ItemKind.TRANSLATION, key="", metadata={"direction": direction},
        )  # fmt: skip
        Revision.objects.filter(translation__item=item).update(answer=reference)
        make_release_item(
            release, item, kind=ItemKind.TRANSLATION, position=position,
            split="dev" if uid == "dev" else "test",
            **dict(zip(("source_language", "target_language"), direction.split("-"), strict=True)),
        )  # fmt: skip
    return release


def reply(request: ChatRequest, replies: dict[str, str] = REPLIES) -> str:
    asked = request.messages[-1].content
    return next((replies[uid] for uid, row in TEXTS.items() if row[2] in asked), "A")


def translated(
    project: Project, release: Release, answer: Reply = reply, *methods: str, **settings: int
) -> Run:
    """A run that has asked for the translations."""
    run = make_run(project, release, methods=methods or ("translation",), **settings)
    work_off(run, answer)
    return run

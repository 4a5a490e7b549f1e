"""What a prompt of translation jobs may ask for besides the item: dev items, and the guideline."""

import pytest

from annotation.enums import SplitName, TranslationState
from annotation.models import Translation
from annotation.translating.briefs import brief_of
from projects.models import Project
from prompts.models import PromptTemplate
from tests.annotation.translating.builders import make_items
from tests.factories import GuidelineFactory, make_translated_item

pytestmark = pytest.mark.django_db
ASKING = PromptTemplate(system="", frame="{item}\n\n{dev_examples}\n\n{guideline}")


def test_prompt_may_show_approved_dev_items_of_the_subject_and_the_guideline(
    project: Project,
) -> None:
    (item,) = make_items(project, 1)
    for uid, split, question in (
        ("d/1", SplitName.DEV, "དང་པོ།"), ("d/2", SplitName.DEV, "གཉིས་པ།"), ("t/1", SplitName.TEST, "གསུམ་པ།"),
    ):  # fmt: skip
        made = make_translated_item(
            project=project, subject=item.subject, uid=uid, split=split, question=question
        )
        if uid != "d/2":
            Translation.objects.filter(item=made).update(state=TranslationState.APPROVED)
    GuidelineFactory(project=project, version=1, text="Write as in the old books.")
    GuidelineFactory(project=project, version=2, text="Write as people speak.")

    told = brief_of(item, ASKING, without=()).task
    assert ("དང་པོ།" in told, "གཉིས་པ།" in told, "གསུམ་པ།" in told) == (True, False, False)
    assert told.endswith("Write as people speak.")
    plain = brief_of(item, PromptTemplate(system="", frame="{item}"), without=()).task
    assert "དང་པོ།" not in plain
    assert "people speak" not in plain

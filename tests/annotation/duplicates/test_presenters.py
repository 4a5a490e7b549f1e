"""Cards of pairs: texts are escaped, differences are marked."""

from annotation.duplicates.presenters import make_card
from annotation.duplicates.queries import twins_of
from projects.models import Project
from tests.annotation.duplicates.test_decisions import make_items
from tests.factories import make_duplicate_pair


def test_texts_of_a_card_are_escaped_and_differences_marked(project: Project) -> None:
    a, b = make_items(project, 2)
    for item, text in ((a, "<b>ཆུ།"), (b, "<i>ཆུ།")):
        assert item.working_translation
        revision = item.working_translation.current_revision
        revision.question = text
        revision.save()
    card = make_card(twins_of(make_duplicate_pair(a, b)))
    assert card.left.question == "&lt;<del>b</del>&gt;ཆུ།"
    assert card.right.question == "&lt;<ins>i</ins>&gt;ཆུ།"

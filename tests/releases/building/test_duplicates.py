"""Duplicates and releases: nothing gives a test or a hidden item away."""

import pytest

from annotation.enums import PairState, SplitName
from annotation.models import DuplicatePair, Item
from projects.models import Project, Subject
from releases.building.previews import build_preview
from releases.enums import ReleaseState
from releases.publishing.actions import publish_release
from releases.readiness.checks import DuplicatesAcross
from releases.readiness.waivers import WaiverRequest
from releases.splits import SplitRule
from tests.factories import UserFactory
from tests.releases.builders import NOW, add_pair, build, build_published, make_approved, start

pytestmark = pytest.mark.django_db
PAIRS_WAIVED = (WaiverRequest("open_duplicates", "They stay together."),)


def make_tests(project: Project, number: int) -> list[Item]:
    """The test items a/0, a/1, … of one subject; those that are there are kept."""
    subject, _new = Subject.objects.get_or_create(project=project, slug="a", name="A")
    return [
        Item.objects.filter(project=project, uid=f"a/{n}").first()
        or make_approved(project, uid=f"a/{n}", subject=subject)
        for n in range(number)
    ]


def test_start_build_with_an_open_pair_between_dev_and_test_names_the_pair(
    project: Project,
) -> None:
    dev = make_approved(project, uid="a/dev-0", split=SplitName.DEV)
    test = make_approved(project, uid="a/0")
    add_pair(dev, test)
    with pytest.raises(DuplicatesAcross) as refusal:
        start(project)
    assert refusal.value.current == {"pairs": [["a/dev-0", "a/0"]]}
    assert "a/dev-0 ~ a/0" in str(refusal.value)
    assert "Duplicates page" in str(refusal.value)


@pytest.mark.parametrize("state", [PairState.DISTINCT, PairState.DUPLICATE])
def test_start_build_with_a_decided_pair_between_dev_and_test_is_taken(
    project: Project, state: str
) -> None:
    dev = make_approved(project, uid="a/dev-0", split=SplitName.DEV)
    add_pair(dev, make_approved(project, uid="a/0"), state)
    assert start(project).state == ReleaseState.BUILDING


def test_build_leaves_out_a_dev_item_that_duplicates_a_test_item(project: Project) -> None:
    dev = make_approved(project, uid="a/dev-0", split=SplitName.DEV)
    add_pair(dev, make_approved(project, uid="a/0"), PairState.DUPLICATE)
    release = build(project)
    assert list(release.items.values_list("uid", flat=True)) == ["a/0"]
    preview = build_preview(project, SplitRule(5, 0.0, 0))
    assert (preview.test, preview.dev, preview.left_out) == (1, 0, 1)


@pytest.mark.parametrize("seed", range(4))
def test_build_with_open_pairs_among_tests_hides_both_or_neither(
    project: Project, seed: int
) -> None:
    items = make_tests(project, 8)
    for number in (0, 2, 4, 6):
        add_pair(items[number], items[number + 1])
    release = build(project, black_box_share=0.5, seed=seed, waivers=PAIRS_WAIVED)
    subsets = dict(release.items.values_list("uid", "subset"))
    assert release.counts["black_box"] == 4
    assert all(subsets[f"a/{n}"] == subsets[f"a/{n + 1}"] for n in (0, 2, 4, 6))


def test_build_never_hides_a_duplicate_of_what_is_public(project: Project) -> None:
    (old,) = make_tests(project, 1)
    build_published(project, "1.0.0")
    for item in make_tests(project, 4)[1:]:
        add_pair(old, item)
    release = build(project, "1.1.0", black_box_share=0.5, waivers=PAIRS_WAIVED)
    assert release.counts["black_box"] == 0


def test_publish_release_with_a_pair_found_since_the_build_is_refused(project: Project) -> None:
    items = make_tests(project, 4)
    release = build(project, black_box_share=0.5)
    subsets = dict(release.items.values_list("item", "subset"))
    hidden = next(item for item in items if subsets[item.pk] == "black-box")
    shown = next(item for item in items if subsets[item.pk] == "open")
    pair = add_pair(hidden, shown)
    with pytest.raises(DuplicatesAcross):
        publish_release(release=release, actor=None, now=NOW)
    DuplicatePair.objects.filter(pk=pair.pk).update(
        state=PairState.DISTINCT, cluster=None, decided_by=UserFactory()
    )
    publish_release(release=release, actor=None, now=NOW)

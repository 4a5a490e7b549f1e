"""Publishing and yanking: once, in order, with a reason, and never showing what was hidden."""

import pytest

from accounts.models import AuditEvent
from projects.models import Project
from releases.enums import RELEASE_TRANSITIONS, ReleaseState
from releases.models import Release
from releases.publishing.actions import (
    BlackBoxShown,
    NotPublishable,
    NotYankable,
    YankReasonMissing,
    publish_release,
    yank_release,
)
from releases.readiness.checks import VersionNotGreater
from tests.factories import ReleaseFactory, UserFactory
from tests.releases.builders import NOW, build, build_published, fill

pytestmark = pytest.mark.django_db


def test_publish_release_that_is_built_shows_it_and_says_who(project: Project) -> None:
    fill(project)
    release, manager = build(project), UserFactory()
    publish_release(release=release, actor=manager, now=NOW)
    release.refresh_from_db()
    assert (release.state, release.published_at) == (ReleaseState.PUBLISHED, NOW)
    event = AuditEvent.objects.get(verb="release.published")
    assert (event.actor, event.data, event.scope) == (manager, {"version": "0.1.0"}, "ti")


def test_publish_release_below_one_published_meanwhile_is_refused(project: Project) -> None:
    fill(project)
    older = build(project, "0.1.0")
    build_published(project, "0.2.0")
    with pytest.raises(VersionNotGreater):
        publish_release(release=older, actor=None, now=NOW)


def test_publish_release_that_hides_what_is_public_by_now_is_refused(project: Project) -> None:
    fill(project, subjects=1, tests=10)
    first = build(project, "0.1.0", black_box_share=0.0)
    second = build(project, "0.2.0", black_box_share=0.2)
    publish_release(release=first, actor=None, now=NOW)
    with pytest.raises(BlackBoxShown) as refusal:
        publish_release(release=second, actor=None, now=NOW)
    assert len(refusal.value.current["uids"]) == 2


def test_yank_release_that_is_published_keeps_reason_and_files(project: Project) -> None:
    fill(project)
    release = build_published(project)
    yank_release(release=release, reason="  Wrong keys. ", actor=None, now=NOW)
    release.refresh_from_db()
    assert (release.state, release.yank_reason, release.yanked_at) == (
        ReleaseState.YANKED,
        "Wrong keys.",
        NOW,
    )
    assert release.artifacts.exists()
    assert AuditEvent.objects.get(verb="release.yanked").data["reason"] == "Wrong keys."


def test_yank_release_without_a_reason_is_refused(project: Project) -> None:
    release = ReleaseFactory(project=project)
    with pytest.raises(YankReasonMissing):
        yank_release(release=release, reason=" ", actor=None, now=NOW)


@pytest.mark.parametrize("state", ReleaseState.values)
def test_publish_and_yank_from_each_state_follow_the_table(project: Project, state: str) -> None:
    reason = "x" if state == ReleaseState.YANKED else ""
    release = ReleaseFactory(project=project, version="1.0.0", state=state, yank_reason=reason)
    if ReleaseState.PUBLISHED in RELEASE_TRANSITIONS[state]:
        publish_release(release=release, actor=None, now=NOW)
    else:
        with pytest.raises(NotPublishable):
            publish_release(release=release, actor=None, now=NOW)
    Release.objects.filter(pk=release.pk).update(state=state)
    if ReleaseState.YANKED in RELEASE_TRANSITIONS[state]:
        yank_release(release=release, reason="Wrong.", actor=None, now=NOW)
    else:
        with pytest.raises(NotYankable):
            yank_release(release=release, reason="Wrong.", actor=None, now=NOW)

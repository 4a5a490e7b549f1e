"""Pages of models, pages for other sites, badges, and how long a page is kept."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from leaderboards.queries import board_of
from releases.models import Release, ReleaseItem, ReleaseSubject
from releases.publishing.actions import yank_release
from submissions.actions.moderating import hide_submission
from submissions.models import Submission, SubmissionScore
from submissions.queries import standing_of
from tests.factories import UserFactory
from tests.leaderboards.test_boards import make_release
from tests.shared_rows import made_once
from tests.submissions.builders import NOW, join, make_part, scored, take_submissions

pytestmark = pytest.mark.django_db
BOARD = ("ti", "1.0.0")


made = made_once(make_release)


@pytest.fixture
def release(made: Release, db: None) -> Release:
    return deepcopy(made)


def shown(name: str = "board", *, client: Client | None = None, **query: str) -> str:
    answer = (client or Client()).get(reverse(f"leaderboards:{name}", args=BOARD), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_model_has_a_page_with_one_table_a_version(release: Release) -> None:
    later = make_part(release.project, n=40, version="1.1.0")
    scored(release, join(release.project, team="one"), 38, model="org/strong 7B")
    two = join(release.project, team="two")
    scored(later, two, 20, model="org/strong 7B")
    scored(later, two, 38, model="another")
    address = reverse("leaderboards:model", args=["ti", "org/strong 7B"])
    page = Client().get(address).content.decode()
    assert page.index("1.1.0, withheld") < page.index("1.0.0, withheld")
    assert ("another" in page, "90.0 %" in page, "50.0 %" in page) == (False, True, True)
    told = Client().get("/api/v1/projects/ti/leaderboard-models/org/strong 7B/").json()
    assert [(each["version"], len(each["entries"])) for each in told] == [
        ("1.1.0", 1),
        ("1.0.0", 1),
    ]
    assert told[0]["entries"][0]["worst_rank"] == 2
    assert address in shown()
    assert Client().get(reverse("leaderboards:model", args=["ti", "nobody"])).status_code == 404


def test_only_the_page_for_other_sites_may_stand_in_a_frame(release: Release) -> None:
    scored(release, join(release.project), 38, model="strong")
    framed = Client().get(reverse("leaderboards:embed", args=BOARD))
    assert "frame-ancestors *" in framed["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed
    assert not framed.cookies
    assert "strong" in framed.content.decode()
    page = Client().get(reverse("leaderboards:board", args=BOARD))
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"


def test_a_frame_is_the_same_for_a_member_and_has_no_link_that_others_cannot_follow(
    release: Release, browser_of: Callable[[User], Client]
) -> None:
    sender = join(release.project)
    scored(release, sender, 38, model="strong")
    page = shown("embed")
    assert shown("embed", client=browser_of(sender.user)) == page
    links = [part.split('"')[0] for part in page.split('<a href="')[1:]]
    assert links
    assert [link for link in links if Client().get(link).status_code != 200] == []


def test_a_long_board_comes_in_pages_with_ranks_among_all(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboards.views.PAGE_ROWS", 2)
    for right in (38, 20, 4):
        scored(release, join(release.project, team=f"Team {right}"), right, model=f"right-{right}")
    first, last = shown(), shown(cursor="2")
    assert [name in first for name in ("right-38", "right-20", "right-4<")] == [True, True, False]
    assert [name in last for name in ("right-38", "right-20", "right-4<")] == [False, False, True]
    assert ("3 entries" in first, "?cursor=2" in first, "?cursor=1" in last) == (True, True, True)
    assert '<td class="num" data-label="Ranks">3</td>' in last
    assert "cursor=2" in shown("embed")
    for cursor in ("0", "3", "x", "9" * 30):
        answer = Client().get(reverse("leaderboards:board", args=BOARD), {"cursor": cursor})
        assert answer.status_code == 400
    assert Client().get(reverse("leaderboards:board", args=BOARD), {"sise": "7"}).status_code == 400


def test_a_page_offers_to_sign_in_only_to_those_who_have_not(
    release: Release, browser_of: Callable[[User], Client]
) -> None:
    """What is kept for everybody does not know who reads it, so it offers nothing."""
    sender = join(release.project)
    scored(release, sender, 38, model="strong")
    signed_in, model = browser_of(sender.user), reverse("leaderboards:model", args=["ti", "strong"])

    def offers(page: str) -> tuple[bool, bool]:
        return "Sign in" in page, "Your projects" in page

    assert offers(shown()) == offers(shown(client=signed_in)) == (False, False)
    assert offers(shown(weights="open")) == offers(shown("difference")) == (True, False)
    assert offers(Client().get(model).content.decode()) == (True, False)
    for page in (
        shown(client=signed_in, weights="open"),
        shown("difference", client=signed_in),
        signed_in.get(model).content.decode(),
    ):
        assert offers(page) == (False, True)
    take_submissions(release.project)
    assert offers(shown(client=signed_in)) == (False, True)


def test_what_a_team_said_of_its_model_is_told_apart(release: Release) -> None:
    told = {"size": "1B", "cutoff": "2025-06", "has_open_weights": True}
    scored(release, join(release.project, team="one"), 38, model="all", **told)
    scored(release, join(release.project, team="two"), 20, model="date", cutoff="2026-03")
    page = shown()
    assert "1B · open weights · training data until 2025-06" in page
    assert ">weights not said · training data until 2026-03<" in page


@pytest.mark.parametrize("name", ["embed", "badge"])
def test_a_board_that_is_not_public_is_on_no_other_site(
    release: Release, browser_of: Callable[[User], Client], name: str
) -> None:
    sender = join(release.project)
    scored(release, sender, 38, model="strong")
    take_submissions(release.project)
    address = reverse(f"leaderboards:{name}", args=BOARD)
    assert browser_of(sender.user).get(address, {"model": "strong"}).status_code == 404


def test_a_badge_says_the_ranks_and_the_share(release: Release) -> None:
    scored(release, join(release.project, team="one"), 38, model="<b>&")
    scored(release, join(release.project, team="two"), 20, model="other")
    address = reverse("leaderboards:badge", args=BOARD)
    answer = Client().get(address, {"model": "<b>&"})
    assert answer["Content-Type"] == "image/svg+xml"
    texts = [each.text for each in ET.fromstring(answer.content).iter() if each.text]
    assert texts[-1] == "rank 1 · 90.0 %"
    for query in ({}, {"model": "nobody"}, {"model": "other", "team": "one"}):
        assert Client().get(address, query).status_code == 404


def test_a_public_page_is_kept_until_somebody_changes_something(
    release: Release, django_assert_num_queries: Any
) -> None:
    done = scored(release, join(release.project), 38, model="strong")
    page = shown()
    with django_assert_num_queries(4):
        assert shown() == page
    hide_submission(submission=done, reason="Not a model.", actor=UserFactory(), now=NOW)
    assert "strong" not in shown()


def test_filters_are_not_kept_and_rank_anew(release: Release) -> None:
    scored(release, join(release.project, team="one"), 38, model="large", size="70B")
    scored(release, join(release.project, team="two"), 20, model="tiny", size="7B")
    assert "tiny" in shown()
    assert "tiny" not in shown(size="70")
    told = Client().get("/api/v1/releases/ti/1.0.0/leaderboard/?size=70").json()["entries"]
    assert [(each["model"], each["worst_rank"]) for each in told] == [("large", 1)]


def test_every_way_out_says_that_a_release_is_yanked(release: Release, capsys: Any) -> None:
    done = scored(release, join(release.project), 38, model="strong")
    for name in ("board", "embed", "difference"):
        assert "do not use it" not in shown(name)
    yank_release(release=release, reason="Keys leaked.", actor=done.sent_by, now=NOW)
    for name in ("board", "embed", "difference"):
        page = shown(name)
        assert [words in page for words in ("do not use it", "Keys leaked.")] == [True, True]
    model = reverse("leaderboards:model", args=["ti", "strong"])
    assert "Keys leaked." in Client().get(model).content.decode()
    badge = Client().get(reverse("leaderboards:badge", args=BOARD), {"model": "strong"})
    texts = [each.text for each in ET.fromstring(badge.content).iter() if each.text]
    assert texts[-1] == "yanked · rank 1 · 90.0 %"
    told = Client().get("/api/v1/releases/ti/1.0.0/leaderboard/").json()
    assert (told["is_yanked"], told["yank_reason"]) == (True, "Keys leaked.")
    header, line = shown("file").splitlines()
    assert dict(zip(header.split(","), line.split(","), strict=True))["is_yanked"] == "True"
    call_command("leaderboard", "ti", "1.0.0")
    assert "yanked: Keys leaked." in capsys.readouterr().out


def test_names_of_parts_and_sources_are_those_of_the_reader(release: Release) -> None:
    scored(release, join(release.project), 38, model="strong")
    client = Client(headers={"accept-language": "zh-hans"})
    board, framed = (shown(name, client=client) for name in ("board", "embed"))
    assert "来源" in board
    assert "原文" not in board
    for page in (board, framed):
        assert "withheld</" not in page
    assert '<option value="withheld" selected>' in board


def test_categories_of_a_submission_are_those_that_its_team_was_told(release: Release) -> None:
    placed = list(release.items.order_by("position"))
    art = ReleaseSubject.objects.create(release=release, slug="art", name="Art", category="Arts")
    ReleaseItem.objects.filter(pk__in=[each.pk for each in placed[36:]]).update(subject=art)
    done = scored(release, join(release.project, team="one"), 20, model="strong")
    assert shown_categories(release) == {}, "four items are too few, and so are 36 without them"
    ReleaseItem.objects.filter(subject=art).update(subject=placed[0].subject)
    SubmissionScore.objects.update(categories={"Humanities": [20, 40]})
    Submission.objects.update(told_categories=["Humanities"])
    done.refresh_from_db()
    told = {name: each.share for name, each in standing_of(done).categories.items()}
    assert shown_categories(release) == told == {"Humanities": 0.5}
    entry = Client().get("/api/v1/releases/ti/1.0.0/leaderboard/").json()["entries"][0]
    assert entry["categories"]["Humanities"]["share"] == 0.5
    page = shown()
    assert ("by category" in page, 'data-label="Humanities"' in page) == (True, False)
    assert 'data-label="Humanities"' in shown(columns="categories")
    Submission.objects.update(told_categories=[])
    assert shown_categories(release) == {}


def shown_categories(release: Release) -> dict[str, float]:
    (row,) = board_of(release, "withheld").rows
    return {name: each.share for name, each in row.categories.items()}

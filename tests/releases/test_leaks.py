"""Nothing of a hidden item leaves: planted texts are searched for in all that a server gives out.

The same search finds the texts of an open item in the places where they belong, and in every form
and container, so that finding nothing means something.
"""

import base64
import gzip
import io
import json
import logging
import traceback
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from django.test import Client
from django.urls import reverse
from pyarrow import parquet

from accounts.actions import record_event
from accounts.models import AuditEvent
from annotation.items.keys import correct_key
from annotation.models import Finding, Item, Revision, Translation
from jobs.models import Job
from releases.enums import Subset
from releases.files import content
from releases.files.exporters.base import ReleasedItem, Row
from releases.models import Release, ReleaseItem
from releases.publishing.actions import NotPublishable, publish_release, yank_release
from releases.publishing.audience import show_to_everybody, show_to_members
from tests.factories import UserFactory
from tests.permissions import ADDRESSES, url_of
from tests.releases.builders import NOW, Built, build, built_once, files_of, fill, judge
from tests.releases.markers import found_in
from tests.world import ANONYMOUS, REVIEWER, STRANGER, VIEWER, World, addresses, make_world
from webhooks.enums import CHOSEN
from webhooks.models import Webhook
from webhooks.sending import Outcome, Outgoing
from webhooks.worker import send_webhooks

pytestmark = pytest.mark.django_db

WHERE = (
    "question", "option", "source question", "source option", "explanation", "note of a finding",
    "reason of a key", "metadata",
)  # fmt: skip
RELEASES = ("releases:", "evaluation:", "api:release", "api:run", "api:response", "api:model")
"""Addresses where a member is told of releases; elsewhere members work on the items themselves."""


def marker(uid: str, where: str) -> str:
    return f"ཀླུ་{uid.replace('/', '-')}-{where.replace(' ', '-')}«&»"


def markers(uid: str) -> set[str]:
    return {marker(uid, where) for where in WHERE}


def plant(uid: str) -> None:
    """Put a text of its own in every place of an item that somebody could publish."""
    item = Item.objects.select_related("project").get(uid=uid)
    text = Revision.objects.filter(translation__item=item)
    text.update(question=marker(uid, "question"), options=[marker(uid, "option"), "ཁ", "ག", "ང"])
    Item.objects.filter(pk=item.pk).update(
        question=marker(uid, "source question"),
        options=[marker(uid, "source option"), "2", "3", "4"],
        explanation=marker(uid, "explanation"),
        metadata={"note": marker(uid, "metadata")},
    )
    Finding.objects.create(
        revision=text.get(), code="numbers_differ", severity="warning", field="question",
        created_at=NOW, dismissed_at=NOW, dismissed_by=UserFactory(),
        dismissal_reason=marker(uid, "note of a finding"),
    )  # fmt: skip
    key = "B" if item.key != "B" else "C"
    reason = marker(uid, "reason of a key")
    correct_key(item=item, key=key, reason=reason, actor=None, now=NOW)


class Site:
    """A published release of the small world: `hidden` and `open` are uids with planted texts."""

    def __init__(self, world: World) -> None:
        project = world.project
        fill(project, tests=8)
        judge(Item.objects.get(uid="s0/1"), [UserFactory()], outcome="approved", number=7)
        first = build(project, "1.1.0", black_box_share=0.5)
        self.hidden = first.items.filter(subset=Subset.BLACK_BOX).first().uid
        self.open = first.items.filter(subset=Subset.OPEN, split="test").first().uid
        for uid in (self.hidden, self.open):
            plant(uid)
        self.release: Release = build(project, "1.2.0", black_box_share=0.5)
        publish_release(release=self.release, actor=None, now=NOW)
        self.release.refresh_from_db()
        self.world = replace(world, release=self.release)
        placed = self.release.items.get(uid=self.hidden)
        assert placed.subset == Subset.BLACK_BOX
        # In quotes, tags or an address, since s0/1 is also the beginning of s0/10.
        ids = {f'"{self.hidden}"', f">{self.hidden}<", f"/{self.hidden}/", f"item={self.hidden}"}
        self.secrets = markers(self.hidden) | ids
        self.shown = markers(self.open)


built = built_once(lambda: Site(make_world()))


@pytest.fixture
def site(built: Built[Site], db: None, release_folder: Path) -> Site:
    return built.copied(release_folder)


def leaks(site: Site, data: bytes) -> set[str]:
    return found_in(data, site.secrets)


# The search itself


def packed(text: str) -> Iterator[tuple[str, bytes]]:
    """A text in every form and container in which something could leave."""
    yield "plain", text.encode()
    yield "json", json.dumps({"a": text}).encode()
    yield (
        "twice json",
        json.dumps(json.dumps(text, ensure_ascii=False), ensure_ascii=False).encode(),
    )
    yield "page", text.replace("&", "&amp;").encode()
    yield "base64", base64.b64encode(b"??" + text.encode() + b"!!")
    yield "utf-16", text.encode("utf-16")
    yield "gzip", gzip.compress(text.encode())
    yield "zlib", zlib.compress(text.encode())
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a/b.txt.gz", gzip.compress(text.encode()))
    yield "zip", archive.getvalue()
    table = io.BytesIO()
    parquet.write_table(pa.table({"a": [[text]]}), table, compression="zstd")
    yield "parquet", table.getvalue()


def test_search_notices_a_text_in_every_form_and_container() -> None:
    text = marker("s0/1", "question")
    unseen = [name for name, data in packed(text) if found_in(data, [text]) != {text}]
    assert unseen == []
    assert found_in("ཀླུ་s0-2-question«&»".encode(), [text]) == set()


# Files


def test_no_file_holds_anything_of_a_hidden_item(site: Site) -> None:
    leaking = {name: leaks(site, data) for name, data in files_of(site.release).items()}
    assert {name: found for name, found in leaking.items() if found} == {}


def test_the_same_search_finds_open_items_where_they_belong(site: Site) -> None:
    seen = {name: found_in(data, site.shown) for name, data in files_of(site.release).items()}
    subject = site.open.split("/")[0]
    texts = {marker(site.open, where) for where in ("question", "option")}
    sources = {marker(site.open, where) for where in ("source question", "source option")}
    for folder in ("jsonl/test", "csv/test", "parquet/test"):
        name = f"{folder}/{subject}.{folder.split('/')[0]}"
        assert texts | sources <= seen[name], name
    for name in (f"cmmlu/test/{subject}.csv", f"ti_mmlu/{subject}.jsonl"):
        assert seen[name] == texts, name
    notes = {marker(site.open, where) for where in ("note of a finding", "reason of a key")}
    assert notes <= seen["ledger.jsonl"]
    assert texts | sources | notes <= seen[f"ti-{site.release.version}.zip"]


def test_search_notices_a_build_that_gives_a_hidden_item_away(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    true_items = content.open_items

    def careless(release: Release, *_read: object) -> Iterator[ReleasedItem]:
        line = None
        for each in true_items(release):
            line = each.line
            yield each
        assert line is not None
        row = release.items.select_related("revision").get(uid=site.hidden)
        told = Row(row.uid, "z", "test", row.revision.question, row.revision.options, 0, "")
        yield ReleasedItem(line, told)

    monkeypatch.setattr(content, "open_items", careless)
    careless_release = build(site.world.project, "1.3.0", black_box_share=0.5)
    leaking = {name for name, data in files_of(careless_release).items() if leaks(site, data)}
    assert leaking >= {"jsonl/test/z.jsonl", "parquet/test/z.parquet", "csv/test/z.csv"}


def test_ledger_and_list_tell_neither_key_nor_hash_of_hidden_items(site: Site) -> None:
    public = site.release.items.get(uid=site.hidden).public_id
    hashes = set(
        Revision.objects.filter(translation__item__uid=site.hidden).values_list(
            "content_hash", flat=True
        )
    )
    files = files_of(site.release)
    lines = [
        json.loads(line)
        for name in ("ledger.jsonl", "black_box.jsonl")
        for line in files[name].splitlines()
    ]
    told = [line for line in lines if line.get("id") == public or line.get("subset") == "black-box"]
    assert len(told) == 1 + site.release.items.filter(subset="black-box").count()
    for line in told:
        assert not {"key", "answer", "texts", "source_ids", "level", "year"} & line.keys()
        assert line.get("key_changes", []) == []
    assert [name for name, data in files.items() if found_in(data, hashes)] == []


# Pages, the API and errors


def visits(
    site: Site, client: Client, wanted: Callable[[str], bool]
) -> Iterator[tuple[str, bytes]]:
    """What the client is answered at every address, with all that the answer says of itself."""
    for name, pattern, _route in addresses():
        if name not in ADDRESSES or not wanted(name) or name == "schema":
            continue
        yield name, answer(client, url_of(site.world, name, pattern))


def answer(client: Client, url: str) -> bytes:
    response = client.get(url)
    head = "\n".join(f"{name}: {value}" for name, value in response.items())
    return head.encode() + b"\n\n" + response.getvalue()


@pytest.mark.parametrize("role", [ANONYMOUS, STRANGER])
def test_no_address_tells_outsiders_anything(site: Site, role: str) -> None:
    told = dict(visits(site, site.world.browser(role), lambda _name: True))
    assert len(told) > 50
    assert {name: found for name, data in told.items() if (found := leaks(site, data))} == {}


@pytest.mark.parametrize("role", [VIEWER, REVIEWER])
def test_no_address_of_releases_and_runs_tells_members(site: Site, role: str) -> None:
    told = dict(visits(site, site.world.browser(role), lambda name: name.startswith(RELEASES)))
    assert "releases:changes" in told
    assert {name: found for name, data in told.items() if (found := leaks(site, data))} == {}


def test_page_of_a_release_shows_members_an_open_item(site: Site) -> None:
    """The search of the pages would notice: it finds the item that they do show."""
    ReleaseItem.objects.filter(release=site.release).exclude(uid=site.open).filter(
        subset=Subset.OPEN
    ).update(subset=Subset.BLACK_BOX, split="test")
    page = answer(site.world.browser(VIEWER), f"/projects/ti/releases/{site.release.version}/")
    assert marker(site.open, "question") in found_in(page, site.shown)


def test_every_file_that_members_download_is_searched(site: Site) -> None:
    client = site.world.browser(VIEWER)
    for name in site.release.artifacts.values_list("name", flat=True):
        for address in (
            reverse("releases:artifact", args=["ti", site.release.version, name]),
            reverse("api:release-artifact", args=["ti", site.release.version, name]),
        ):
            response = client.get(address)
            assert response.status_code == 200
            assert leaks(site, response.getvalue()) == set(), name


def test_errors_and_differences_tell_members_nothing(site: Site) -> None:
    client = site.world.browser(VIEWER)
    for tail in (
        "files/nothing", "files/%2e%2e/ledger.jsonl", "changes/?since=9.9.9", "changes/?since=source",
        "changes/?since=1.1.0", "changes/markdown/?since=source", "publish/", "job/",
    ):  # fmt: skip
        url = f"/projects/ti/releases/{site.release.version}/{tail}"
        assert leaks(site, answer(client, url)) == set(), tail
        assert leaks(site, client.post(url).getvalue()) == set(), tail


def test_api_difference_tells_members_nothing(site: Site) -> None:
    client = site.world.browser(VIEWER)
    for old in ("1.1.0", "source", "9.9.9"):
        url = f"/api/v1/releases/ti/{site.release.version}/diff/{old}/"
        assert leaks(site, answer(client, url)) == set(), old


# Public pages


@pytest.fixture
def public(site: Site) -> Site:
    """The site with its release, and a later one, shown to everybody."""
    show_to_everybody(release=site.release, actor=None, now=NOW)
    later = build(site.world.project, "1.3.0", black_box_share=0.5)
    publish_release(release=later, actor=None, now=NOW)
    show_to_everybody(release=later, actor=None, now=NOW)
    return site


def test_no_public_page_tells_anybody(public: Site) -> None:
    told = dict(visits(public, Client(), lambda name: name.startswith("releases:public")))
    assert len(told) == 9
    hidden = public.release.items.get(uid=public.hidden)
    ids = [hidden.public_id, public.hidden]
    here = f"/releases/ti/{public.release.version}/"
    for tail in (
        "items/", "items/?subject=s0", "items/?subject=s1", "report/", "changes/?since=1.1.0",
        "changes/markdown/",
        *(f"items/?id={each}" for each in ids), *(f"items/{each}/" for each in ids),
    ):  # fmt: skip
        told[tail] = answer(Client(), here + tail).replace(f'value="{public.hidden}"'.encode(), b"")
    told["changes"] = answer(Client(), "/releases/ti/1.3.0/changes/")
    told["changelog"] = answer(Client(), "/releases/ti/1.3.0/changes/markdown/")
    told["json"] = answer(Client(), "/api/v1/releases/ti/1.3.0/diff/1.2.0/")
    assert all(told[name] for name in ("changes", "changelog", "json"))
    told["later"] = answer(Client(), "/releases/ti/1.3.0/")
    assert {name: found for name, data in told.items() if (found := leaks(public, data))} == {}
    assert b"404" not in told["later"][:200]


def test_no_public_download_tells_anybody(public: Site) -> None:
    names = list(public.release.artifacts.values_list("name", flat=True))
    assert names
    for name in names:
        for route in ("releases:public-file", "api:release-artifact"):
            response = Client().get(reverse(route, args=["ti", public.release.version, name]))
            assert response.status_code == 200
            assert leaks(public, response.getvalue()) == set(), name


def test_report_of_a_hidden_item_tells_nothing(public: Site) -> None:
    hidden = public.release.items.get(uid=public.hidden)
    for item in (hidden.public_id, hidden.uid):
        sent = {"item": item, "kind": "other", "text": "?"}
        url = f"/releases/ti/{public.release.version}/report/"
        told = Client().post(url, sent).content.replace(f'value="{item}"'.encode(), b"")
        url = f"/api/v1/releases/ti/{public.release.version}/problems/"
        told += Client().post(url, sent, content_type="application/json").content
        assert leaks(public, told) == set()


def test_search_of_public_pages_would_notice(public: Site) -> None:
    """It finds the open item, and what a page says of the hidden one once it is opened."""
    here = f"/releases/ti/{public.release.version}/items/"
    page = answer(Client(), f"{here}{public.open}/")
    assert {marker(public.open, where) for where in ("question", "source question")} <= found_in(
        page, public.shown
    )
    public.release.items.filter(uid=public.hidden).update(subset=Subset.OPEN)
    placed = public.release.items.get(uid=public.hidden)
    assert marker(public.hidden, "question") in leaks(
        public, answer(Client(), f"{here}{placed.public_id}/")
    )
    show_to_members(release=public.release, actor=None, now=NOW)
    assert Client().get(f"{here}{placed.public_id}/").status_code == 404


# What is written while it works


def test_log_jobs_and_audit_tell_nothing(
    site: Site, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    Translation.objects.filter(item__uid=site.open).update(state="pending")
    build(site.world.project, "1.4.0", black_box_share=0.5, prefers_experts=True)
    with pytest.raises(NotPublishable):
        publish_release(release=site.release, actor=None, now=NOW)
    client = site.world.browser(VIEWER)
    for _name, _data in visits(site, client, lambda name: name.startswith(RELEASES)):
        pass
    printed = capfd.readouterr()
    said = caplog.text + printed.out + printed.err
    logging.getLogger("proof").warning("said: %s", marker(site.hidden, "question"))
    assert marker(site.hidden, "question") in found_in(caplog.text.encode(), site.secrets)
    assert leaks(site, said.encode()) == set()
    rows = [
        *AuditEvent.objects.filter(verb__startswith="release.").values_list("data", "target"),
        *Job.objects.values_list("params", "result", "error_code", "error_data"),
    ]
    assert leaks(site, json.dumps(rows, default=str, ensure_ascii=False).encode()) == set()


def test_webhooks_are_told_nothing(
    site: Site, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every event that can be chosen, of a project whose audit events do name hidden items."""
    caplog.set_level(logging.DEBUG)
    project = site.world.project
    Webhook.objects.update(events=dict.fromkeys(CHOSEN, 0))
    build(project, "1.4.0", black_box_share=0.5)
    yank_release(release=site.release, reason=marker(site.hidden, "question"), actor=None, now=NOW)
    hidden = Item.objects.get(uid=site.hidden)
    panel = judge(hidden, [UserFactory()], outcome="approved", number=8)
    said = {"uid": site.hidden, "key": "B", "reason": marker(site.hidden, "reason of a key")}
    for target, verb in (
        (f"panel:{panel.pk}", "panel.key_settled"), (f"panel:{panel.pk}", "panel.adjudicated"),
        (f"panel:{panel.pk}", "panel.reopened"), (f"panel:{panel.pk}", "panel.disputed"),
        (f"panel:{panel.pk}", "panel.agreed"), (f"round:{panel.round_id}", "round.closed"),
    ):  # fmt: skip
        record_event(actor=None, verb=verb, target=target, scope=project.slug, data=said, now=NOW)
    assert leaks(site, json.dumps([*AuditEvent.objects.values_list("data", flat=True)]).encode())
    sent: list[Outgoing] = []

    def send(requests: Sequence[Outgoing]) -> list[Outcome]:
        sent.extend(requests)
        return [Outcome(500, "status")] * len(requests)

    send_webhooks(clock=lambda: NOW, send=send)
    told = {json.loads(each.body)["type"] for each in sent}
    assert {"dispute.opened", "dispute.settled", "dispute.reopened", "round.closed"} <= told
    assert {"release.published", "release.built", "release.yanked"} <= told
    assert {"job.started", "job.ended"} <= told
    printed = capfd.readouterr()
    bodies = b"\n".join(each.body for each in sent)
    assert leaks(site, bodies + str([each.headers for each in sent]).encode()) == set()
    assert leaks(site, (caplog.text + printed.out + printed.err).encode()) == set()
    assert "webhooks.tried" in caplog.text + printed.out + printed.err


def test_build_that_fails_tells_nothing(
    site: Site, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def broken(*_given: object) -> Any:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(content, "hidden_items", broken)
    with pytest.raises(RuntimeError) as raised:
        build(site.world.project, "1.5.0", black_box_share=0.5)
    job = Job.objects.get(params={"version": "1.5.0"})
    printed = capfd.readouterr()
    said = caplog.text + printed.out + printed.err + f"{job.error_code} {job.error_data}"
    said += "".join(traceback.format_exception(raised.value))
    assert "the disk is gone" in said
    assert leaks(site, said.encode()) == set()


def test_manager_alone_sees_what_changed_in_hidden_keys(site: Site) -> None:
    url = f"/api/v1/releases/ti/{site.release.version}/diff/source/"
    told = answer(site.world.browser("manager"), url)
    assert marker(site.hidden, "question") not in found_in(told, site.secrets)
    assert f'"{site.hidden}"'.encode() in told

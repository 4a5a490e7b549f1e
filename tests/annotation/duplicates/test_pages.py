"""The page, the API and the command of duplicates."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.duplicates.presenters import make_card
from annotation.duplicates.queries import PairFilter, pair_page, twins_of
from annotation.enums import ItemState, PairState
from annotation.items.actions import exclude_item
from annotation.models import DuplicatePair, DuplicateSearch
from jobs.enums import JobState
from jobs.models import Job, WorkerBeat
from projects.enums import Role
from tests.annotation.duplicates.test_decisions import make_items
from tests.factories import make_duplicate_pair
from tests.markup import squeezed

PAGE = "/projects/ti/duplicates/"
API = "/api/v1/projects/ti/duplicates/"


@pytest.fixture
def manager(member):
    return member(Role.MANAGER)


@pytest.fixture
def items(project):
    return make_items(project, 8)


def refresh(row):
    row.refresh_from_db()
    return row


class TestClusters:
    def test_pairs_of_joined_items_stand_together_loudest_cluster_first(self, project, items):
        quiet = make_duplicate_pair(items[0], items[1])
        make_duplicate_pair(items[2], items[3], similarity=0.7, kind="near")
        loud = make_duplicate_pair(
            items[3], items[4], similarity=0.8, kind="near", has_same_key=False
        )
        crossing = make_duplicate_pair(
            items[5], items[6], similarity=0.6, kind="near", crosses_splits=True
        )
        page = pair_page(project, PairFilter(), cursor=None)
        assert [[pair[0].pk for pair in c.pairs] for c in page.rows] == [
            [loud.pk, loud.pk - 1],
            [crossing.pk],
            [quiet.pk],
        ]
        assert [(c.items, c.total, c.has_more) for c in page.rows] == [
            (3, 2, False),
            (2, 1, False),
            (2, 1, False),
        ]

    def test_both_sides_of_two_items_are_one_card(self, project, items):
        target = make_duplicate_pair(items[0], items[1], has_same_key=False)
        source = make_duplicate_pair(items[0], items[1], side="source")
        page = pair_page(project, PairFilter(), cursor=None)
        assert [[[row.pk for row in twins] for twins in c.pairs] for c in page.rows] == [
            [[target.pk, source.pk]]
        ]

    def test_open_pair_of_an_excluded_item_is_no_longer_listed(self, project, items):
        make_duplicate_pair(items[0], items[1])
        exclude_item(item=items[0], reason="bad", actor=None, now=timezone.now())
        assert pair_page(project, PairFilter(), cursor=None).rows == []

    def test_pages_follow_each_other_without_gap_or_repeat(self, project):
        many = make_items(project, 50)
        wanted = [
            make_duplicate_pair(many[n], many[n + 1], similarity=1 - n / 100).pk
            for n in range(0, 50, 2)
        ]
        seen, cursor = [], None
        while True:
            page = pair_page(project, PairFilter(), cursor=cursor)
            seen += [c.pairs[0][0].pk for c in page.rows]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert seen == wanted


class TestCard:
    def test_card_strikes_left_marks_right_and_matches_options_at_any_letter(self, project, items):
        a, b = items[:2]
        _set(a, "ཆུ་ནི།", ["གཅིག", "གཉིས"], "A")
        _set(b, "མེ་ནི།", ["གཉིས", "གཅིག་པ"], "B")
        card = make_card(twins_of(make_duplicate_pair(a, b)))
        assert (card.left.question, card.right.question) == ("<del>ཆུ</del>་ནི།", "<ins>མེ</ins>་ནི།")
        assert '<li><b>B</b><span lang="bo">གཉིས</span></li>' in card.left.options
        assert '<li><b>A</b><span lang="bo">གཉིས</span></li>' in card.right.options
        assert card.left.options.startswith('<li class="key"><b>A</b>')
        assert (card.left.key_text, card.right.key_text) == ("གཅིག", "གཅིག་པ")
        assert (card.left.language, card.left.other_language) == ("bo", "zh")


class TestPage:
    def test_page_shows_both_texts_and_keys_and_says_what_differs(self, browser_of, manager, items):
        make_duplicate_pair(items[0], items[1], has_same_key=False, crosses_splits=True)
        body = squeezed(browser_of(manager).get(PAGE).content.decode())
        for text in (
            "different key",
            "dev and test",
            "q/0",
            "q/1",
            'lang="bo"',
            "Drop q/0",
            "<del>0</del>",
            "<ins>1</ins>",
        ):
            assert text in body, text

    def test_page_costs_a_query_for_each_cluster_and_none_for_each_pair(
        self, browser_of, manager, items, project
    ):
        client = browser_of(manager)

        def count_queries():
            with CaptureQueriesContext(connection) as queries:
                client.get(PAGE)
            return len(queries)

        make_duplicate_pair(items[0], items[1])
        client.get(PAGE)
        one_pair = count_queries()
        make_duplicate_pair(items[1], items[2])
        make_duplicate_pair(items[0], items[2])
        assert count_queries() == one_pair
        make_duplicate_pair(items[3], items[4])
        assert count_queries() == one_pair + 1

    def test_page_before_any_search_offers_one_to_managers_alone(self, browser_of, member, project):
        assert "Start the search" in browser_of(member(Role.MANAGER)).get(PAGE).content.decode()
        body = browser_of(member(Role.SENIOR)).get(PAGE).content.decode()
        assert "Start the search" not in body
        assert "A manager can start a search" in body

    @pytest.mark.parametrize(
        "query", ["state=gone", "kind=x", "side=left", "key=1", "splits=no", "cursor=abc"]
    )
    def test_unknown_filter_is_refused_in_words(self, browser_of, manager, project, query):
        assert browser_of(manager).get(f"{PAGE}?{query}").status_code == 400

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("", [1, 2]),
            ("key=different", [2]),
            ("kind=near", [2]),
            ("side=source", [2]),
            ("splits=across", [2]),
            ("state=distinct", [3]),
            ("state=all", [1, 2, 3]),
        ],
    )
    def test_filters_choose_pairs_for_page_and_downloads_alike(
        self, browser_of, manager, items, query, found
    ):
        make_duplicate_pair(items[0], items[1])
        make_duplicate_pair(
            items[2],
            items[3],
            kind="near",
            similarity=0.9,
            side="source",
            has_same_key=False,
            crosses_splits=True,
        )
        make_duplicate_pair(
            items[4],
            items[5],
            state=PairState.DISTINCT,
            decided_by=manager,
            decided_at=timezone.now(),
            reason="=1+1",
        )
        first_of = {1: "q/0", 2: "q/2", 3: "q/4"}
        client = browser_of(manager)
        body = client.get(f"{PAGE}?{query}").content.decode()
        table = client.get(f"{PAGE}download.csv?{query}").getvalue().decode("utf-8-sig")
        lines = client.get(f"{PAGE}download.jsonl?{query}").getvalue().decode().splitlines()
        rows = list(csv.DictReader(io.StringIO(table)))
        wanted = sorted(first_of[n] for n in found)
        assert sorted(row["a"] for row in rows) == wanted
        assert sorted(json.loads(line)["a"] for line in lines) == wanted
        assert [uid for uid in first_of.values() if f"<b>{uid}</b>" in body] == wanted
        assert all(not row["reason"].startswith("=") for row in rows)

    def test_csv_begins_with_a_byte_order_mark_and_defuses_a_line_break(
        self, browser_of, manager, items
    ):
        decided = {"state": PairState.DISTINCT, "decided_by": manager, "decided_at": timezone.now()}
        make_duplicate_pair(items[0], items[1], reason="\n=1+1", **decided)

        content = browser_of(manager).get(f"{PAGE}download.csv?state=all").getvalue()

        assert content.startswith(b"\xef\xbb\xbfa,b,kind,similarity,same_key,side,")
        (row,) = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        assert row["reason"] == "'\n=1+1"

    def test_decision_without_scripts_goes_back_to_the_list(self, browser_of, manager, items):
        pair = make_duplicate_pair(items[0], items[1])
        answer = browser_of(manager).post(
            f"{PAGE}{pair.pk}/decision/", {"decision": "right", "next": f"{PAGE}?kind=exact"}
        )
        assert (answer.status_code, answer["Location"]) == (302, f"{PAGE}?kind=exact")
        assert refresh(pair).dropped == items[1]
        assert refresh(items[1]).state_reason == "Duplicate of q/0."

        other = make_duplicate_pair(items[2], items[3])
        browser_of(manager).post(f"{PAGE}{other.pk}/decision/", {"decision": "distinct"})
        assert refresh(other).reason == "Compared: different items."

    def test_decision_by_htmx_answers_with_the_feet_that_it_changes(
        self, browser_of, manager, items
    ):
        pair, touched, other = (
            make_duplicate_pair(items[0], items[1]),
            make_duplicate_pair(items[1], items[2]),
            make_duplicate_pair(items[3], items[4]),
        )
        answer = browser_of(manager).post(
            f"{PAGE}{pair.pk}/decision/",
            {"decision": "right", "reason": "my words"},
            HTTP_HX_REQUEST="true",
        )
        body = answer.content.decode()
        assert answer.status_code == 200
        assert f'id="pair-{pair.pk}-foot"' in body and "my words" in body
        assert f'id="pair-{touched.pk}-foot"' in body and 'hx-swap-oob="true"' in body
        assert f'id="pair-{other.pk}-foot"' not in body
        assert "<html" not in body

    def test_late_decision_by_htmx_shows_the_refusal_and_the_standing_one(
        self, browser_of, manager, items
    ):
        pair, client = make_duplicate_pair(items[0], items[1]), browser_of(manager)
        client.post(f"{PAGE}{pair.pk}/decision/", {"decision": "left"})
        body = client.post(
            f"{PAGE}{pair.pk}/decision/", {"decision": "right"}, HTTP_HX_REQUEST="true"
        ).content.decode()
        assert "already decided" in body and "<b>q/0</b> is dropped" in body
        assert client.post(f"{PAGE}{pair.pk}/decision/", {"decision": "right"}).status_code == 409

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            ({}, "Choose whether the items"),
            ({"decision": "both"}, "Choose whether the items"),
            ({"decision": "left", "reason": "r" * 2001}, "at most 2000 characters"),
            ({"decision": "left", "reason": "a\0"}, "null character"),
        ],
    )
    def test_decision_form_with_bad_values_is_refused_in_words(
        self, browser_of, manager, items, data, words
    ):
        pair = make_duplicate_pair(items[0], items[1])
        response = browser_of(manager).post(f"{PAGE}{pair.pk}/decision/", data)
        assert (response.status_code, words in response.content.decode()) == (400, True)
        assert refresh(pair).state == PairState.OPEN

    def test_reopening_by_page_brings_the_item_back(self, browser_of, manager, items):
        pair, client = make_duplicate_pair(items[0], items[1]), browser_of(manager)
        client.post(f"{PAGE}{pair.pk}/decision/", {"decision": "left"})
        client.post(f"{PAGE}{pair.pk}/reopening/", {})
        assert (refresh(pair).state, refresh(items[0]).state) == (PairState.OPEN, ItemState.ACTIVE)

    def test_search_from_the_page_says_when_no_worker_is_there(self, browser_of, manager, items):
        client = browser_of(manager)
        client.post("/projects/ti/duplicate-searches/", {"methods": ["exact"]})
        search = DuplicateSearch.objects.get()
        waiting = client.get(PAGE).content.decode()
        assert "No worker is running" in waiting
        assert "Start the search" not in waiting
        WorkerBeat.objects.create(name="w", seen_at=timezone.now())
        part = client.get(f"/projects/ti/duplicate-searches/{search.pk}/").content.decode()
        assert "No worker is running" not in part and "every 2s" in part and "<html" not in part
        client.post(f"/projects/ti/duplicate-searches/{search.pk}/cancel/")
        assert Job.objects.get().state == JobState.CANCELLED
        client.post(f"/projects/ti/duplicate-searches/{search.pk}/resume/")
        assert Job.objects.get().state == JobState.QUEUED

    def test_search_whose_worker_died_is_said_to_go_on(self, browser_of, manager, items):
        client = browser_of(manager)
        client.post("/projects/ti/duplicate-searches/", {"methods": ["exact"]})
        waiting = client.get(PAGE).content.decode()
        Job.objects.update(state=JobState.RUNNING)
        broken_off = client.get(PAGE).content.decode()
        assert "The job starts as soon as a worker is running" in " ".join(waiting.split())
        assert "The job goes on as soon as a worker is running" in " ".join(broken_off.split())

    def test_search_without_methods_is_refused(self, browser_of, manager, items):
        assert browser_of(manager).post("/projects/ti/duplicate-searches/", {}).status_code == 400


class TestApi:
    def test_list_has_pairs_by_uid_and_keyset_pages(self, api_of, manager, items):
        pair = make_duplicate_pair(
            items[0], items[1], similarity=0.75, kind="near", has_same_key=False
        )
        make_duplicate_pair(items[2], items[3])
        client = api_of(manager)
        first = client.get(API, {"page_size": 1}).json()
        assert first["results"] == [
            {
                "id": pair.pk,
                "a": "q/0",
                "a_id": pair.a_id,
                "b": "q/1",
                "b_id": pair.b_id,
                "kind": "near",
                "side": "target",
                "similarity": 0.75,
                "same_key": False,
                "crosses_splits": False,
                "state": "open",
                "dropped": None,
                "reason": "",
                "decided_by": None,
                "decided_at": None,
            }
        ]
        second = client.get(first["next"]).json()
        assert [row["a"] for row in second["results"]] == ["q/2"]
        assert client.get(API, {"key": "different"}).json()["results"] == first["results"]
        refused = client.get(API, {"kind": "loud"})
        assert (refused.status_code, refused.json()["code"], list(refused.json()["fields"])) == (
            400,
            "invalid",
            ["kind"],
        )

    def test_list_has_one_query_count(self, api_of, manager, items):
        client = api_of(manager)
        make_duplicate_pair(items[0], items[1])
        client.get(API)
        with CaptureQueriesContext(connection) as one:
            client.get(API)
        make_duplicate_pair(items[2], items[3])
        make_duplicate_pair(items[4], items[5])
        with CaptureQueriesContext(connection) as three:
            client.get(API)
        assert len(one) == len(three)

    def test_search_is_accepted_once(self, api_of, manager, items):
        client = api_of(manager)
        started = client.post("/api/v1/projects/ti/duplicate-searches/", {"methods": ["exact"]})
        assert (started.status_code, started.json()) == (
            202,
            {"job": Job.objects.get().pk, "search": DuplicateSearch.objects.get().pk},
        )
        again = client.post("/api/v1/projects/ti/duplicate-searches/", {})
        assert (again.status_code, again.json()["code"]) == (409, "search_running")
        assert again.json()["current"] == {"job": started.json()["job"]}

    @pytest.mark.parametrize(
        ("body", "status", "code"),
        [
            ({"state": "duplicate", "dropped": "q/1", "reason": "r"}, 200, None),
            ({"state": "distinct", "reason": "r"}, 200, None),
            ({"state": "duplicate", "dropped": "q/2", "reason": "r"}, 400, "dropped_not_of_pair"),
            ({"state": "distinct", "dropped": "q/0", "reason": "r"}, 400, "nothing_dropped"),
            ({"state": "distinct", "reason": "r", "keep": "q/0"}, 400, "invalid"),
        ],
    )
    def test_decision_is_taken_or_refused_in_words(
        self, api_of, manager, items, body, status, code
    ):
        pair = make_duplicate_pair(items[0], items[1])
        answer = api_of(manager).post(
            f"/api/v1/duplicates/{pair.pk}/decision/", body, format="json"
        )
        assert answer.status_code == status, answer.json()
        assert answer.json().get("code") == code
        assert (refresh(pair).state == PairState.OPEN) == (status != 200)

    def test_second_decision_conflicts_and_reopening_undoes(self, api_of, manager, items):
        pair, client = make_duplicate_pair(items[0], items[1]), api_of(manager)
        body = {"state": "duplicate", "dropped": "q/0", "reason": "r"}
        decided = client.post(f"/api/v1/duplicates/{pair.pk}/decision/", body).json()
        assert (decided["state"], decided["dropped"], decided["decided_by"]) == (
            "duplicate",
            "q/0",
            manager.email,
        )
        again = client.post(f"/api/v1/duplicates/{pair.pk}/decision/", body)
        assert (again.status_code, again.json()["code"]) == (409, "pair_already_decided")
        opened = client.post(f"/api/v1/duplicates/{pair.pk}/reopening/", {"reason": "r"}).json()
        assert (opened["state"], opened["dropped"]) == ("open", None)


class TestCommand:
    def test_command_prints_one_object_with_the_pairs(self, project, items, capsys):
        texts = [items[0], items[1]]
        for item in texts:
            _set(item, "ཆུ་དང་མེ་ནི་ཅི་འདྲ་ཞིག་ཡིན།", ["གཅིག", "གཉིས"], "A")
        call_command("find_duplicates", "ti", "--methods", "exact", "--json")
        printed = json.loads(capsys.readouterr().out)
        lines = printed.pop("pairs")
        assert printed == {
            "search": DuplicateSearch.objects.get().pk,
            "items": 8,
            "found": 1,
            "exact": 1,
            "near": 0,
            "semantic": 0,
            "different_key": 0,
        }
        assert [
            {k: line[k] for k in ("a", "b", "kind", "similarity", "same_key", "side")}
            for line in lines
        ] == [
            {
                "a": "q/0",
                "b": "q/1",
                "kind": "exact",
                "similarity": 1.0,
                "same_key": True,
                "side": "target",
            }
        ]

    def test_command_writes_lines_to_a_file(self, project, items, capsys, tmp_path):
        for item in items[:2]:
            _set(item, "ཆུ་དང་མེ་ནི་ཅི་འདྲ་ཞིག་ཡིན།", ["གཅིག", "གཉིས"], "A")
        call_command(
            "find_duplicates",
            "ti",
            "--methods",
            "exact",
            "--json",
            "--output",
            str(tmp_path / "pairs.jsonl"),
        )
        assert json.loads(capsys.readouterr().out)["pairs"] == []
        assert [
            json.loads(line)["b"] for line in (tmp_path / "pairs.jsonl").read_text().splitlines()
        ] == ["q/1"]

    def test_command_refuses_in_words(self, project):
        with pytest.raises(CommandError, match="at least two active items"):
            call_command("find_duplicates", "ti")
        with pytest.raises(CommandError, match="no project"):
            call_command("find_duplicates", "nowhere")
        with pytest.raises(CommandError, match="magic"):
            call_command("find_duplicates", "ti", "--methods", "exact,magic")
        assert DuplicatePair.objects.count() == 0


def _set(item, question, options, key):
    revision = item.working_translation.current_revision
    revision.question, revision.options = question, options
    revision.save(update_fields=["question", "options"])
    item.key = key
    item.save(update_fields=["key"])

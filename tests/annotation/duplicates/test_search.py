"""A duplicate search: what it stores, again and again, and after being stopped or killed."""

import os
import random
import signal

import pytest
from django.utils import timezone

from accounts.models import AuditEvent
from annotation.duplicates import search as duplicate_search
from annotation.duplicates import search_steps
from annotation.duplicates.actions import (
    MethodsUnknown,
    NothingToSearch,
    SearchRunning,
    cancel_search,
    resume_search,
    start_search,
)
from annotation.duplicates.dedupe import mining
from annotation.duplicates.search import perform_search, planned_units
from annotation.duplicates.search_steps import SideWork, Steps, Unit, read_texts
from annotation.enums import PairState
from annotation.items.actions import exclude_item
from annotation.models import DuplicatePair, DuplicateSearch, Revision, SearchedBlock
from jobs.actions import cancel_job
from jobs.enums import JobState
from jobs.progress import Progress
from jobs.worker import run_now
from projects.enums import Role
from tests.factories import SourceFactory, SubjectFactory, make_translated_item
from tests.processes import start_python

pytestmark = pytest.mark.both_databases

SYLLABLES = "བོད ཡིག སློབ གྲྭ དགེ རྒན ཆུ མེ རླུང ས ནམ མཁའ གངས རི མཚོ ནགས ཚལ མི བུ མོ".split()
CHILD = """
import os, signal, sys
import django
django.setup()
from django.db import connection
from annotation.duplicates.search import perform_search
from annotation.duplicates.dedupe import mining
from jobs.worker import run_job
mining.BLOCK = 16
left = int(sys.argv[2])
def count(execute, sql, params, many, context):
    global left
    result = execute(sql, params, many, context)
    if sql.startswith(("INSERT INTO \\"annotation_searchedblock", "INSERT INTO \\"annotation_duplicatepair")):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return result
with connection.execute_wrapper(count):
    run_job(int(sys.argv[1]), perform_search)
"""


def tibetan(number, words=24):
    """A question of its own for each number, in no order that another one shares."""
    rng = random.Random(number)
    return "་".join(rng.choice(SYLLABLES) for _ in range(words)) + "།"


def fill(project, count, *, copies=()):
    """`count` items, each unlike the others, and for (of, fields) in `copies` one more."""
    source, subject = SourceFactory(project=project), SubjectFactory(project=project)
    common = {"project": project, "source": source, "subject": subject}
    items = []
    for n in range(count):
        options = [tibetan(f"{n}-{k}", 4) for k in range(4)]
        fields = {
            "uid": f"q/{n}",
            "source_text": f"第{n}题：{_han(n)}",
            "text": tibetan(n),
            "key": "A",
        }
        items.append(_item(fields, options, common))
    for n, (of, changes) in enumerate(copies):
        original = items[of]
        revision = original.working_translation.current_revision
        fields = {
            "uid": f"copy/{n}",
            "source_text": _han(f"copy {n}"),
            "text": revision.question,
            "key": "A",
        }
        items.append(_item(fields | changes, changes.get("options", revision.options), common))
    return items


def _item(fields, options, common):
    item = make_translated_item(
        uid=fields["uid"],
        question=fields["text"],
        options=options,
        key=fields["key"],
        split=fields.get("split", "test"),
        **common,
    )
    item.question, item.options = fields["source_text"], [f"{fields['uid']} {k}" for k in "abcd"]
    item.save(update_fields=["question", "options"])
    return item


def _han(seed):
    rng = random.Random(f"han {seed}")
    return "".join(chr(rng.randrange(0x4E00, 0x9000)) for _ in range(30))


def search(project, *methods):
    started = start_search(
        project=project, methods=methods or ["exact", "near"], actor=None, now=timezone.now()
    )
    run_now(started.job, perform_search)
    started.refresh_from_db()
    return started


def stored(project):
    fields = (
        "a__uid",
        "b__uid",
        "side",
        "kind",
        "similarity",
        "has_same_key",
        "crosses_splits",
        "state",
    )
    return sorted(DuplicatePair.objects.filter(project=project).values_list(*fields))


class TestStart:
    @pytest.mark.parametrize("methods", [[], ["exakt"], ["exact", "magic"]])
    def test_start_with_unknown_methods_is_refused(self, project, methods):
        fill(project, 2)
        with pytest.raises(MethodsUnknown):
            start_search(project=project, methods=methods, actor=None, now=timezone.now())

    def test_start_without_two_items_is_refused(self, project):
        fill(project, 1)
        with pytest.raises(NothingToSearch):
            start_search(project=project, methods=["exact"], actor=None, now=timezone.now())

    def test_start_while_one_runs_is_refused_and_names_its_job(self, project):
        fill(project, 2)
        first = start_search(project=project, methods=["exact"], actor=None, now=timezone.now())
        with pytest.raises(SearchRunning) as refusal:
            start_search(project=project, methods=["exact"], actor=None, now=timezone.now())
        assert refusal.value.current == {"job": first.job_id}
        assert DuplicateSearch.objects.count() == 1

    def test_start_records_methods_in_strength_order_and_who_asked(self, project, member):
        fill(project, 2)
        manager = member(Role.MANAGER)
        found = start_search(
            project=project, methods=["near", "exact"], actor=manager, now=timezone.now()
        )
        event = AuditEvent.objects.get(verb="duplicates.started")
        assert found.methods == ["exact", "near"]
        assert (found.model, found.job.requested_by) == ("hashed-ngrams", manager.email)
        assert (event.actor, event.scope) == (manager, project.slug)


class TestPairs:
    def test_search_stores_each_pair_with_its_strongest_kind_key_and_splits(self, project):
        texts = [tibetan(n) for n in range(3)]
        fill(
            project,
            3,
            copies=[
                (0, {"split": "dev"}),
                (1, {"text": texts[1].replace("་", "་བ་", 1), "key": "B"}),
            ],
        )
        started = search(project)
        found = [row[:4] + row[5:] for row in stored(project)]
        assert found == [
            ("q/0", "copy/0", "target", "exact", True, True, "open"),
            ("q/1", "copy/1", "target", "near", False, False, "open"),
        ]
        assert started.job.result == {
            "items": 5,
            "found": 2,
            "exact": 1,
            "near": 1,
            "semantic": 0,
            "different_key": 1,
        }

    def test_same_key_goes_by_the_options_text_not_its_letter(self, project):
        items = fill(project, 1)
        options = items[0].working_translation.current_revision.options
        fill_again = {"options": options[::-1], "key": "D"}
        _copy(items[0], fill_again)
        search(project, "exact")
        assert DuplicatePair.objects.get().has_same_key

    def test_key_of_unsplit_texts_goes_by_the_source_options(self, project):
        items = fill(project, 1)
        Revision.objects.update(options=[])
        _copy(items[0], {"options": [], "key": "A"})
        search(project, "exact")
        pair = DuplicatePair.objects.get()
        assert pair.side == "target"
        assert not pair.has_same_key  # A stands for another source option

    def test_excluded_item_is_not_searched(self, project, member):
        items = fill(project, 2, copies=[(0, {})])
        exclude_item(item=items[2], reason="bad", actor=member(Role.MANAGER), now=timezone.now())
        search(project)
        assert stored(project) == []

    @pytest.mark.slow
    def test_semantic_search_goes_through_the_model_and_finds_neighbours(self, project):
        fill(project, 2, copies=[(0, {"text": tibetan(0).replace("་", "་བ་", 1)})])
        search(project, "semantic")
        assert [row[:4] for row in stored(project)] == [("q/0", "copy/0", "target", "semantic")]

    @pytest.mark.slow
    def test_unknown_model_fails_in_words(self, project, settings):
        settings.EMBEDDING_MODEL = "/nowhere/model"
        fill(project, 2)
        started = search(project, "semantic")
        started.job.refresh_from_db()
        assert (started.job.state, started.job.error_code) == (
            JobState.FAILED,
            "embedding_model_missing",
        )


class TestAgain:
    def test_same_search_again_changes_no_row(self, project):
        fill(project, 3, copies=[(0, {}), (1, {})])
        search(project)
        first = stored(project)
        ids = sorted(DuplicatePair.objects.values_list("pk", flat=True))
        search(project)
        assert stored(project) == first
        assert sorted(DuplicatePair.objects.values_list("pk", flat=True)) == ids

    def test_weaker_method_later_leaves_the_stronger_kind(self, project):
        fill(project, 2, copies=[(0, {})])
        search(project, "exact")
        search(project, "near")
        assert [row[3] for row in stored(project)] == ["exact"]

    def test_decided_pair_keeps_its_decision_when_found_again(self, project, member):
        fill(project, 2, copies=[(0, {})])
        search(project)
        DuplicatePair.objects.update(
            state=PairState.DISTINCT,
            cluster=None,
            decided_by=member(),
            decided_at=timezone.now(),
            reason="r",
        )
        before = DuplicatePair.objects.values().get()
        search(project)
        assert DuplicatePair.objects.values().get() == before

    def test_open_pair_whose_text_has_changed_goes_away(self, project):
        items = fill(project, 2, copies=[(0, {})])
        search(project)
        assert len(stored(project)) == 1
        Revision.objects.filter(translation__item=items[2]).update(
            question=tibetan("other"), options=[]
        )
        search(project)
        assert stored(project) == []

    def test_text_made_less_alike_weakens_the_kind(self, project):
        items = fill(project, 2, copies=[(0, {})])
        search(project)
        Revision.objects.filter(translation__item=items[2]).update(
            question=tibetan(0).replace("་", "་བ་", 1)
        )
        search(project)
        assert [row[3] for row in stored(project)] == ["near"]

    def test_pair_of_another_method_stays_when_this_one_is_searched(self, project):
        items = fill(project, 2, copies=[(0, {})])
        search(project, "exact")
        Revision.objects.filter(translation__item=items[2]).update(question=tibetan("other"))
        search(project, "near")
        assert [row[3] for row in stored(project)] == ["exact"]


class StopAfter(Progress):
    """Cancels its own job once `blocks` are stored, as a person would."""

    def __init__(self, job, blocks):
        super().__init__(job.pk)
        self.job, self.blocks = job, blocks

    def advance_to(self, done):
        if SearchedBlock.objects.filter(search__job=self.job).count() == self.blocks:
            cancel_job(job=self.job, actor=None, now=timezone.now())
        self._checked_at = 0.0
        super().advance_to(done)


class TestStop:
    def test_cancelled_search_keeps_its_blocks_and_resumes_with_the_rest(
        self, project, member, monkeypatch
    ):
        monkeypatch.setattr(mining, "BLOCK", 16)
        manager = member(Role.MANAGER)
        fill(project, 40, copies=[(0, {}), (20, {}), (39, {})])
        undisturbed = search(project)
        wanted = stored(project)
        DuplicatePair.objects.all().delete()

        started = start_search(
            project=project, methods=["exact", "near"], actor=manager, now=timezone.now()
        )
        run_now(started.job, lambda job, _progress: perform_search(job, StopAfter(job, 3)))
        started.job.refresh_from_db()
        assert (started.job.state, started.blocks.count()) == (JobState.CANCELLED, 3)

        resume_search(search=started, actor=manager, now=timezone.now())
        run_now(started.job, perform_search)
        assert stored(project) == wanted
        assert set(started.blocks.values_list("name", "found")) == set(
            undisturbed.blocks.values_list("name", "found")
        )

    def test_waiting_search_is_cancelled_at_once(self, project, member):
        fill(project, 2)
        started = start_search(project=project, methods=["exact"], actor=None, now=timezone.now())
        cancel_search(search=started, actor=member(Role.MANAGER), now=timezone.now())
        started.job.refresh_from_db()
        assert started.job.state == JobState.CANCELLED
        assert AuditEvent.objects.filter(verb="duplicates.cancelled").count() == 1

    def test_resume_is_refused_while_another_search_waits(self, project, member):
        manager = member(Role.MANAGER)
        fill(project, 2)
        first = start_search(project=project, methods=["exact"], actor=None, now=timezone.now())
        cancel_search(search=first, actor=manager, now=timezone.now())
        start_search(project=project, methods=["exact"], actor=None, now=timezone.now())
        with pytest.raises(SearchRunning):
            resume_search(search=first, actor=manager, now=timezone.now())
        first.job.refresh_from_db()
        assert first.job.state == JobState.CANCELLED

    def test_item_excluded_between_two_halves_moves_no_other_into_another_block(
        self, project, member, monkeypatch
    ):
        monkeypatch.setattr(mining, "BLOCK", 16)
        items = fill(project, 40, copies=[(17, {})])
        started = start_search(project=project, methods=["near"], actor=None, now=timezone.now())
        done = len([u for u in planned_units(["near"], 41) if u.side == "source"]) + 2
        run_now(started.job, lambda job, _progress: perform_search(job, StopAfter(job, done)))
        exclude_item(item=items[3], reason="bad", actor=None, now=timezone.now())
        resume_search(search=started, actor=member(Role.MANAGER), now=timezone.now())
        run_now(started.job, perform_search)
        assert [row[:2] for row in stored(project)] == [("q/17", "copy/0")]

    def test_two_workers_at_one_block_store_it_once(self, project):
        fill(project, 2, copies=[(0, {})])
        started = search(project, "exact")
        before = stored(project)
        steps = Steps(Progress(started.job_id), 0)
        work = SideWork(started, "target", read_texts(started, "target", 10**9), steps, None)
        duplicate_search.write_block(work, Unit("target", "exact"))
        assert stored(project) == before
        assert SearchedBlock.objects.filter(search=started, name="target:exact").count() == 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("writes", [1, 2, 4, 7])
def test_search_killed_in_its_nth_write_ends_with_the_same_rows(project, monkeypatch, writes):
    monkeypatch.setattr(mining, "BLOCK", 16)
    fill(project, 40, copies=[(0, {"split": "dev"}), (20, {"key": "B"}), (39, {}), (39, {})])
    undisturbed = search(project)
    wanted, blocks = stored(project), set(undisturbed.blocks.values_list("name", "found"))
    assert len(wanted) >= 5
    DuplicatePair.objects.all().delete()

    started = start_search(
        project=project, methods=["exact", "near"], actor=None, now=timezone.now()
    )
    child = start_python(CHILD, started.job_id, writes, LOG_LEVEL="ERROR")
    child.communicate(timeout=170)
    assert child.returncode == -signal.SIGKILL
    started.job.refresh_from_db()
    assert started.job.state == JobState.RUNNING  # nobody told the row that its worker is gone
    assert started.blocks.count() < len(blocks)

    job = run_now(started.job, perform_search)
    assert job.state == JobState.DONE
    assert stored(project) == wanted
    assert set(started.blocks.values_list("name", "found")) == blocks


def _copy(item, changes):
    revision = item.working_translation.current_revision
    fields = {"uid": "copy/x", "source_text": _han("copy x"), "text": revision.question}
    common = {"project": item.project, "source": item.source, "subject": item.subject}
    return _item(fields | changes, changes["options"], common)


class CancelWhen(Progress):
    """Cancels its own job at the first look at which `is_time`, and writes down what is shown."""

    def __init__(self, job, is_time):
        super().__init__(job.pk)
        self.job, self.is_time = job, is_time
        self.shown = []

    def check(self):
        self.job.refresh_from_db()
        self.shown.append((self.job.note, self.job.seconds_left(timezone.now())))
        if self.job.cancel_requested_at is None and self.is_time():
            cancel_job(job=self.job, actor=None, now=timezone.now())
        self._checked_at = 0.0
        super().check()


class TestHeard:
    @pytest.mark.parametrize("rows", [1, 5])
    def test_cancel_amid_a_block_is_heard_before_its_end(self, project, rows):
        fill(project, 12, copies=[(n, {}) for n in range(12)])
        started = start_search(project=project, methods=["near"], actor=None, now=timezone.now())
        looks = []

        def is_time():
            if started.blocks.filter(name="target:same-question").exists():
                looks.append(started.job.note)
            return looks.count("") > rows

        run_now(started.job, lambda job, _p: perform_search(job, CancelWhen(job, is_time)))
        started.job.refresh_from_db()
        assert started.job.state == JobState.CANCELLED
        assert started.blocks.filter(name__startswith="source:near").exists()
        assert not started.blocks.filter(name__startswith="target:near").exists()

    def test_count_moves_with_every_step_of_reading_and_encoding(self, project, monkeypatch):
        monkeypatch.setattr(search_steps, "STEP", 4)
        fill(project, 10, copies=[(0, {})])
        started = start_search(project=project, methods=["near"], actor=None, now=timezone.now())
        counts = []

        class Seen(Progress):
            def advance_to(self, done):
                counts.append(done)
                super().advance_to(done)

        run_now(started.job, lambda job, _p: perform_search(job, Seen(job.pk)))
        started.job.refresh_from_db()
        # For each side 3 steps of reading, 3 of encoding and 2 units; then the end.
        assert counts == list(range(1, 17))
        assert (started.job.total, started.job.done) == (17, 17)

    def test_search_taken_up_again_counts_only_what_it_must_prepare(self, project, member):
        fill(project, 4, copies=[(0, {})])
        started = start_search(project=project, methods=["near"], actor=None, now=timezone.now())
        run_now(started.job, lambda job, _p: perform_search(job, StopAfter(job, 3)))
        started.job.refresh_from_db()
        assert started.job.total == 9  # 4 units, 4 steps of preparing, and the end

        resume_search(search=started, actor=member(Role.MANAGER), now=timezone.now())
        totals = []

        class Seen(Progress):
            def start(self, total, *, done=0, note=""):
                totals.append((total, done))
                super().start(total, done=done, note=note)

        run_now(started.job, lambda job, _p: perform_search(job, Seen(job.pk)))
        assert totals == [(7, 3)]

    def test_loading_a_model_is_named_tells_no_time_left_and_can_be_stopped(
        self, project, settings, tmp_path
    ):
        os.mkfifo(tmp_path / "modules.json")  # a model that does not come
        settings.EMBEDDING_MODEL = str(tmp_path)
        fill(project, 2)
        started = start_search(
            project=project, methods=["exact", "semantic"], actor=None, now=timezone.now()
        )
        progress = CancelWhen(started.job, lambda: len(progress.shown) >= 2)
        run_now(started.job, lambda job, _p: perform_search(job, progress))
        started.job.refresh_from_db()
        assert started.job.state == JobState.CANCELLED
        assert progress.shown == [("Loading the model", None)] * 2
        os.close(os.open(tmp_path / "modules.json", os.O_RDWR | os.O_NONBLOCK))

"""What a submission's team is told of it, for pages, e-mails and the API."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from jobs.enums import JobState
from releases.models import Release
from submissions.actions.tracing import LeakTrace
from submissions.enums import SubmissionState
from submissions.faults import words_of
from submissions.models import FollowedKeys, KeyCopy, Submission, SubmittedEndpoint
from submissions.queries import Standing, Told, copied_keys, standing_of, standings
from submissions.quotas import PARTS_OF_ONE
from submissions.selectors import TeamBanned

DECLARED = ("size", "prompt", "cutoff", "has_open_weights")
"""What teams say about their models, besides the name."""


def with_words(submissions: Sequence[Submission]) -> list[tuple[Submission, str]]:
    """Return each submission with one sentence on how it stands."""
    found = standings(submissions)
    return [(each, result_words(each, found[each.pk])) for each in submissions]


def all_as_json(submissions: Sequence[Submission]) -> list[dict[str, Any]]:
    """Return what `as_json` tells of each."""
    found = standings(submissions)
    return [as_json(each, found[each.pk]) for each in submissions]


def fault_rows(faults: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return each kind of fault in words with its ids; kinds without any are left out."""
    words = {
        "unknown": _("Ids that are not in this part"),
        "missing": _("Missing ids"),
        "doubled": _("Ids sent twice"),
        "no_option": _("Answers that are no option"),
        "uneven": _("Another number of answers than the others"),
    }
    return [(words[name], ", ".join(ids)) for name, ids in faults.items() if ids]


def category_rows(standing: Standing) -> list[tuple[str, str, str, int]]:
    """Return name, share, interval and items of each category that is told."""
    return [
        (name, per_cent(told.share), f"{per_cent(told.low)} – {per_cent(told.high)}", told.n)
        for name, told in standing.categories.items()
    ]


def result_words(submission: Submission, standing: Standing | None = None) -> str:
    """Return one sentence on how it stands."""
    standing = standing or standing_of(submission)
    if submission.state == SubmissionState.SCORED:
        return _scored_words(standing)
    if submission.state == SubmissionState.FAILED:
        return _("Scoring failed on our side. It does not count against your quota: send it again.")
    if submission.state == SubmissionState.FAULTY:
        return _faulty_words(submission)
    if submission.state == SubmissionState.CANCELLED:
        return _cancelled_words(submission)
    if submission.job and submission.job.state == JobState.RUNNING and endpoint_of(submission):
        told = {"done": submission.job.done, "total": submission.job.total}
        return _("Your endpoint is being asked: %(done)s of %(total)s questions so far.") % told
    words = _("It waits to be scored, at place %(place)s of the queue.")
    return words % {"place": standing.place}


def listing_words(submission: Submission) -> str:
    """Return whether the leaderboard lists it, and if not, why."""
    if submission.state == SubmissionState.QUEUED:
        return _("not yet: it is not scored")
    if not submission.is_told:
        return _("not listed: no score of its own was told")
    if submission.team.banned_at:
        return _("not listed: your team is banned")
    return submission.get_visibility_display()


def endpoint_of(submission: Submission) -> SubmittedEndpoint | None:
    """Return the endpoint that is asked for the answers; None if the team sent them."""
    found: SubmittedEndpoint | None = getattr(submission, "endpoint", None)
    return found


def _faulty_words(submission: Submission) -> str:
    endpoint = endpoint_of(submission)
    words = _(
        "Your endpoint failed: %(fault)s. %(parts)s such failures of a month count as one "
        "submission. Correct it and send it again."
    )
    fault = words_of(endpoint.fault if endpoint else "")
    return words % {"fault": fault, "parts": PARTS_OF_ONE}


def _cancelled_words(submission: Submission) -> str:
    endpoint = endpoint_of(submission)
    if submission.error_code == TeamBanned.code:
        words = _(
            "It was cancelled because your team may not send submissions any more. It does not count "
            "against your quota. %(reason)s"
        )
        return (words % {"reason": submission.team.ban_reason}).strip()
    if submission.error_code:
        return _(
            "It was cancelled because the managers of the benchmark do not let your endpoint be asked "
            "any more. It does not count against your quota."
        )
    if endpoint and endpoint.is_part_counted:
        words = _(
            "It was cancelled after questions had been asked. %(parts)s such submissions of a "
            "month count as one."
        )
        return words % {"parts": PARTS_OF_ONE}
    return _("It was cancelled and does not count against your quota.")


def managed_json(submission: Submission, told: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what its team is told, and what managers see besides."""
    flags = sorted(submission.flags.all(), key=lambda flag: flag.pk)
    return {
        **(told or as_json(submission)),
        "flag": " ".join(flag.text for flag in flags),
        "flags": [flag.as_json() for flag in flags],
        "is_verified": submission.is_verified,
        **{name: getattr(submission, name) for name in DECLARED},
        "followed_keys": [_followed_json(each) for each in submission.followed_keys.all()],
    }


def _followed_json(each: FollowedKeys) -> dict[str, Any]:
    return {
        "version": each.key_copy.release.version,
        "copy": each.key_copy.number,
        "recipient": each.key_copy.recipient,
        "followed": each.followed,
        "wrong": each.wrong,
        "false_keys": each.count,
        "chance": each.chance,
        "is_strong": each.is_strong,
    }


def key_copy_json(copy: KeyCopy) -> dict[str, Any]:
    """Return what managers are told of a copy: which keys are false is not in it."""
    return {
        "copy": copy.number,
        "recipient": copy.recipient,
        "false_keys": len(copy.false_keys),
        "created_at": copy.created_at,
        "created_by": copy.created_by.email,
    }


def key_copy_file(copy: KeyCopy) -> str:
    """Return the file of a copy: a JSON object that says of itself that some keys are false."""
    keys, false_count = copied_keys(copy), len(copy.false_keys)
    note = (
        f"{false_count} of these {len(keys)} keys are false, so that answers show who has seen this "
        f"copy. A share of right answers by it is off by {false_count / len(keys):.4f} at most. The "
        "server scores by the true keys."
    )
    content = {
        "project": copy.release.project.slug,
        "version": copy.release.version,
        "copy": copy.number,
        "recipient": copy.recipient,
        "note": note,
        "keys": keys,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def key_copy_name(copy: KeyCopy) -> str:
    return f"{copy.release.project.slug}-{copy.release.version}-keys-copy-{copy.number}.json"


def leak_json(release: Release, trace: LeakTrace) -> dict[str, Any]:
    """Return what managers are told of a text that was found."""
    return {
        "version": release.version,
        "found": trace.found,
        "items": trace.items,
        "teams": [
            {
                "team": each.team.name,
                "found": each.evidence.found,
                "matched": each.evidence.matched,
                "chance": each.evidence.chance,
                "is_named": each.is_named,
            }
            for each in trace.teams
        ],
    }


def as_json(submission: Submission, standing: Standing | None = None) -> dict[str, Any]:
    """Return aggregates only: nothing tells which answers are right."""
    standing, endpoint = standing or standing_of(submission), endpoint_of(submission)
    return {
        "submission": submission.pk,
        "project": submission.release.project.slug,
        "version": submission.release.version,
        "team": submission.team.name,
        "model": submission.model,
        "state": submission.state,
        "detail": result_words(submission, standing),
        "place": standing.place,
        "epochs": submission.epochs,
        "is_endpoint": endpoint is not None,
        "unanswered": endpoint.unanswered if endpoint else 0,
        "visibility": submission.visibility,
        "is_listed": submission.is_listed,
        "reason": submission.reason,
        "sent_at": submission.sent_at.isoformat(),
        "score": _figure(standing.score) if standing.score else None,
        "categories": {name: _figure(each) for name, each in standing.categories.items()},
    }


def _figure(told: Told) -> dict[str, Any]:
    return {
        "accuracy": told.share,
        "low": round(told.low, 4),
        "high": round(told.high, 4),
        "n": told.n,
        "before_corrections": told.was,
    }


def _scored_words(standing: Standing) -> str:
    told = standing.score
    if told:
        return _("Accuracy: %(share)s (95%% interval %(low)s to %(high)s, %(n)s items).") % {
            "share": per_cent(told.share),
            "low": per_cent(told.low),
            "high": per_cent(told.high),
            "n": told.n,
        }
    best = standing.best
    return _(
        "It is not better than your team's best (%(best)s) by more than noise. The exact score is "
        "not told, so that nobody can improve by trying."
    ) % {"best": per_cent(best.share) if best else "–"}


def per_cent(share: float) -> str:
    return f"{100 * share:.1f} %"

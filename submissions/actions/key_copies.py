"""Create copies of hidden keys with a few false ones, and find submissions that follow those."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError, plain_text
from releases.models import Release
from submissions.actions.audit import record
from submissions.enums import FlagCode
from submissions.false_keys import FEWEST_OPTIONS, FalseKey, draw, fewest, weigh
from submissions.flags import Suspicion
from submissions.models import FollowedKeys, KeyCopy, Submission
from submissions.queries import asked_of, choice_keys

USUAL_FALSE, MOST_FALSE, LONGEST_RECIPIENT = 20, 100, 100


class KeyCopyInvalid(DomainError):
    code = "key_copy_invalid"
    detail = _("Correct the fields below.")
    status = 400


class HiddenItemsTooFew(DomainError):
    code = "hidden_items_too_few"
    detail = _(
        "This release has only %(found)s hidden items with three options or more, so false keys prove "
        "nothing here. Seven with four options are enough for a first copy."
    )


@transaction.atomic
def create_key_copy(
    *,
    release: Release,
    recipient: str,
    false_count: int | None = None,
    random: Random,
    actor: User,
    now: datetime,
) -> KeyCopy:
    """Draw the false keys of a new copy for `recipient`. Writes an audit row without any key.

    Without a `false_count` there are as many as `proposed_count` says. Raises KeyCopyInvalid, HiddenItemsTooFew.
    """
    Release.objects.select_for_update(no_key=True).get(pk=release.pk)  # one number at a time
    number, keys = release.key_copies.count() + 1, _usable_keys(release)
    name, option_counts = plain_text(recipient), [options for _key, options in keys.values()]
    least = fewest(option_counts, copies=number)
    if least is None:
        raise HiddenItemsTooFew(found=len(keys))
    if false_count is None:
        false_count = _usual(least, len(keys))
    _check(name, false_count, least, min(MOST_FALSE, len(keys)))
    drawn = draw(keys, false_count, random=random)
    found = KeyCopy.objects.create(
        release=release,
        number=number,
        recipient=name,
        false_keys={uid: [each.key, each.false, each.option_count] for uid, each in drawn.items()},
        created_at=now,
        created_by=actor,
    )
    data = {
        "version": release.version,
        "copy": found.number,
        "recipient": name,
        "false_keys": false_count,
    }
    record("submissions.keys_copied", f"release:{release.pk}", release.project, data, actor, now)
    return found


def proposed_count(release: Release) -> int | None:
    """Return how many false keys the next copy had best have: one in three, USUAL_FALSE at most.

    It is never less than is enough to prove something; None if the release has too few items for that.
    """
    option_counts = [options for _key, options in _usable_keys(release).values()]
    least = fewest(option_counts, copies=release.key_copies.count() + 1)
    return None if least is None else _usual(least, len(option_counts))


def _usable_keys(release: Release) -> dict[str, tuple[str, int]]:
    """Return the key and the number of options of each hidden item that may have a false key."""
    return {uid: each for uid, each in choice_keys(release).items() if each[1] >= FEWEST_OPTIONS}


def _usual(least: int, items: int) -> int:
    return max(least, min(USUAL_FALSE, items // 3))


def _check(recipient: str, false_count: int, least: int, most: int) -> None:
    fields = {}
    if not 0 < len(recipient) <= LONGEST_RECIPIENT:
        words = _("Enter who gets the copy, in at most %d characters.") % LONGEST_RECIPIENT
        fields["recipient"] = [str(words)]
    if not least <= false_count <= most:
        bounds = {"least": least, "most": most}
        fields["false_count"] = [str(_("Enter a number from %(least)d to %(most)d.") % bounds)]
    if fields:
        raise KeyCopyInvalid(fields=fields)


def read_followed(submission: Submission) -> list[FollowedKeys]:
    """Return, not yet stored, what the submission follows of each copy that was made before.

    Copies of other releases of the project count too: hidden items keep their ids.
    """
    copies = KeyCopy.objects.filter(release__project=submission.release.project_id)
    known = {copy: _false_keys(copy) for copy in copies.select_related("release").order_by("pk")}
    if not known:
        return []
    uids = list(asked_of(submission.release).option_counts)
    here = {copy: keys for copy, keys in known.items() if not keys.keys().isdisjoint(uids)}
    epochs = _by_epoch(submission, uids)
    found = {copy: weigh(epochs, keys, copies=len(here)) for copy, keys in here.items()}
    return [
        FollowedKeys(
            submission=submission,
            key_copy=copy,
            followed=each.followed,
            wrong=each.wrong,
            count=each.count,
            chance=each.chance,
        )
        for copy, each in found.items()
    ]


def _false_keys(copy: KeyCopy) -> dict[str, FalseKey]:
    return {uid: FalseKey(*stored) for uid, stored in copy.false_keys.items()}


def _by_epoch(submission: Submission, uids: Sequence[str]) -> list[Mapping[str, str]]:
    """Return the answers of each epoch by item."""
    n, answers = len(uids), submission.answers
    starts = range(0, n * submission.epochs, n)
    return [dict(zip(uids, answers[start : start + n], strict=True)) for start in starts]


def store_followed(found: Sequence[FollowedKeys]) -> list[Suspicion]:
    """Store what a submission that is scored follows; return which copies it seems to know.

    Keyed by submission and copy; runs in the transaction that ends the submission.
    """
    FollowedKeys.objects.bulk_create(found)
    return [_suspicion(each) for each in found if each.is_strong]


def _suspicion(each: FollowedKeys) -> Suspicion:
    params: dict[str, Any] = {
        "version": each.key_copy.release.version,
        "copy": each.key_copy.number,
        "recipient": each.key_copy.recipient,
        "followed": each.followed,
        "false_keys": each.count,
        "chance": each.chance,
    }
    return Suspicion(FlagCode.FALSE_KEYS, params)

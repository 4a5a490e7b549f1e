"""Keep what teams were told before: by the rules of now, which are the best that is known of it."""

import math

from django.db import migrations


def score_bits(n):
    half = 1.96 * math.sqrt(0.5 / n) / 2
    power = 10.0 ** math.floor(math.log10(half))
    unit = next(nice * power for nice in (5, 2, 1) if nice * power <= half)
    return math.log2(math.floor(1 / unit) + 1)


def which_bits(requests, climbs):
    if not requests:
        return 0.0
    return math.log2(requests * math.comb(requests - 1, max(0, climbs - 1)))


def tellable(score, fewest):
    sizes = {name: n for name, (_counted, n) in score.categories.items()}
    told = {name: size for name, size in sizes.items() if name and size >= fewest}
    if told and 0 < score.n - sum(told.values()) < fewest:
        del told[min(told, key=lambda name: told[name])]
    return told


def keep_tellings(apps, schema_editor):
    models = {name: apps.get_model("submissions", name) for name in NAMES}
    fewest = dict(models["SubmissionPolicy"].objects.values_list("project", "fewest_in_category"))
    ladders = models["Ladder"].objects.select_related("release").order_by("pk")
    for ladder in ladders:
        keep_answers(models, ladder, fewest.get(ladder.release.project_id, 100))
    rows = models["SubmittedEndpoint"].objects.filter(first_contact__gt=0)
    for endpoint in rows.select_related("submission").order_by("pk"):
        sent = endpoint.submission
        models["Telling"].objects.create(
            release_id=sent.release_id, team_id=sent.team_id, kind="contact", submission=sent,
            bits=1, told_at=endpoint.started_at or sent.sent_at,
        )  # fmt: skip


def keep_answers(models, ladder, fewest):
    pair = {"release_id": ladder.release_id, "team_id": ladder.team_id}
    sent = models["Submission"].objects.filter(state="scored", **pair).defer("answers")
    requests = climbs = 0
    corrections = 0.0
    for row in sent.order_by("ended_at", "pk"):
        score = row.scores.order_by("pk").first()
        which = which_bits(requests + 1, climbs + row.is_told) - which_bits(requests, climbs)
        requests, climbs = requests + 1, climbs + row.is_told
        told = {"submission": row, "told_at": row.ended_at or row.sent_at, **pair}
        bits = max(0.0, which) + (score_bits(score.n) if row.is_told else 0)
        models["Telling"].objects.create(kind="answer", bits=bits, **told)
        categories = tellable(score, fewest) if row.is_told and row.tells_categories else {}
        cost = sum(map(score_bits, categories.values()))
        if categories:
            models["Telling"].objects.create(kind="categories", bits=cost, **told)
            row.told_categories = sorted(categories)
            row.save(update_fields=["told_categories"])
        corrections += (score_bits(score.n) + cost) if row.is_told else 0
    done = models["Rescoring"].objects.filter(release=ladder.release_id, done_at__isnull=False)
    for rescoring in done.order_by("number") if corrections else ():
        models["Telling"].objects.create(
            kind="correction", rescoring=rescoring, bits=corrections, told_at=rescoring.done_at,
            **pair,
        )  # fmt: skip


def say_that_categories_were_told(apps, schema_editor):
    """The earlier version counts bits anew, and drops the tellings."""
    told = apps.get_model("submissions", "Submission").objects.exclude(told_categories=[])
    told.update(tells_categories=True)


NAMES = ("Ladder", "Rescoring", "Submission", "SubmissionPolicy", "SubmittedEndpoint", "Telling")


class Migration(migrations.Migration):
    dependencies = [("submissions", "0013_tellings")]
    operations = [migrations.RunPython(keep_tellings, say_that_categories_were_told)]

"""The words for what happens to submissions, and for the flags in the data of events."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from submissions.flags import flag_text

VERBS = {
    "endpoint_submission.cancelled": _("cancelled the questions to a team's endpoint"),
    "endpoint_submission.resumed": _("resumed the questions to a team's endpoint"),
    "endpoint_submission.started": _("asked for a team's endpoint to be asked"),
    "rescoring.cancelled": _("cancelled scoring submissions again"),
    "rescoring.resumed": _("resumed scoring submissions again"),
    "rescoring.started": _("started to score submissions again"),
    "submission.cancelled": _("cancelled the scoring of a submission"),
    "submission.resumed": _("resumed the scoring of a submission"),
    "submission.started": _("asked for a submission to be scored"),
    "submissions.ban_lifted": _("let a banned team send submissions again"),
    "submissions.endpoint_failed": _("failed at the team's endpoint"),
    "submissions.endpoint_sent": _("sent an endpoint"),
    "submissions.endpoint_stopped": _("was no longer allowed to have its endpoint asked"),
    "submissions.flag_dismissed": _("dismissed the flags of a submission"),
    "submissions.flagged": _("flagged a submission"),
    "submissions.hidden": _("hid a submission"),
    "submissions.keys_copied": _("created a copy of hidden keys"),
    "submissions.leak_traced": _("looked from which team's endpoint a text comes"),
    "submissions.policy_changed": _("changed the rules for submissions"),
    "submissions.rescored": _("had submissions scored with corrected keys"),
    "submissions.restored": _("had a withdrawn submission listed again"),
    "submissions.scores_changed": _("changed scores that teams were told, by corrected keys"),
    "submissions.sent": _("sent a submission"),
    "submissions.shown": _("showed a hidden submission again"),
    "submissions.team_admitted": _("admitted a team"),
    "submissions.team_banned": _("banned a team"),
    "submissions.team_trusted": _(
        "said whether a team's endpoints are asked all questions at once"
    ),
    "submissions.terms_accepted": _("accepted the terms for submissions"),
    "submissions.verified": _("said whether a submission is verified"),
    "submissions.withdrawn": _("withdrew a submission"),
}


def _tell_flags(data: dict[str, Any]) -> dict[str, Any]:
    """Add the text of each flag. Events of earlier versions have a text alone, as `flag`."""
    if "flags" not in data:
        return data
    flags = [{**flag, "text": flag_text(flag["code"], flag["params"])} for flag in data["flags"]]
    return {**data, "flags": flags}


TOLD = {"submissions.flag_dismissed": _tell_flags, "submissions.flagged": _tell_flags}

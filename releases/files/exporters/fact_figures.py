"""The figures of a release that its ledger does not give; `quality.json` has them as `build`."""

from dataclasses import asdict
from typing import Any

from releases.files.manifest import ReleaseFacts


def fact_figures(facts: ReleaseFacts) -> dict[str, Any]:
    """Return what the manifest says of how the release was put together, as plain JSON."""
    explained = {"explained_by": dict(facts.explained_by)} if facts.explained_by else {}
    translated = {"translated_by": list(facts.translated_by)} if facts.translated_by else {}
    return (
        explained
        | translated
        | {
            "dev_per_subject": facts.dev_per_subject,
            "dev_from": facts.dev_from,
            "carved": facts.carved,
            "duplicates_removed": facts.duplicates_removed,
            "black_box_share": facts.black_box_share,
            "hidden_public": sum(facts.hidden_public.values()),
            "hidden_public_by_subject": dict(facts.hidden_public),
            "people": dict(facts.people),
            "option_order": facts.option_order,
            "unshuffled": facts.unshuffled,
            "waivers": [asdict(note) for note in facts.waivers],
        }
    )

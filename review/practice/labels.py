"""What a practice item is about, in the user's language."""

from django.utils.translation import gettext as _

from review.practice.items import Fault


def practice_text(fault: Fault) -> str:
    """What somebody who knows says of a practice item with this fault."""
    return {
        Fault.NONE: _(
            "The translation says what the source says, and the key is right: Approve. "
            "Approve a text that is correct and reads well, even if you would word it "
            "differently."
        ),
        Fault.SWAPPED: _(
            "Two options have changed places, so the key points to the wrong text. You can "
            "correct this: Revise, correct the options in place, and mark it as structure."
        ),
        Fault.WRONG_KEY: _(
            "The translation is good, but another option is marked as the key. A new translation "
            "cannot correct that: Reject, and mark “wrong key”. A senior looks at it."
        ),
    }[fault]

"""How processes of ours share the processors."""

import os

_NICENESS = 10


def give_way() -> None:
    """Let others have the processor first; for a process that holds no lock anybody waits for."""
    os.nice(_NICENESS)

"""The order in which people count: `law/2` before `law/10`, as a text that a database can sort by."""

import re
from typing import Final

LONGEST_ORDER: Final = 500
_NUMBER = re.compile(r"[0-9]{1,99}")


def natural_order(uid: str) -> str:
    """Return what to sort `uid` by; different for different uids, so that it can carry a cursor.

    Each number gets the count of its digits before it, and its leading zeros, if it has any,
    behind it: `law/7` → `law/017`, `law/10` → `law/0210`, `law/007` → `law/01702`. For a uid of
    200 characters it is at most a little more than 400 long.
    """
    return _NUMBER.sub(_counted, uid)


def _counted(found: re.Match[str]) -> str:
    written = found[0]
    digits = written.lstrip("0") or "0"
    zeros = len(written) - len(digits)
    return f"{len(digits):02}{digits}{zeros:02}" if zeros else f"{len(digits):02}{digits}"

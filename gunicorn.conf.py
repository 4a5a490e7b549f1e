"""What gunicorn, which reads this file by itself, does beside the options on its command line."""

from typing import Any

from config.draining import MOST_DRAINED
from submissions.turns import TURNS


def post_worker_init(worker: Any) -> None:
    """Leave half of a worker's threads to others while large submissions are read and checked."""
    TURNS.share(worker.cfg.threads)


def pre_request(_worker: Any, request: Any) -> None:
    """Announce that the connection closes after a body that may be too large to be read to its end."""
    headers = dict(request.headers)
    length = headers.get("CONTENT-LENGTH", "0")
    if "TRANSFER-ENCODING" in headers or not length.isdecimal() or int(length) > MOST_DRAINED:
        request.force_close()

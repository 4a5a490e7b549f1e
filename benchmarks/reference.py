"""A fixed piece of work, to compare figures in milliseconds between machines.

A cost in milliseconds tells of the machine as much as of the program, and the same machine is
slower when others use it, and after each pause. So a benchmark does this work in the same run and
prints its own figure beside the ratio, which two machines share more nearly.
"""

import html
import json
import re
import time

from benchmarks.fresh_site import report

PIECES = 100
RECORDS = [
    {"number": number, "text": "རྒྱ་གར་གྱི་ལོ་ཙཱ་བ " * 3, "options": ["ཀ", "ཁ", "ག"]}
    for number in range(60)
]


def reference_ms(pause: float = 0.0) -> float:
    """Return the CPU of one piece of work in ms, the mean of `PIECES` with pauses of `pause` s."""
    spent = 0.0
    for _number in range(PIECES):
        before = time.process_time()
        piece_of_work()
        spent += time.process_time() - before
        time.sleep(pause)
    return 1000 * spent / PIECES


def piece_of_work() -> str:
    """Do about a millisecond of what a web page makes its server do: JSON, texts, patterns."""
    parts = []
    for _time in range(3):
        for record in json.loads(json.dumps(RECORDS)):
            options = "".join(option.upper() for option in record["options"])
            parts.append(re.sub("་", " ", record["text"]) + html.escape(options))
    return "".join(parts)


def report_by_reference(name: str, value: float, n: int, pause: float = 0.0) -> None:
    """Report a cost in ms, and how many pieces of work it is; `pause` is that between two costs."""
    reference = reference_ms(pause)
    report(name, value, "ms", n)
    report(f"{name}_reference", reference, "ms", PIECES)
    report(f"{name}_by_reference", value / reference, "x", n)

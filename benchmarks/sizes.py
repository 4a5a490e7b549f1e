"""The command line of benchmarks of jobs and reports: two sizes on each database."""

import argparse
from collections.abc import Callable, Sequence

from benchmarks.fresh_site import make_tables
from benchmarks.review import database, measure_in_child

Measure = Callable[[str, list[int]], None]


def run_at_sizes(module: str, text: str | None, sizes: Sequence[int], measure: Measure) -> None:
    """Call `measure` with the name of each database and the sizes, in a process of its own.

    `text` is the help, and `--scale` makes the sizes smaller or larger. Django and all tables are
    ready when `measure` is called.
    """
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        make_tables()
        measure(options.measure, [max(100, round(size * options.scale)) for size in sizes])
        return
    for name in options.databases.split(","):
        with database(name) as url:
            if url is not None:
                measure_in_child(module, name, url, ["--scale", str(options.scale)])

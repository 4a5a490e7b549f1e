"""Measure how often the 95 % intervals of an arena cover the truth: 1,000 simulated arenas of each size.

    python -m benchmarks.arena_intervals [--arenas 1000]

The simulation is the tests' own: questions differ, the two orders are strongly correlated, judges
lean to the side that stands first.
"""

import argparse

from tests.arena.simulation import coverage

SIZES = (5, 49, 50, 120, 500)


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of an arena's intervals.")
    parser.add_argument("--arenas", type=int, default=1000)
    arenas = parser.parse_args().arenas
    for questions in SIZES:
        share = coverage(arenas=arenas, questions=questions, seed=questions)
        print(f"{questions} questions: {share:.3f} of {arenas} intervals cover the truth")


if __name__ == "__main__":
    main()

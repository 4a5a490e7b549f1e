#!/bin/sh
# Runs the benchmarks named as arguments, or all; each ends within its time or fails.
set -eu

LIMIT="${LOTSAWA_BENCH_SECONDS:-900}"
if [ $# = 0 ]; then
    set -- $(cd benchmarks && ls [a-z]*.py | sed 's/\.py$//')
fi
status=0
for name in "$@"; do
    timeout "$LIMIT" .venv/bin/python -m "benchmarks.$name" || {
        echo "benchmark $name failed" >&2
        status=1
    }
done
exit $status

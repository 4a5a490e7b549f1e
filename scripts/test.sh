#!/bin/sh
# Runs the suite but for what is slow: what two databases may do differently on PostgreSQL, where there
# is one, and all of it on SQLite. With arguments, only those tests, on SQLite.
set -eu
. scripts/test_parts.sh

# The same order in every run: a change is refused for what it breaks, and not for the order in which
# tests happen to come. `make test-slow` shuffles, and finds tests that lean on one another.
ORDER=--randomly-seed=1

"$BIN/python" scripts/messages.py compile # translations may be newer than what was compiled
find_servers
install_browser

if [ $# -gt 0 ]; then
    part SQLite --dist loadfile "$@"
    finish
fi
# Both databases are migrated at the same time, as one processor is enough for each.
"$BIN/python" -m tests.databases &
if [ -n "$database" ]; then
    LOTSAWA_TEST_DATABASE_URL="$database" "$BIN/python" -m tests.databases
fi
wait
if [ -n "$database" ]; then
    # Only the files with such tests: each process would read five times as many to leave them out.
    marked=$(grep -rlE "both_databases|mark\.(postgres|redis)" tests --include='test_*.py' --exclude-dir browser)
    LOTSAWA_TEST_DATABASE_URL="$database" part PostgreSQL "$ORDER" --dist worksteal \
        -m "(both_databases or postgres or redis) and not slow" $marked
else
    echo "There is no PostgreSQL here: tests run on SQLite only (LOTSAWA_TEST_DATABASE_URL names a server)."
fi
part SQLite "$ORDER" --dist worksteal --ignore tests/browser -m "not slow"
# One file's tests build on one another and name a group; all others go to whichever process is free.
part browser "$ORDER" --dist loadgroup -m "not slow" tests/browser
finish

#!/bin/sh
# Runs what `make test` leaves out: drills, speed bounds, other programs, and PostgreSQL with every test.
set -eu
. scripts/test_parts.sh

find_servers
install_browser
make tools || echo "The tests with other programs will be skipped: they could not be installed."

if [ -n "$database" ]; then
    LOTSAWA_TEST_DATABASE_URL="$database" part "PostgreSQL, every test" --dist worksteal \
        --ignore tests/browser
    LOTSAWA_TEST_DATABASE_URL="$database" part "PostgreSQL, whole days" --dist loadfile \
        tests/browser/test_days.py
fi
part "SQLite, slow" --dist loadfile -m slow
finish

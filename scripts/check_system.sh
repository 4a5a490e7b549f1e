#!/bin/sh
# Says in words what this machine lacks before the virtual environment is made.
set -eu

PYTHON="${PYTHON:-python3}"

lacks() {
    echo "Lotsawa cannot be set up here: $1" >&2
    echo "On Debian or Ubuntu: apt-get install $2" >&2
    exit 1
}

command -v "$PYTHON" >/dev/null 2>&1 || lacks "there is no $PYTHON." "python3 python3-venv"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    lacks "$("$PYTHON" --version) is too old, 3.11 is the oldest that works (name another with PYTHON=…)." "python3.11 python3.11-venv"
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null ||
    lacks "$PYTHON cannot make virtual environments." "python3-venv"
"$PYTHON" -c 'import sqlite3; exit(sqlite3.sqlite_version_info < (3, 31))' 2>/dev/null ||
    lacks "$PYTHON has no SQLite of version 3.31 or later." "libsqlite3-0"

"""One file with the database and `var/`, and the way back (ADR 0021)."""

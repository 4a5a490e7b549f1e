"""Finds items that say the same: exact, near and semantic pairs, on plain values without Django."""

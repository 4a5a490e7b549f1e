"""Template tags of `evaluation`."""

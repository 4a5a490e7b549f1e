"""Files that go into releases as they are, or with a few values filled in."""

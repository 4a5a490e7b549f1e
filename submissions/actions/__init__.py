"""Every write to teams, submissions and their scores, by topic."""

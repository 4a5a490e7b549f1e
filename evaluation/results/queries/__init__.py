"""Questions about models, runs, their figures and their responses, by topic."""

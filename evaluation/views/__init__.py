"""Pages of models, runs and responses, by topic."""

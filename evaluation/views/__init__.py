"""Pages of models, runs and responses."""

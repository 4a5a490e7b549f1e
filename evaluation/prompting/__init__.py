"""Writing prompts with a preview of real items."""

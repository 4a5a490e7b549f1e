"""How the product writes dates and times, one module a language."""

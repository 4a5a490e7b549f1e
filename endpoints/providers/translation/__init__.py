"""Plain translation engines behind the contract of a chat endpoint, one module an API."""

"""Endpoints that answer prompts: the contract, the real client, its recorded twin and a stand-in server."""

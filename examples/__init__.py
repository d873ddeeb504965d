"""Examples that run: a sample repository made by code, and an analysis of it."""

"""Loaders: one module per source, and the batch rebuild."""

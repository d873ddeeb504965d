"""Measured claims, each with its baseline in the same run. Every module runs as ``python -m benchmarks.NAME``."""

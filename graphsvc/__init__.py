"""graphsvc: a local knowledge service for people who build software with coding agents."""

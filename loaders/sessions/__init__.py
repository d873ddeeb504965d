"""Sessions that hosts of agents keep on this machine: one module a host, each of them a loader.

A module says where its host keeps sessions and which files those are; `base` reads them, `loaders.transcripts` knows
their formats. Nothing is read but the folder or file that a source names, and nothing is ever written there.
"""

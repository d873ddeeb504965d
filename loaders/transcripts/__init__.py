"""Transcripts of agent sessions: formats told apart by content, read once, kept byte for byte.

`reading` stores a document in segments and hands each record that its session has not had before to the
parser of its format; `records` turns what a parser finds into events. A parser states only what its record
states: order, turns and totals are derived later from documents, parts and events.
"""

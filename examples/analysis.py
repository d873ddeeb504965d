"""What the agents did, as data frames: run it cell by cell in a notebook, or whole with a store's folder.

``python -m examples.analysis [STORE]``; without a folder, the nearest store at or above the working directory.
"""

# ruff: noqa: E402 - cells of a notebook import and print where they need it

from __future__ import annotations

# %% Open the store. This is cheap: nothing is read until a question is asked.
import sys

import graphsvc

kb = graphsvc.open(sys.argv[1] if len(sys.argv) > 1 else None)
print(kb.coverage().sentence())

# %% Sessions, the newest first. An answer has its rows, a polars frame of them, and what they rest on.
sessions = kb.sessions(limit=20)
print(sessions.frame.select("session", "agent", "started_at", "turns", "tool_calls", "commits"))

# %% Tool calls by day and tool, and how often they failed: SQL over the canonical events, then polars.
import polars as pl

calls = kb.sql("SELECT occurred_at, name, is_error FROM session_tool_call WHERE is_present").frame
print(
    calls.group_by(pl.col("occurred_at").cast(pl.Datetime("us")).dt.date().alias("day"), "name")
    .agg(pl.len().alias("calls"), pl.col("is_error").cast(pl.Boolean).sum().alias("failed"))
    .sort("day", "calls", "name", descending=[False, True, False])
)

# %% Tokens that the transcripts record, each message of the API counted once, by its last record.
tokens = kb.sql(
    """
    SELECT model, sum(input_tokens) AS input, sum(output_tokens) AS output, count(*) AS messages
    FROM (
        SELECT DISTINCT ON (session_key, message_key) *
        FROM token_usage WHERE scope = 'entry' ORDER BY session_key, message_key, seq DESC
    )
    GROUP BY model ORDER BY output DESC
    """
)
print(tokens.frame)

# %% The files that agents wrote most often, by a walk over the graph.
written = kb.cypher(
    """
    MATCH (s:Session)-[:HAS_TURN]->(:Turn)-[:CALLED]->(c:ToolCall)-[:WROTE]->(f:File)
    RETURN f.path AS path, count(DISTINCT s.id) AS sessions, count(DISTINCT c.id) AS writes
    ORDER BY writes DESC, path LIMIT 10
    """
)
print(written.frame)

# %% The prompts of the newest session, and the exact bytes that the first of them was recorded as.
if len(sessions):
    turns = kb.session(sessions.frame["session"][0])
    print(turns.frame.select("ordinal", "tool_calls", "failed", "prompt"))
    for turn in turns.to_dicts()[:1]:
        print(kb.evidence(f"{turn['segment']}:{turn['start_byte']}-{turn['end_byte']}")[:200])

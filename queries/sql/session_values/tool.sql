-- Purpose: tools that sessions called, the most frequent first.
-- Columns: value
SELECT name AS value FROM tool_call WHERE name IS NOT NULL GROUP BY name ORDER BY count(*) DESC, name

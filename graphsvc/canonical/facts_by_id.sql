-- Purpose: facts by their ids.
-- Parameters: the table wanted (fact_id)
-- Columns: fact_id, fact_kind, content, recorded_at, scope_key, told_by, valid_from, valid_until, expires_at
SELECT fact_id, fact_kind, content, recorded_at, scope_key, told_by, valid_from, valid_until, expires_at
FROM fact
SEMI JOIN wanted USING (fact_id)

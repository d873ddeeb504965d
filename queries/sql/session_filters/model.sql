-- Purpose: sessions in which a model answered, or that were recorded with it; the beginning of its name is enough.
-- Parameters: model
-- Columns: session_key
SELECT session_key FROM entry WHERE starts_with(lower(model), lower($model))
UNION
SELECT session_key FROM present_checkpoint_session WHERE starts_with(lower(model), lower($model))

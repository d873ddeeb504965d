-- Purpose: sessions in which a person or a model wrote a text, whatever its case.
-- Parameters: text
-- Columns: session_key
SELECT session_key FROM message WHERE contains(lower(text), lower($text)) AND origin <> 'injected'

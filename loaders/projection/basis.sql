-- Purpose: what the projection reads and no receipt tells of, as one value to compare, and the version of the engine.
-- Columns: basis (struct: parts of documents, registered sources), engine
SELECT
    {
        'part': (SELECT count(*) FROM part),
        'source': (SELECT sha256(string_agg(s::VARCHAR, chr(10) ORDER BY source_id)) FROM source AS s)
    } AS basis,
    version() AS engine

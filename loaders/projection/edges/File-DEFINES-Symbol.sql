-- Purpose: the symbols that a file defines, in an indexed snapshot.
-- Columns: source, target, start_line, end_line, segment, start_byte, end_byte (of the definition)
SELECT
    file_id(repository_id, path) AS source,
    symbol_id AS target,
    start_line,
    end_line,
    segment,
    start_byte,
    end_byte
FROM code_symbol

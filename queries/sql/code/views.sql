-- Purpose: tables that all questions about code share, over the tables of snapshots (loaders/code_graph.py).
-- node: what calls and is called, each once (id, repository_id, name, kind, qualified_name, path, start_line, end_line,
-- signature, parent_id, descriptor, is_exported, decorators, language, is_test, segment, start_byte, end_byte): a symbol,
-- shown by its first definition in path order, or a file, for the code outside of any definition.
CREATE TEMP TABLE node AS
SELECT symbol_id AS id, repository_id, name, kind, package || ' ' || descriptor AS qualified_name, path, start_line,
    end_line, signature, parent_id, descriptor, is_exported, decorators, language,
    is_test_path(path) AS is_test, segment, start_byte, end_byte
FROM code_symbol
QUALIFY row_number() OVER (PARTITION BY symbol_id ORDER BY path, start_byte, segment) = 1
UNION ALL
SELECT file_id(repository_id, path), repository_id, regexp_extract(path, '[^/]*$'), 'file', path, path, 1,
    max(line_count), NULL, NULL, NULL, true, [], min(language), is_test_path(path), min(segment), NULL, NULL
FROM code_file
GROUP BY repository_id, path;

-- pair: references of one node to another, one row a kind (kind: CALLS, REFERENCES or INHERITS, source, target, sites:
-- how many, lines: of all of them, origin, confidence, rank, segment, start_byte, end_byte: of the first of the surest).
CREATE TEMP TABLE pair AS
SELECT
    kind,
    coalesce(source_id, file_id(repository_id, path)) AS source,
    target_id AS target,
    count(*) AS sites,
    array_to_string(list_sort(list(DISTINCT line)), ' ') AS lines,
    arg_min(origin, (-confidence, path, start_byte)) AS origin,
    max(confidence) AS confidence,
    min(rank) AS rank,
    arg_min(segment, (-confidence, path, start_byte)) AS segment,
    arg_min(start_byte, (-confidence, path, start_byte)) AS start_byte,
    arg_min(end_byte, (-confidence, path, start_byte)) AS end_byte
FROM (SELECT DISTINCT * FROM code_edge)
GROUP BY kind, source, target;

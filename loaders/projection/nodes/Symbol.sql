-- Purpose: one node a symbol of an indexed snapshot.
-- Columns: id, repository, name, qualified_name (package and descriptor), kind, language, package, descriptor, path,
--   start_line, end_line, signature, is_exported, is_test, segment, start_byte, end_byte (of the definition)
-- A symbol with several definitions (build variants, several snapshots) is shown by the first in path order.
SELECT
    symbol_id AS id,
    repository_id AS repository,
    name,
    package || ' ' || descriptor AS qualified_name,
    kind,
    language,
    package,
    descriptor,
    path,
    start_line,
    end_line,
    signature,
    is_exported,
    is_test_path(path) AS is_test,
    segment,
    start_byte,
    end_byte
FROM code_symbol
QUALIFY row_number() OVER (PARTITION BY symbol_id ORDER BY path, start_byte, segment) = 1

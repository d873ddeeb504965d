-- Purpose: definitions in some files; anonymous functions are left out, since nothing tells one from another.
-- Parameters: paths
-- Columns: symbol_id, segment, then the fields of graphsvc.symbol_changes.Definition but for parent, of which there are
--   the descriptor and the disambiguator last
SELECT s.symbol_id, s.segment, s.path, s.descriptor, s.disambiguator, s.kind, s.name, s.signature, s.body_hash,
    s.blank_hash, s.start_line, s.end_line, s.start_byte, s.end_byte, p.descriptor, p.disambiguator
FROM code_symbol AS s
LEFT JOIN code_symbol AS p
    ON p.repository_id = s.repository_id AND p.path = s.path AND p.symbol_id = s.parent_id
    AND p.start_byte <= s.start_byte AND s.end_byte <= p.end_byte AND p.ordinal < s.ordinal
WHERE list_contains($paths, s.path) AND s.kind <> 'lambda'
QUALIFY row_number() OVER (PARTITION BY s.path, s.ordinal ORDER BY p.ordinal DESC) = 1
ORDER BY s.path, s.ordinal

-- Purpose: the documents whose parts each batch brought: a document's parts come with its event.
-- Columns: receipt, document_id
SELECT r.number AS receipt, min(d.document_id) AS document_id
FROM document AS d
SEMI JOIN part USING (document_id)
JOIN receipt AS r ON d.seq BETWEEN r.seq_lo AND r.seq_hi
GROUP BY r.number, d.document_id

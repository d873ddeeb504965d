-- Purpose: the incoming documents that have no parts yet, as table new_document (document_id).
-- Parameters: table new_part (the columns of part)
CREATE OR REPLACE TEMP TABLE new_document AS
SELECT DISTINCT document_id
FROM new_part
ANTI JOIN part USING (document_id)

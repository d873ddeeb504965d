-- Purpose: one node a memory scope that holds a fact or encloses one that does, and one a scope of a plane store.
-- Columns: id (a memory scope's levels as a JSON array), kind (memory or plane), level (global, instance, project,
--   workspace; of planes global, cwd, session), instance, project, workspace, depth, cwd, session (of a plane scope)
WITH memory AS (
    SELECT scope_key AS id FROM fact
    UNION
    SELECT unnest(enclosing_scopes) FROM fact
),
levels AS (
    SELECT id, id::JSON ->> 0 AS instance, id::JSON ->> 1 AS project, id::JSON ->> 2 AS workspace FROM memory
)
SELECT
    id,
    'memory' AS kind,
    CASE WHEN workspace <> '' THEN 'workspace' WHEN project <> '' THEN 'project'
        WHEN instance <> '' THEN 'instance' ELSE 'global' END AS level,
    instance,
    project,
    workspace,
    CASE WHEN workspace <> '' THEN 3 WHEN project <> '' THEN 2 WHEN instance <> '' THEN 1 ELSE 0 END::BIGINT AS depth,
    NULL::VARCHAR AS cwd,
    NULL::VARCHAR AS session
FROM levels
UNION ALL
SELECT DISTINCT
    plane_scope_id(source_id, location), 'plane', scope, NULL, NULL, NULL,
    CASE scope WHEN 'session' THEN 2 WHEN 'cwd' THEN 1 ELSE 0 END::BIGINT,
    cwd,
    session_key
FROM present_plane_cohort

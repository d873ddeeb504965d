-- Purpose: numbers about commits and the checkpoints that they name.

-- name: refs
SELECT count(*) FROM present_reference WHERE name <> 'HEAD'

-- name: commits.HEAD
WITH named AS (SELECT * FROM link WHERE start = 'HEAD'),
commits AS (
    SELECT commit_oid, count(*) AS ids, bool_or(is_known) AS is_resolved, bool_or(in_final_block) AS is_parsed
    FROM named GROUP BY commit_oid
),
ids AS (SELECT value, bool_or(is_known) AS is_known, count(*) AS commits FROM named GROUP BY value),
unlinked AS (SELECT checkpoint_key FROM present_checkpoint WHERE checkpoint_key NOT IN (SELECT value FROM named))
SELECT
    (SELECT count(*) FROM ancestor WHERE start = 'HEAD') AS commits,
    (SELECT count(*) FROM commits) AS with_trailer_regex,
    (SELECT count(*) FROM commits WHERE is_parsed) AS with_trailer_git_parser,
    (SELECT count(*) FROM commits WHERE ids > 1) AS with_more_than_one_id,
    (SELECT count(*) FROM named) AS links,
    (SELECT count(*) FROM named WHERE is_known) AS links_resolved,
    (SELECT count(*) FROM commits WHERE is_resolved) AS commits_resolved,
    (SELECT count(*) FROM commits WHERE NOT is_resolved) AS commits_all_ids_unresolved,
    (SELECT count(*) FROM ids) AS distinct_ids,
    (SELECT count(*) FROM ids WHERE is_known) AS distinct_ids_resolved,
    (SELECT count(*) FROM ids WHERE NOT is_known) AS distinct_ids_unresolved,
    (SELECT count(*) FROM ids WHERE commits > 1) AS ids_on_more_than_one_commit,
    (SELECT max(commits) FROM ids) AS max_commits_for_one_id,
    (SELECT count(*) FROM unlinked) AS checkpoints_without_commit,
    (SELECT list(value ORDER BY value) FROM ids WHERE NOT is_known) AS unresolved_ids,
    (SELECT list(checkpoint_key ORDER BY checkpoint_key) FROM unlinked) AS unlinked_checkpoints

-- name: commits.all_code_refs
WITH named AS (SELECT * FROM link WHERE start = 'all_code_refs'),
commits AS (
    SELECT commit_oid, count(*) AS ids, bool_or(is_known) AS is_resolved, bool_or(in_final_block) AS is_parsed
    FROM named GROUP BY commit_oid
),
ids AS (SELECT value, bool_or(is_known) AS is_known, count(*) AS commits FROM named GROUP BY value),
unlinked AS (SELECT checkpoint_key FROM present_checkpoint WHERE checkpoint_key NOT IN (SELECT value FROM named))
SELECT
    (SELECT count(*) FROM ancestor WHERE start = 'all_code_refs') AS commits,
    (SELECT count(*) FROM commits) AS with_trailer_regex,
    (SELECT count(*) FROM commits WHERE is_parsed) AS with_trailer_git_parser,
    (SELECT count(*) FROM commits WHERE ids > 1) AS with_more_than_one_id,
    (SELECT count(*) FROM named) AS links,
    (SELECT count(*) FROM named WHERE is_known) AS links_resolved,
    (SELECT count(*) FROM commits WHERE is_resolved) AS commits_resolved,
    (SELECT count(*) FROM commits WHERE NOT is_resolved) AS commits_all_ids_unresolved,
    (SELECT count(*) FROM ids) AS distinct_ids,
    (SELECT count(*) FROM ids WHERE is_known) AS distinct_ids_resolved,
    (SELECT count(*) FROM ids WHERE NOT is_known) AS distinct_ids_unresolved,
    (SELECT count(*) FROM ids WHERE commits > 1) AS ids_on_more_than_one_commit,
    (SELECT max(commits) FROM ids) AS max_commits_for_one_id,
    (SELECT count(*) FROM unlinked) AS checkpoints_without_commit,
    (SELECT list(value ORDER BY value) FROM ids WHERE NOT is_known) AS unresolved_ids,
    (SELECT list(checkpoint_key ORDER BY checkpoint_key) FROM unlinked) AS unlinked_checkpoints

-- name: sample_links
SELECT value, list(commit_oid ORDER BY commit_oid) FROM link WHERE start = 'all_code_refs' AND is_known
GROUP BY value ORDER BY value LIMIT 10

-- $1: now. $2: limit. The audiences that have something due.
-- A loose index scan: one probe of gatepost_occurrence_turns for each audience that has something waiting.
WITH RECURSIVE audience (tenant, owner, due) AS (
    (SELECT coalesce(o.tenant, 0), coalesce(o.owner, 0), o.due FROM gatepost_occurrence o
     WHERE o.rejected IS NULL
     ORDER BY coalesce(o.tenant, 0), coalesce(o.owner, 0), o.due, o.id LIMIT 1)
    UNION ALL
    SELECT n.tenant, n.owner, n.due FROM audience a
    CROSS JOIN LATERAL (
        SELECT coalesce(o.tenant, 0) AS tenant, coalesce(o.owner, 0) AS owner, o.due FROM gatepost_occurrence o
        WHERE o.rejected IS NULL AND (coalesce(o.tenant, 0), coalesce(o.owner, 0)) > (a.tenant, a.owner)
        ORDER BY coalesce(o.tenant, 0), coalesce(o.owner, 0), o.due, o.id LIMIT 1
    ) n
)
SELECT tenant, owner FROM audience WHERE due <= $1 LIMIT $2

-- $1: realm. $2: a version. The changes in the realm after it, and whether they are complete.
WITH kept AS MATERIALIZED (
    SELECT c.kind, c.record, c.owner, c.previous FROM :schema.gatepost_change c WHERE c.place = $1 AND c.version > $2
), told AS MATERIALIZED (
    SELECT v.version, CASE WHEN $2 >= v.version THEN $2 = v.version
        ELSE (SELECT coalesce(min(previous) <= $2 AND NOT bool_or(kind = 5), false) FROM kept) END AS complete
    FROM (SELECT coalesce((SELECT p.version FROM :schema.gatepost_place p WHERE p.place = $1), 0) AS version) v
), changed AS MATERIALIZED (
    SELECT DISTINCT k.kind, k.record, k.owner FROM kept k, told WHERE told.complete
)

-- $1: an owner, or NULL. $2: the realm of a tenant, or NULL.
WITH old AS MATERIALIZED (
    SELECT o.owner, o.place, :schema.gatepost_slot(o.place) = ANY (current_setting('gatepost.held')::int[]) AS had
    FROM :schema.gatepost_owner o WHERE (o.owner = $1::uuid OR o.place = $2::text) AND NOT o.gone
), judged AS MATERIALIZED (
    SELECT CASE WHEN bool_and(had) IS NOT FALSE THEN 'ok' ELSE 'again' END AS verdict FROM old
), stored AS (
    UPDATE :schema.gatepost_owner SET gone = true, known = false, held = false, moving = NULL
    WHERE owner = ANY (ARRAY(SELECT owner FROM old)) AND (SELECT verdict FROM judged) = 'ok'
    RETURNING owner, place
), sessions AS (
    DELETE FROM :schema.gatepost_session WHERE owner = $1::uuid OR owner IN (SELECT owner FROM stored)
), records AS (
    DELETE FROM :schema.gatepost_record_usage WHERE owner IN (SELECT owner FROM stored)
), usage AS (
    DELETE FROM :schema.gatepost_log_usage WHERE owner IN (SELECT owner FROM stored)
), log AS MATERIALIZED (
    SELECT s.place, 0::smallint AS kind, w.id AS record, NULL::uuid AS owner
    FROM stored s JOIN :schema.gatepost_webhook w USING (owner) WHERE NOT w.gone AND $2::text IS NULL
    UNION ALL SELECT s.place, 4, 0, NULL FROM stored s WHERE $2::text IS NULL
    UNION ALL SELECT place, 5, 0, NULL FROM stored WHERE $2::text IS NOT NULL
), delta AS MATERIALIZED (
    SELECT owner, 0 AS webhooks, 0 AS tasks, 0 AS events, 0 AS bytes FROM old WHERE false
)

-- $1..$4: webhook, class, limit of each queue, and the due time at which it begins (NULL: its
-- start); no queue twice. $5: lease end. $6: now.
-- Deliveries that are claimed together share a token, but a webhook in order has a separate one: if
-- two claims find it idle, the index of gatepost_running admits only one.
-- Rows are deleted by ctid: they are never updated, and a planner that expects few rows in the
-- queue does not scan it.
WITH queue AS MATERIALIZED (
    SELECT l.*, w.in_order, w.revision, $6::timestamptz AS now
    FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::timestamptz[]) AS l (webhook, class, most, since)
    JOIN :schema.gatepost_webhook w ON w.id = l.webhook AND w.activity = 'active' AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone) AND o.moving IS NULL
)

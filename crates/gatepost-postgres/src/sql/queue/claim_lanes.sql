-- $1..$4: webhook, class, most of each lane, and due when it begins (NULL: at its front); no lane twice. $5: lease end. $6: now. What is claimed together shares a token, but a
-- webhook in order has one of its own: of two claimers that find it idle the index of gatepost_running lets one pass.
-- Rows are deleted by ctid: they are never updated, and a planner that takes the queue for short does not read it whole.
WITH lane AS MATERIALIZED (
    SELECT l.*, w.in_order, w.revision, $6::timestamptz AS now
    FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::timestamptz[]) AS l (webhook, class, most, since)
    JOIN :schema.gatepost_webhook w ON w.id = l.webhook AND w.activity = 'active' AND NOT w.gone
    JOIN :schema.gatepost_owner o ON o.owner = w.owner AND NOT (o.held OR o.gone) AND o.moving IS NULL
)

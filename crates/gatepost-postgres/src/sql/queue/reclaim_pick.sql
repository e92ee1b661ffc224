-- $1: now. $2: limit. Locks claims whose lease has ended, with at least that many deliveries if
-- there are; reclaim.sql has a snapshot that begins afterwards, because otherwise it would queue
-- deliveries again that were settled in between.
SELECT set_config('gatepost.reclaimed', ARRAY(
    SELECT r.id FROM :schema.gatepost_running r
    WHERE r.lease_until <= $1::timestamptz AND r.id = ANY (ARRAY(
        SELECT c.id FROM (
            SELECT e.id, sum(e.open) OVER (ORDER BY e.lease_until, e.id) - e.open AS before
            FROM (SELECT id, lease_until, open FROM :schema.gatepost_running WHERE lease_until <= $1::timestamptz ORDER BY lease_until, id LIMIT $2::bigint) e
        ) c WHERE c.before < $2::bigint))
    ORDER BY r.id FOR UPDATE SKIP LOCKED)::text, true)

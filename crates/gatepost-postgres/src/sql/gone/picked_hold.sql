-- Locks the claims that hold picked deliveries; picked_claims.sql has a snapshot that begins
-- afterwards.
SELECT set_config('gatepost.holding', ARRAY(
    SELECT r.id FROM :schema.gatepost_running r
    WHERE r.id IN (SELECT r.id FROM :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) AS u (delivery)
                   WHERE u.delivery IN (SELECT unnest(current_setting('gatepost.picked')::bigint[])))
    ORDER BY r.id FOR UPDATE)::text, true)

-- Removes the picked deliveries from their claims, which can then no longer settle them.
WITH member AS MATERIALIZED (
    SELECT r.id, u.delivery, u.pos, u.delivery IN (SELECT unnest(current_setting('gatepost.picked')::bigint[])) AS picked,
           (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = u.delivery AND o.token = r.id) IS NULL AS open
    FROM :schema.gatepost_running r CROSS JOIN LATERAL unnest(r.ids) WITH ORDINALITY AS u (delivery, pos)
    WHERE r.id = ANY (current_setting('gatepost.holding')::bigint[])
), rest AS MATERIALIZED (
    SELECT id, array_agg(CASE WHEN NOT picked THEN delivery END ORDER BY pos) AS ids,
           count(*) FILTER (WHERE open AND NOT picked AND delivery IS NOT NULL) AS open
    FROM member GROUP BY id
), less AS (
    UPDATE :schema.gatepost_running r SET ids = rest.ids, open = rest.open FROM rest WHERE r.id = rest.id AND rest.open > 0
)
DELETE FROM :schema.gatepost_running r USING rest WHERE r.id = rest.id AND rest.open = 0

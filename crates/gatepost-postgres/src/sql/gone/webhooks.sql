-- $1: limit. Marks the webhooks of deleted owners, each separately: then the owners' rows can be
-- deleted.
UPDATE :schema.gatepost_webhook SET gone = true WHERE id = ANY (ARRAY(
    SELECT w.id FROM :schema.gatepost_owner o CROSS JOIN LATERAL (
        SELECT w.id FROM :schema.gatepost_webhook w WHERE w.owner = o.owner AND NOT w.gone ORDER BY w.id LIMIT $1) w
    WHERE o.gone ORDER BY o.owner LIMIT $1))

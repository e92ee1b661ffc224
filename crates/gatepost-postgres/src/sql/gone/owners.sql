-- $1: limit. Deleted owners of whom nothing is left.
DELETE FROM :schema.gatepost_owner WHERE owner = ANY (ARRAY(
    SELECT o.owner FROM :schema.gatepost_owner o WHERE o.gone
        AND (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = o.owner LIMIT 1) IS NULL
        AND (SELECT w.id FROM :schema.gatepost_webhook w WHERE w.owner = o.owner AND NOT w.gone LIMIT 1) IS NULL
    ORDER BY o.owner LIMIT $1 FOR UPDATE SKIP LOCKED))

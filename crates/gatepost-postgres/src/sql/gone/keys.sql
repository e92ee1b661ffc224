-- $1: limit. Keys of owners who are gone.
DELETE FROM :schema.gatepost_key WHERE id = ANY (ARRAY(
    SELECT k.id FROM :schema.gatepost_owner o CROSS JOIN LATERAL (SELECT k.id FROM :schema.gatepost_key k WHERE k.owner = o.owner ORDER BY k.id LIMIT $1) k
    WHERE o.gone ORDER BY o.owner LIMIT $1))

-- $1: a webhook that has become one in order. Forgets what was noted, by whichever edit, once all of it has ended.
UPDATE :schema.gatepost_webhook w SET beside = '{}', beside_tokens = '{}'
WHERE w.id = $1 AND w.beside IS NOT NULL
    AND (SELECT u.id FROM unnest(w.beside, w.beside_tokens) AS u (id, token)
        WHERE (SELECT r.id FROM :schema.gatepost_running r WHERE r.id = ANY (ARRAY[u.token]) AND u.id = ANY (r.ids)
                ORDER BY r.id LIMIT 1) IS NOT NULL
            AND (SELECT o.token FROM :schema.gatepost_outcome_all o WHERE o.delivery = u.id AND o.token = u.token) IS NULL
        LIMIT 1) IS NULL

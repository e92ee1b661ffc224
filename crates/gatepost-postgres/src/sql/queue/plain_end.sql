SELECT array_agg(id ORDER BY id) AS ids, NULL::bigint AS token FROM stored

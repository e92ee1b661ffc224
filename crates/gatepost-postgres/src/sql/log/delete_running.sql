-- What was picked does not run any more: its settlement finds nothing. `open` counts what has no outcome yet.
UPDATE :schema.gatepost_running g SET ids = array_replace(g.ids, p.id, NULL), open = g.open - ((
    SELECT e.token FROM :schema.gatepost_outcome_all e WHERE e.delivery = p.id AND e.token = g.id) IS NULL)::int
FROM unnest(current_setting('gatepost.picked')::bigint[]) AS p (id)
WHERE g.ids @> ARRAY[p.id]

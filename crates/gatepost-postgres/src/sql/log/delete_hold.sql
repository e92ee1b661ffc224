-- Locks the claims that have what was picked, once who settles them is done: the next statement counts by what that has left.
SELECT g.id FROM unnest(current_setting('gatepost.picked')::bigint[]) AS p (id) JOIN :schema.gatepost_running g ON g.ids @> ARRAY[p.id]
ORDER BY g.id FOR UPDATE OF g

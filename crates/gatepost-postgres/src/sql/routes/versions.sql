-- $1: realms. Their versions, in the order of the request.
SELECT coalesce((SELECT p.version FROM :schema.gatepost_place p WHERE p.place = asked.place), 0) AS version
FROM unnest($1::text[]) WITH ORDINALITY AS asked (place, ord) ORDER BY asked.ord

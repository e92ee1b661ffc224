
SELECT v.list AS verdicts, ARRAY(SELECT id FROM stored ORDER BY id) AS ids,
       ARRAY(SELECT u FROM leased l CROSS JOIN unnest(l.ids) AS u) AS leased,
       ARRAY(SELECT l.token FROM leased l CROSS JOIN unnest(l.ids)) AS tokens
FROM verdicts v


SELECT v.list AS verdicts, ARRAY(SELECT id FROM stored ORDER BY id) AS ids,
       ARRAY(SELECT u FROM leased l CROSS JOIN unnest(l.ids) AS u) AS leased,
       ARRAY(SELECT l.token FROM leased l CROSS JOIN unnest(l.ids)) AS tokens,
       ARRAY(SELECT id FROM later ORDER BY id) AS later,
       ARRAY(SELECT r.item FROM used_rows r WHERE NOT r.same UNION ALL SELECT m.item FROM missing m) AS changed_items,
       ARRAY(SELECT r.kind FROM used_rows r WHERE NOT r.same UNION ALL SELECT 1::smallint FROM missing m) AS changed_kinds,
       ARRAY(SELECT r.id FROM used_rows r WHERE NOT r.same UNION ALL SELECT m.task FROM missing m) AS changed_rows,
       set_config('gatepost.verdict', v.list[1]::text, true)
FROM verdicts v

INSERT INTO gatepost_ended (webhook, pass) SELECT id, (SELECT pass FROM gatepost_log) FROM gatepost_webhook WHERE true
ON CONFLICT (webhook) DO UPDATE SET pass = excluded.pass

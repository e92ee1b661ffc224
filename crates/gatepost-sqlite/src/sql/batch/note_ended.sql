INSERT INTO gatepost_ended (webhook, pass) VALUES (?1, (SELECT pass FROM gatepost_log))
ON CONFLICT (webhook) DO UPDATE SET pass = excluded.pass

UPDATE gatepost_owner SET
    gone_keys = coalesce((SELECT max(k.id) FROM gatepost_key k WHERE k.owner = gatepost_owner.owner), 0),
    gone_webhooks = coalesce((SELECT max(w.id) FROM gatepost_webhook w WHERE w.owner = gatepost_owner.owner), 0),
    place = 'common', placed = 0, unplaced = 0, held = 0, gone = 1, moved = 0, unfinished = 1,
    webhooks = 0, tasks = 0, events = 0, bytes = 0, waiting = 0, waiting_bytes = 0, log_bytes = 0

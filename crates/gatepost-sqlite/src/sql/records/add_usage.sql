UPDATE gatepost_owner SET webhooks = webhooks + ?2, tasks = tasks + ?3, events = events + ?4, bytes = bytes + ?5
WHERE owner = ?1

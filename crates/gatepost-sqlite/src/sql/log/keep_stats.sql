INSERT INTO gatepost_figures (one, counted, queued, running, oldest_due, outbox) VALUES (1, ?1, ?2, ?3, ?4, ?5)
ON CONFLICT (one) DO UPDATE SET counted = ?1, queued = ?2, running = ?3, oldest_due = ?4, outbox = ?5

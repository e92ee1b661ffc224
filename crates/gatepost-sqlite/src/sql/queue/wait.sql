INSERT INTO gatepost_queue (id, webhook, class, due, attempts, tries, lost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

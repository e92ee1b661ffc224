INSERT INTO gatepost_outcome (delivery, token, state, attempts, tries, lost, due, status_info, webhook, task, tenant,
    started, duration_us, class, status, kept_bytes, detail)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17
WHERE EXISTS (SELECT 1 FROM gatepost_delivery WHERE id = ?1) ON CONFLICT DO NOTHING

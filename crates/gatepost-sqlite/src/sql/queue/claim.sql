-- ?1: delivery. ?2: lease until. ?3: its owner.
UPDATE gatepost_delivery SET state = 1, lease_until = ?2, claims = claims + 1 WHERE id = ?1
RETURNING id, message_id, webhook, ?3 AS owner, tenant, task, body, message_kept, state, status_info, created, due,
    lease_until, last_attempt, attempts, lost_claims, response_status, duration_us, claims

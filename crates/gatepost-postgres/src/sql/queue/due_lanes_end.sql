
SELECT c.*, l.last_due, l.last_id FROM claimable c FULL JOIN last l ON true

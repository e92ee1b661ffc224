
SELECT c.*, l.last_webhook, l.last_class FROM claimable c FULL JOIN last l ON true

-- Deliveries in every state, as the version before the queue wrote them; runs after rows_0001.sql and the second migration.
INSERT INTO gatepost_delivery (id, message_id, webhook, owner, tenant, task, body, state, class, status_info, created, due, lease_until, last_attempt, attempts, lost_claims, claims, settled, logged, response_status, duration_us, message_kept) VALUES
    (11, 'b-queued', 2, 1, 5, 2, '\x7b7d', 'queued', 0, '', '2027-01-15 08:00:10+00', '2027-01-15 08:00:10+00', NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL, true),
    (12, 'b-retried', 2, 1, NULL, NULL, '\x7b7d', 'queued', 1, 'timeout', '2027-01-15 08:00:10+00', '2027-01-15 08:00:40+00', NULL, '2027-01-15 08:00:12+00', 2, 0, 41, 41, 2, NULL, 5000, true),
    (13, 'b-alone', 2, 1, NULL, NULL, '\x7b7d', 'queued', 2, '', '2027-01-15 08:00:10+00', '2027-01-15 08:00:20+00', NULL, NULL, 0, 2, 42, NULL, 0, NULL, NULL, true),
    (14, 'b-running', 2, 1, NULL, NULL, '\x7b7d', 'running', 1, 'timeout', '2027-01-15 08:00:10+00', '2027-01-15 08:00:10+00', '2027-01-15 08:01:00+00', '2027-01-15 08:00:12+00', 1, 1, 43, 30, 1, NULL, 5000, true),
    (15, 'b-sent', 2, 1, 5, 2, '\x', 'sent', 1, '200 OK', '2027-01-15 08:00:10+00', '2027-01-15 08:00:10+00', NULL, '2027-01-15 08:00:12+00', 2, 0, 44, 44, 2, 200, 5000, false),
    (16, 'b-failed', 2, 1, 5, NULL, '\x7b7d', 'error', 1, 'timeout', '2027-01-15 08:00:10+00', '2027-01-15 08:00:10+00', NULL, '2027-01-15 08:00:12+00', 1, 0, 45, 45, 1, NULL, 5000, true),
    (17, 'b-cancelled', 2, 1, NULL, NULL, '\x7b7d', 'error', 1, 'cancelled', '2027-01-15 08:00:10+00', '2027-01-15 08:00:10+00', NULL, '2027-01-15 08:00:12+00', 1, 0, 46, 46, 1, NULL, 5000, true),
    (18, 'b-died', 2, 1, NULL, NULL, '\x7b7d', 'error', 2, 'the sender died 3 times', '2027-01-15 08:00:10+00', '2027-01-15 08:00:10+00', NULL, NULL, 0, 3, 47, NULL, 0, NULL, NULL, true),
    (19, 'b-replayed', 2, 1, NULL, NULL, '\x7b7d', 'queued', 0, '', '2027-01-15 08:00:10+00', '2027-01-15 08:00:30+00', NULL, '2027-01-15 08:00:12+00', 0, 0, 48, NULL, 3, 500, 5000, true),
    (20, 'b-ordered', 3, 2, NULL, NULL, '\x7b7d', 'running', 0, '', '2027-01-15 08:00:10+00', '2027-01-15 08:00:10+00', '2027-01-15 08:01:00+00', NULL, 0, 0, 49, NULL, 0, NULL, NULL, true);
INSERT INTO gatepost_attempt (delivery, number, started, duration_us, class, info, status, response_head, response_body, truncated, kept)
SELECT delivery, number, '2027-01-15 08:00:12+00', 5000, class, info, status, '', '', false, true FROM (VALUES
    (12, 1, 'connect', 'refused', NULL), (12, 2, 'timeout', 'timeout', NULL), (14, 1, 'timeout', 'timeout', NULL),
    (15, 1, 'timeout', 'timeout', NULL), (15, 2, 'ok', '200 OK', 200), (16, 1, 'timeout', 'timeout', NULL),
    (17, 1, 'timeout', 'timeout', NULL), (19, 1, 'status', '500', 500), (19, 2, 'status', '500', 500), (19, 3, 'status', '500', 500)
) AS a (delivery, number, class, info, status);
SELECT setval('gatepost_delivery_id_seq', 20, true);
SELECT setval('gatepost_claim', 49, true);

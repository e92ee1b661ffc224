-- ?1: a webhook that is edited. ?2: whether its deliveries keep their order after the edit.
UPDATE gatepost_webhook SET ordered_to = CASE WHEN ?2 THEN (SELECT token FROM gatepost_log) END
WHERE id = ?1 AND in_order <> ?2

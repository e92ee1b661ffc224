-- Removes the picked deliveries from the queue: they can no longer be claimed.
DELETE FROM :schema.gatepost_queue WHERE id = ANY (current_setting('gatepost.picked')::bigint[])

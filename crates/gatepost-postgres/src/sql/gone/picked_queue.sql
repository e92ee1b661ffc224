-- The deliveries that were picked wait no more: nobody claims them from now on.
DELETE FROM :schema.gatepost_queue WHERE id = ANY (current_setting('gatepost.picked')::bigint[])

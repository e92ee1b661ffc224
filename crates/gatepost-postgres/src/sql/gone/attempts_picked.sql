-- The attempts of the deliveries that the statement before picked.
DELETE FROM gatepost_attempt WHERE delivery = ANY (current_setting('gatepost.picked')::bigint[])
